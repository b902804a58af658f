import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PshapOptions, pshap } from "../../src/attribute/index.ts";
import { settleIllegal } from "../../src/attribute/legal.ts";
import { exact, uniform } from "../../src/couple/index.ts";
import { sigmoid } from "../../src/model/link.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Attribution, Coupling, Matrix, ModelLike } from "../../src/types.ts";
import { byRow, COLS, closed, farthest, forestModel } from "../support/attribute.ts";
import { gaussian } from "../support/couple.ts";
import { wildRows } from "../support/forests.ts";
import { illegalScored } from "../support/mutants/attribute.ts";
import { refuses } from "../support/refuses.ts";

type Attributed = (
  model: ModelLike,
  x: Matrix,
  r: Matrix,
  coupling: Coupling,
  options: PshapOptions,
) => Promise<Attribution>;

describe("rules over whole rows", () => {
  const rule = (z: Float64Array): boolean => !(z[0]! > 0 && z[1]! > 0) && z[2]! + z[3]! < 3;
  const legal = (rows: Matrix): boolean[] =>
    Array.from({ length: rows.rows }, (_, i) => rule(rowOf(rows, i)));
  const score = (z: Float64Array): number => sigmoid(z[0]! * z[1]! + z[2]! - z[3]! * z[0]!);
  const x = fromRows([
    [0, 1, 0, 1],
    [-1, -2, 1, 1],
  ]);
  const r = fromRows([
    [1, 0, 2, 2],
    [2, 3, 2, 0],
  ]);

  /** v(T) of the restricted game: the mean over the largest legal subsets of T. */
  const restricted = (i: number, j: number): ((set: number) => number) => {
    const row = (set: number): Float64Array =>
      rowOf(x, i).map((v, k) => ((set >> k) & 1 ? r.data[j * 4 + k]! : v));
    const size = (set: number): number => [0, 1, 2, 3].filter((k) => (set >> k) & 1).length;
    return (set) => {
      const inside = Array.from({ length: 16 }, (_, t) => t).filter(
        (t) => (t & set) === t && (t === 0 || rule(row(t))),
      );
      const most = Math.max(...inside.map(size));
      const largest = inside.filter((t) => size(t) === most);
      return largest.reduce((sum, t) => sum + score(row(t)), 0) / largest.length;
    };
  };

  const law = async (impl: Attributed): Promise<void> => {
    const found = await impl(byRow(score), x, r, uniform(2, 2), { legal });
    for (const i of [0, 1]) {
      const games = [restricted(i, 0), restricted(i, 1)];
      const mean = (set: number): number => (games[0]!(set) + games[1]!(set)) / 2;
      expect(found.base[i]).toBeCloseTo(mean(15), 12);
      const phi = rowOf(found.values, i);
      expect(phi.reduce((sum, v) => sum + v, 0)).toBeCloseTo(mean(0) - mean(15), 12);
      for (const [k, order] of [
        [0, [0, 1, 2, 3]],
        [2, [2, 0, 1, 3]],
      ] as const) {
        let wanted = 0;
        for (let set = 0; set < 16; set++) {
          if ((set >> order[0]!) & 1) continue;
          const size = [0, 1, 2, 3].filter((u) => (set >> u) & 1).length;
          wanted += [1 / 4, 1 / 12, 1 / 12, 1 / 4][size]! * (mean(set) - mean(set | (1 << k)));
        }
        expect(phi[k]).toBeCloseTo(wanted, 12);
      }
    }
  };

  test("any rules: equal to looking through all legal subsets", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.nat(1e6),
        fc.double({ min: 0.05, max: 0.9 }),
        (k, seed, share) => {
          const random = stream(seed, "rules");
          const flags = Uint8Array.from({ length: 2 ** k }, (_, set) =>
            Number(set === 0 || random.next() < share),
          );
          const cube = Float64Array.from(flags, () => random.normal());
          const size = (set: number): number => set.toString(2).replaceAll("0", "").length;
          const wanted = Array.from(cube, (_, set) => {
            const inside = [...flags.keys()].filter((t) => (t & set) === t && flags[t]);
            const most = Math.max(...inside.map(size));
            const largest = inside.filter((t) => size(t) === most);
            return largest.reduce((sum, t) => sum + cube[t]!, 0) / largest.length;
          });
          settleIllegal(cube, flags);
          for (const [set, v] of wanted.entries()) expect(cube[set]).toBeCloseTo(v, 12);
        },
      ),
    );
  });

  test("an illegal hybrid is worth the mean of the largest legal ones within it", () => law(pshap));
  test("scoring illegal hybrids as they are is refused", () => refuses(() => law(illegalScored)));

  test("the model never sees an illegal hybrid", async () => {
    const seen: Float64Array[] = [];
    const watched = byRow((z) => {
      seen.push(z.slice());
      return score(z);
    });
    await pshap(watched, x, r, exact(2), { legal });
    const ends = [...[0, 1].map((i) => rowOf(x, i).join()), ...[0, 1].map((j) => rowOf(r, j).join())];
    expect(seen.filter((z) => !rule(z) && !ends.includes(z.join()))).toEqual([]);
    expect(seen.length).toBeGreaterThan(8);
  });

  test("a structure gives the same restricted game", async () => {
    const model = forestModel(11, "logistic");
    const [a, b] = [wildRows(3, 3, COLS), wildRows(4, 3, COLS)];
    const rules = (rows: Matrix): Uint8Array =>
      Uint8Array.from({ length: rows.rows }, (_, i) =>
        Number(rowOf(rows, i)[0]! > 0 === rowOf(rows, i)[2]! > 0),
      );
    const inside = await pshap(model, a, b, uniform(3, 3), { legal: rules });
    const outside = await pshap(closed(model), a, b, uniform(3, 3), { legal: rules });
    expect(farthest(inside.values, outside.values)).toBeLessThan(1e-12);
    expect(inside.residual).toBeLessThan(1e-12);
    const margin = await pshap(model, a, b, uniform(3, 3), { legal: rules, space: "margin" });
    expect(margin).toMatchObject({ exact: true, space: "margin" });
    expect(margin.residual).toBeLessThan(1e-12);
  });

  test("sampled: illegal hybrids give way to legal ones, efficiency stays exact", async () => {
    const a = gaussian(2, 14, 6, "x");
    const b = gaussian(2, 14, 6, "r");
    for (const at of [0, 1, 14, 15]) {
      a.data[at] = 0;
      b.data[at] = 0.8;
    }
    const some = (rows: Matrix): boolean[] =>
      Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i)[0]! + rowOf(rows, i)[1]! < 1);
    const seen: boolean[] = [];
    const smooth = byRow((z) => {
      seen.push(z[0]! + z[1]! < 1);
      return Math.tanh(z.reduce((sum, v, k) => sum + v / (k + 2), 0));
    });
    const options = { legal: some, seed: 3 };
    const sampled = await pshap(smooth, a, b, exact(2), options);
    expect(sampled.exact).toBe(false);
    expect(sampled.residual).toBeLessThan(1e-9);
    expect(seen.filter((ok) => !ok).length).toBe(2);
    const listed = await pshap(smooth, a, b, exact(2), { ...options, maxEnumeration: 2 ** 14 });
    expect(farthest(sampled.values, listed.values)).toBeLessThan(0.05);
  });
});
