import { describe, expect, test } from "vitest";
import { fromDense } from "../../src/couple/dense.ts";
import { type CouplingMethod, couplingNamed, couplings } from "../../src/couple/registry.ts";
import { conditionals } from "../../src/couple/rows.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { gaussian } from "../support/couple.ts";

describe("conditionals", () => {
  test("p(j|i) is the row divided by its sum; a row without mass has no partners", () => {
    const p = fromDense(
      fromRows([
        [0.1, 0.3, 0],
        [0, 0, 0],
        [0, 0, 0.6],
      ]),
    );
    const { start, cols, weight } = conditionals(p);
    expect(Array.from(start)).toEqual([0, 2, 2, 3]);
    expect(Array.from(cols)).toEqual([0, 1, 2]);
    expect(weight[0]).toBeCloseTo(0.25, 15);
    expect(weight[1]).toBeCloseTo(0.75, 15);
    expect(weight[2]).toBe(1);
  });
});

describe("registry", () => {
  test("an unknown name is refused with the names there are", () => {
    for (const name of ["ot", "toString", "__proto__", ""]) {
      expect(() => couplingNamed(name)).toThrow(expect.objectContaining({ code: "NAME_UNKNOWN" }));
    }
    expect(() => couplingNamed("ot")).toThrow(
      /transport, sinkhorn, uniform, random, exact, nearest, coarsened/,
    );
  });

  test("each name calls its own coupling", async () => {
    const task = { x: gaussian(4, 2, 1, "x"), r: gaussian(4, 2, 1, "r"), random: stream(1, "task") };
    for (const [name, { couple, summary }] of Object.entries<CouplingMethod>(couplings)) {
      expect((await couple(task)).name).toBe(name);
      expect(summary.length).toBeGreaterThan(10);
    }
  });

  test("`group` is false exactly where a row's partners do not depend on the other rows", async () => {
    const source = stream(1, "task");
    const r = gaussian(20, 2, 1, "r");
    for (const [name, { couple, group }] of Object.entries<CouplingMethod>(couplings)) {
      let changed = false;
      for (let seed = 0; seed < 9; seed++) {
        const x = gaussian(6, 2, seed, "x");
        const alone = matrix(1, 2, x.data.slice(0, 2));
        const whole = conditionals(await couple({ x, r, bins: 3, random: source, keys: [0, 1, 2, 3, 4, 5] }));
        const single = conditionals(await couple({ x: alone, r, bins: 3, random: source, keys: [0] }));
        const partners = (c: typeof whole): string =>
          Array.from(c.cols.subarray(0, c.start[1]), (j, e) => `${j}:${c.weight[e]!.toFixed(9)}`).join();
        changed ||= partners(whole) !== partners(single);
      }
      expect([name, changed]).toEqual([name, group]);
    }
  });
});
