import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Heap } from "../../src/num/heap.ts";
import { refuses } from "../support/refuses.ts";

type Queue = Pick<Heap, "push" | "pop" | "size" | "key" | "clear">;

/** Pushed in any order, pairs come out by key, then item; what is on top is what pops. */
function sorts(make: () => Queue): void {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(99))),
      fc.nat(20),
      (pairs, early) => {
        const heap = make();
        for (const [key, item] of pairs.slice(0, early)) heap.push(key, item);
        heap.clear();
        for (const [key, item] of pairs) heap.push(key, item);
        expect(heap.size).toBe(pairs.length);
        for (const [key, item] of [...pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1])) {
          expect(heap.key).toBe(key);
          expect(heap.pop()).toBe(item);
        }
        expect([heap.key, heap.pop(), heap.size]).toEqual([Number.POSITIVE_INFINITY, -1, 0]);
      },
    ),
  );
}

describe("Heap", () => {
  test("sorts, also beyond its first capacity", () => sorts(() => new Heap(2)));

  test("a heap that leaves equal keys as they come, or forgets to clear, is refused", async () => {
    class ByKeyOnly extends Heap {
      override push(key: number, item: number): void {
        super.push(key + item * 1e-9 * (item % 2 === 0 ? -1 : 1), item);
      }
    }
    class NeverClear extends Heap {
      override clear(): void {}
    }
    await refuses(() => sorts(() => new ByKeyOnly()));
    await refuses(() => sorts(() => new NeverClear()));
  });
});
