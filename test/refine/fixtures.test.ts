import { describe, expect, test } from "vitest";
import { sigmoid } from "../../src/model/link.ts";
import { meanGap, medianGap, w1 } from "../../src/num/divergence.ts";
import { fromRows, rowOf, takeRows } from "../../src/num/matrix.ts";
import { refine } from "../../src/refine/index.ts";
import type { Matrix, PredictFunction } from "../../src/types.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";

interface TopPoint {
  C: number;
  cells_in_order: number[];
  f_z: number[];
  fro_zx: number;
  W1: number;
  MeanD: number;
  MedianD: number;
  effect_W1: number | null;
}
interface Spec {
  type: string;
  weights?: number[];
  bias?: number;
  trees?: { feature: number[]; threshold: number[]; left: number[]; right: number[]; value: number[] }[];
  base?: number;
  link?: string;
  factors?: number;
}
interface PshapFile {
  cases: {
    name: string;
    d: number;
    x: number[][];
    r: number[][];
    models: Record<
      string,
      {
        spec: Spec;
        f_r: number[];
        couplings: Record<
          string,
          {
            phi: number[][];
            q_max_index: number[];
            q_avg: number[][];
            top: Record<"max" | "avg", TopPoint[]>;
          }
        >;
      }
    >;
  }[];
}

function modelOf(spec: Spec): PredictFunction {
  const score = (z: Float64Array): number => {
    if (spec.type === "logistic")
      return sigmoid(spec.weights!.reduce((sum, w, k) => sum + w * z[k]!, spec.bias!));
    if (spec.type === "product")
      return z.slice(0, spec.factors).reduce((a, b) => a * b, 1) + 0.5 * z[0]! * z.at(-1)!;
    const margin = spec.trees!.reduce((sum, tree) => {
      let node = 0;
      while (tree.feature[node]! >= 0) {
        node = z[tree.feature[node]!]! <= tree.threshold[node]! ? tree.left[node]! : tree.right[node]!;
      }
      return sum + tree.value[node]!;
    }, spec.base!);
    return spec.link === "sigmoid" ? sigmoid(margin) : margin;
  };
  return (rows: Matrix) => Float64Array.from({ length: rows.rows }, (_, i) => score(rowOf(rows, i)));
}

describe.skipIf(!hasFixture("pshap.json"))(
  "pshap.json (needs the reference numbers beside the repository)",
  () => {
    const cases = hasFixture("pshap.json")
      ? fixture<PshapFile>("pshap.json").cases.flatMap((c) =>
          Object.entries(c.models).flatMap(([model, { spec, f_r, couplings }]) =>
            Object.entries(couplings).flatMap(([coupling, part]) =>
              (["max", "avg"] as const).map((value) => ({
                name: `${c.name} ${model} ${coupling} ${value}`,
                ...{ c, spec, f_r, part, value },
              })),
            ),
          ),
        )
      : [];

    test.each(cases)("top selections of $name", async ({ c, spec, f_r, part, value }) => {
      const x = fromRows(c.x);
      const q = value === "max" ? takeRows(fromRows(c.r), part.q_max_index) : fromRows(part.q_avg);
      const base = {
        model: modelOf(spec),
        x,
        q,
        attribution: fromRows(part.phi),
        policy: "top",
        stop: "budget",
      } as const;
      for (const point of part.top[value] ?? []) {
        const got = await refine({
          ...base,
          goal: { kind: "group", desired: f_r },
          budget: { total: point.C },
        });
        expect([...got.order]).toEqual(point.cells_in_order);
        const scores = got.rows.map((row) => row.after);
        scores.forEach((score, i) => {
          expect(score).toBeCloseTo(point.f_z[i]!, 12);
        });
        expect(Math.sqrt(got.rows.reduce((sum, row) => sum + row.distance ** 2, 0))).toBeCloseTo(
          point.fro_zx,
          10,
        );
        expect(w1(scores, f_r)).toBeCloseTo(point.W1, 10);
        expect(got.reached.D).toBeCloseTo(point.W1, 10);
        expect(meanGap(scores, f_r)).toBeCloseTo(point.MeanD, 10);
        expect(medianGap(scores, f_r)).toBeCloseTo(point.MedianD, 10);
        const at = got.curve[point.cells_in_order.length]!;
        expect(at.D).toBeCloseTo(point.W1, 10);
        if (point.effect_W1 === null) expect(at.effect).toBeNull();
        else expect(at.effect).toBeCloseTo(point.effect_W1, 9);
      }
    });
  },
);
