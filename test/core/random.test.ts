import { describe, expect, test } from "vitest";
import { fromRows, takeRows } from "../../src/num/matrix.ts";
import { rowKeys, stream } from "../../src/num/random.ts";

const draws = (n: number, f: () => number): number[] => Array.from({ length: n }, f);
const mean = (v: readonly number[]): number => v.reduce((a, b) => a + b, 0) / v.length;

describe("random streams", () => {
  test("the same seed and names give the same numbers, other names other numbers", () => {
    const take = (...names: (string | number)[]) => draws(5, stream(7, ...names).next);
    expect(take("a", 1)).toEqual(take("a", 1));
    expect(take("a", 1)).not.toEqual(take("a", 2));
    expect(take("a", 1)).not.toEqual(take("b", 1));
    expect(draws(5, stream(8, "a", 1).next)).not.toEqual(take("a", 1));
  });

  test("a split stream does not depend on how far its parent has run", () => {
    const parent = stream(1);
    const early = draws(3, parent.split("child").next);
    draws(100, parent.next);
    expect(draws(3, parent.split("child").next)).toEqual(early);
  });

  test("moments are those of the distributions", () => {
    const r = stream(3, "moments");
    const n = 40_000;
    const u = draws(n, r.next);
    expect(u.every((v) => v >= 0 && v < 1)).toBe(true);
    expect(Math.abs(mean(u) - 0.5)).toBeLessThan(4 / Math.sqrt(12 * n));
    expect(Math.abs(mean(draws(n, r.normal)))).toBeLessThan(4 / Math.sqrt(n));
    expect(Math.abs(mean(draws(n, () => r.normal() ** 2)) - 1)).toBeLessThan(4 * Math.sqrt(2 / n));
    expect(Math.abs(mean(draws(n, r.exponential)) - 1)).toBeLessThan(4 / Math.sqrt(n));
  });

  test("neighbouring streams are uncorrelated", () => {
    const first = draws(
      2000,
      (() => {
        let i = 0;
        return () => stream(1, "row", i++).next();
      })(),
    );
    const lag = mean(first.slice(1).map((v, i) => (v - 0.5) * (first[i]! - 0.5))) * 12;
    expect(Math.abs(lag)).toBeLessThan(4 / Math.sqrt(2000));
  });

  test("samples are different whole numbers, every one equally likely", () => {
    const counts = new Int32Array(5);
    for (let t = 0; t < 5000; t++) {
      const s = stream(2, t).sample(5, 2);
      expect(new Set(s).size).toBe(2);
      for (const v of s) counts[v]!++;
    }
    for (const c of counts) expect(Math.abs(c / 5000 - 0.4)).toBeLessThan(4 * Math.sqrt(0.24 / 5000));
  });

  test("row keys follow the rows: content and occurrence", () => {
    const m = fromRows([
      [1, 2],
      [3, null],
      [1, 2],
      [-0, 0],
      [0, 0],
    ]);
    const keys = rowKeys(m);
    expect(new Set(keys).size).toBe(5);
    const swapped = rowKeys(takeRows(m, [1, 0, 4, 2, 3]));
    expect(swapped[0]).toBe(keys[1]);
    expect(swapped[1]).toBe(keys[0]);
    expect(swapped[3]).toBe(keys[2]);
    expect(keys[3]!.split("#")[0]).toBe(keys[4]!.split("#")[0]);
  });
});
