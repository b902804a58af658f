import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { bind, fitEncoder, fitMetric, squaredDistance } from "../../src/data/index.ts";
import { best } from "../../src/match/index.ts";
import { membersOf, sizeOf } from "../../src/match/sets.ts";
import { asModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { forEachSmallSubset } from "../../src/model/trees/subsets.ts";
import { rowOf, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import { insideOf } from "../../src/search/inside.ts";
import { mixtures } from "../../src/search/mixtures.ts";
import type { Matrix, Model, Schema, Target } from "../../src/types.ts";
import { contest, forest, linear, seeds, smallRows, someGroups, trees } from "../refine/cases.ts";
import { mirrored, narrow } from "../support/mutants/match.ts";
import { refuses } from "../support/refuses.ts";

const targets: Target[] = [
  { class: 1 },
  { class: [0, 2] },
  { output: 2, above: 0.4 },
  { min: 0.3, max: 0.6 },
];

/** Models that show their inside: linear, softmax, averaged and boosted forests of two and three classes. */
function openModelOf(seed: number, cols: number): Model {
  const random = stream(seed, "open");
  const three = (link: "identity" | "softmax"): Model =>
    treeModel({
      name: "forest",
      outputs: ["a", "b", "c"],
      cols,
      forests: [0, 1, 2].map(() => trees(random, cols, 5, 3, link)),
    });
  const kinds = [
    () => linear(random, cols),
    () => contest(random, cols),
    () => forest(random, cols, 7, 3),
    () => forest(random, cols, 7, 3, "logistic"),
    () => three("identity"),
    () => three("softmax"),
  ];
  return kinds[seed % kinds.length]!();
}

/** What the structure says of mixtures is what the model says of the rows, and bounds are bounds. */
async function insideIsTheModel(open: typeof insideOf): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "inside");
      const cols = 1 + random.int(6);
      const model = openModelOf(seed, cols);
      const usable = model.outputs.length === 3 ? targets : [targets[0]!, targets[3]!];
      const target = usable[(seed >> 4) % usable.length]!;
      const reach = reachOf(model, target);
      const mix = mixtures(model, cols, reach, startWork("test"), { groups: someGroups(random, cols) });
      const inside = open(model, reach)!;
      const [x, r] = [mix.side(smallRows(random, 1, cols)), mix.side(smallRows(random, 1, cols))];
      const pair = mix.pair(x, 0, r, 0);
      const k = pair.players.length;
      const all = Array.from({ length: 2 ** k }, (_, mask) => ({ pair, members: membersOf(mask) }));
      const { slack } = await mix.score(mix.rows(all));
      const cube = inside.cube(pair);
      cube.forEach((value, mask) => {
        expect(value).toBeCloseTo(slack[mask]!, 11);
      });
      const size = Math.min(3, k);
      const small = inside.small(pair, size);
      forEachSmallSubset(k, size, (members, place) => {
        expect(small[place]).toBeCloseTo(slack[members.reduce((mask, b) => mask | (1 << b), 0)]!, 11);
      });
      expect(small).toHaveLength(all.filter(({ members }) => members.length <= size).length);
      const margins = inside.structures.map((_, o) => marginsOf(model, mix.rows(all), o, reach.outputs));
      const low = Float64Array.from(margins, (m) => Math.min(...m));
      const high = Float64Array.from(margins, (m) => Math.max(...m));
      expect(inside.optimistic(low, high)).toBeGreaterThanOrEqual(Math.max(...slack) - 1e-12);
    }),
    { numRuns: 120 },
  );
}

function marginsOf(model: Model, rows: Matrix, at: number, outputs: readonly number[]): Float64Array {
  const structure = model.structure!(outputs[0]!)!;
  const output = structure.link === "softmax" ? at : outputs[at]!;
  return model.margin ? model.margin(rows, output) : (model.predict(rows, output) as Float64Array);
}

describe("mixtures", () => {
  test("the inside of a model agrees with its answers", () => insideIsTheModel(insideOf));
  test("kills masks read from the other end", () => refuses(() => insideIsTheModel(mirrored)));
  test("kills a bound that is none", () => refuses(() => insideIsTheModel(narrow)));

  const schema: Schema = {
    features: [
      { name: "colour", kind: "categorical", categories: ["red", "green", "blue", "grey"] },
      { name: "size", kind: "numeric" },
      { name: "level", kind: "ordinal", categories: ["low", "mid", "high", "top"] },
      { name: "kind", kind: "categorical", categories: ["a", "b", "c", "d"] },
    ],
  };

  test("an encoded model opened and the same model closed give the same plans", async () => {
    const random = stream(2, "encoded");
    const rows = smallRows(random, 60, 4);
    const encoder = fitEncoder(schema, rows);
    for (const inner of [linear(random, encoder.names.length), forest(random, encoder.names.length, 12, 4)]) {
      const bound = bind(inner, encoder);
      expect(bound.encoding).toBeDefined();
      const closed: Model = { outputs: bound.outputs, predict: (m, output) => bound.predict(m, output) };
      const metric = fitMetric(schema, rows);
      const distance = (a: Float64Array, b: Float64Array): number => squaredDistance(metric, a, b);
      const target: Target = { class: "yes" };
      const [x, q] = [
        takeRows(rows, [...Array(30).keys()]),
        takeRows(
          rows,
          [...Array(30).keys()].map((i) => i + 30),
        ),
      ];
      const goal = { kind: "each", target } as const;
      const [open, shut] = [
        await refine({ model: bound, x, q, goal, distance }),
        await refine({ model: closed, x, q, goal, distance }),
      ];
      expect(open.z).toEqual(shut.z);
      expect(open.rows).toEqual(shut.rows);
      const [near, far] = [
        await best(bound, x, q, { target, distance }),
        await best(closed, x, q, { target, distance }),
      ];
      expect(near.map((m) => [m.players, m.reference, m.slack])).toEqual(
        far.map((m) => [m.players, m.reference, m.slack]),
      );
    }
  });

  test("derived columns are recomputed in every mixture and are not edits", async () => {
    const complete = (rows: Matrix): Matrix => {
      const data = rows.data.slice();
      for (let i = 0; i < rows.rows; i++) data[3 * i + 2] = data[3 * i]! * data[3 * i + 1]!;
      return { ...rows, data };
    };
    const model = (rows: Matrix): Float64Array => Float64Array.from(toRows(rows), (row) => row[2]! / 10);
    const [x, q] = [
      complete({ data: Float64Array.of(1, 1, 0), rows: 1, cols: 3 }),
      complete({ data: Float64Array.of(3, 2, 0), rows: 1, cols: 3 }),
    ];
    const { z, rows } = await refine({
      model,
      x,
      q,
      complete,
      groups: [[0], [1]],
      goal: { kind: "each", target: { min: 0.3 } },
    });
    expect(rows[0]!.edits).toEqual([0]);
    expect([...rowOf(z, 0)]).toEqual([3, 1, 3]);
  });

  test("values within a feature's tolerance are the same, and only real changes count", async () => {
    const model = (rows: Matrix): Float64Array => Float64Array.from(toRows(rows), (row) => row[0]! + row[1]!);
    const [x, q] = [
      { data: Float64Array.of(0, 0), rows: 1, cols: 2 },
      { data: Float64Array.of(0.05, 1), rows: 1, cols: 2 },
    ];
    const same = (_: number, a: number, b: number): boolean => Math.abs(a - b) <= 0.1;
    const { rows, z } = await refine({ model, x, q, same, goal: { kind: "each", target: { min: 1.04 } } });
    expect(rows[0]).toMatchObject({ status: "infeasible" });
    expect([...z.data]).toEqual([0, 0]);
  });

  test("sizes and members of masks", () => {
    expect([0, 1, 6, 2 ** 30].map(sizeOf)).toEqual([0, 1, 2, 1]);
    expect([0, 1, 6, 2 ** 30].map(membersOf)).toEqual([[], [0], [1, 2], [30]]);
  });

  test("a function is a black box", () => {
    const model = asModel((rows) => new Float64Array(rows.rows));
    expect(insideOf(model, reachOf(model, { above: 0.5 }))).toBeUndefined();
  });
});
