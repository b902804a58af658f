import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/index.ts";
import { checkAttribution } from "../../src/contracts/attribution.ts";
import { exact, fromDense, uniform } from "../../src/couple/index.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { sigmoid } from "../../src/model/link.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { fromRows, matrix, rowOf } from "../../src/num/matrix.ts";
import type { Attribution, Matrix, Model, PredictFunction, Trees } from "../../src/types.ts";
import { byRow } from "../support/attribute.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";
import { pshapMutants } from "../support/mutants/attribute.ts";

function farthest(found: Matrix, wanted: readonly (readonly number[])[]): number {
  return wanted.flat().reduce((most, v, at) => Math.max(most, Math.abs(v - found.data[at]!)), 0);
}

interface RawTree {
  readonly feature: number[];
  readonly threshold: number[];
  readonly left: number[];
  readonly right: number[];
  readonly value: number[];
}

function treesOf(
  given: readonly RawTree[],
  rest: Pick<Trees, "base" | "link" | "inclusive" | "float32">,
): Trees {
  const roots: number[] = [];
  const all = { feature: [], threshold: [], left: [], right: [], value: [] } as Record<
    keyof RawTree,
    number[]
  >;
  for (const tree of given) {
    const start = all.feature.length;
    roots.push(start);
    all.feature.push(...tree.feature.map((c) => Math.max(c, -1)));
    all.threshold.push(...tree.threshold);
    all.left.push(...tree.left.map((v) => v + start));
    all.right.push(...tree.right.map((v) => v + start));
    all.value.push(...tree.value.map((v, node) => (tree.feature[node]! < 0 ? v : 0)));
  }
  return {
    kind: "trees",
    kernels: treeKernels,
    ...rest,
    roots: Int32Array.from(roots),
    feature: Int32Array.from(all.feature),
    threshold: Float64Array.from(all.threshold),
    left: Int32Array.from(all.left),
    right: Int32Array.from(all.right),
    value: Float64Array.from(all.value),
    flags: new Uint8Array(all.feature.length),
  };
}

describe("the laws of an attribution", () => {
  test("pshap keeps them", async () => {
    const broken = (await checkAttribution(pshap)).filter((law) => !law.ok);
    expect(broken).toEqual([]);
  });

  test.each(Object.entries(pshapMutants))("%s is refused", async (_, { law, attribute }) => {
    const found = (await checkAttribution(attribute)).find((result) => result.law === law)!;
    expect(found.ok).toBe(false);
    expect(found.message).not.toBe("");
  });

  test("sampled games keep them within their error", async () => {
    const tolerance = 0.15;
    const sampling = await checkAttribution(
      (model, x, r, coupling) => pshap(model, x, r, coupling, { maxEnumeration: 2, maxEvaluations: 66 }),
      { tolerance },
    );
    expect(sampling.filter((law) => !law.ok)).toEqual([]);
  });
});

interface PshapCase {
  readonly name: string;
  readonly d: number;
  readonly x: number[][];
  readonly r: number[][];
  readonly couplings: Record<string, number[][]>;
  readonly models: Record<
    string,
    {
      readonly spec: Spec;
      readonly couplings: Record<string, { phi: number[][]; base_conditional: number[] }>;
    }
  >;
}

type Spec =
  | { readonly type: "logistic"; readonly weights: number[]; readonly bias: number }
  | {
      readonly type: "tree_ensemble";
      readonly trees: RawTree[];
      readonly base: number;
      readonly link: string;
    }
  | { readonly type: "product"; readonly factors: number };

/** The model of a fixture as a black box, and as far as it has one with its structure. */
function modelsOf(spec: Spec): { plain: PredictFunction; open: Model | undefined } {
  if (spec.type === "logistic") {
    const { weights, bias } = spec;
    const margin = (z: Float64Array): number => weights.reduce((sum, w, k) => sum + w * z[k]!, bias);
    const plain = byRow((z) => sigmoid(margin(z)));
    const structure = {
      kind: "linear",
      intercept: bias,
      weights: Float64Array.from(weights),
      link: "logistic",
      kernels: linearKernels,
    } as const;
    return {
      plain,
      open: {
        outputs: ["score"],
        predict: (rows) => plain(rows) as Float64Array,
        structure: () => structure,
      },
    };
  }
  if (spec.type === "product") {
    const { factors } = spec;
    const product = (z: Float64Array): number => z.subarray(0, factors).reduce((p, v) => p * v, 1);
    return { plain: byRow((z) => product(z) + 0.5 * z[0]! * z.at(-1)!), open: undefined };
  }
  const link = spec.link === "sigmoid" ? "logistic" : "identity";
  const trees = treesOf(spec.trees, { base: spec.base, link, inclusive: true, float32: false });
  const cols = 1 + Math.max(...trees.feature);
  const open = treeModel({ name: "gradboost", outputs: ["score"], cols, forests: [trees] });
  return { plain: (rows) => open.predict(rows), open: { ...open, predict: (rows) => open.predict(rows) } };
}

describe("reference numbers", () => {
  test.skipIf(!hasFixture("shapley_by_hand.json"))("values by hand", async () => {
    const { cases } = fixture<{ cases: Record<string, Record<"x" | "r" | "p" | "phi", number[][]>> }>(
      "shapley_by_hand.json",
    );
    const functions: Record<string, (z: Float64Array) => number> = {
      product2: (z) => z[0]! * z[1]!,
      linear: (z) => 2 * z[0]! - 3 * z[1]! + 0.5 * z[2]!,
      max3: (z) => Math.max(...z),
    };
    for (const [name, { x, r, p, phi }] of Object.entries(cases)) {
      const found = await pshap(byRow(functions[name]!), fromRows(x), fromRows(r), fromDense(fromRows(p)));
      expect(farthest(found.values, phi)).toBeLessThan(1e-14);
    }
    expect(Object.keys(cases)).toEqual(Object.keys(functions));
  });

  test.skipIf(!hasFixture("pshap.json"))("p-SHAP by enumeration, weighed by p(j|i)", async () => {
    const { cases, tolerance } = fixture<{ cases: PshapCase[]; tolerance: { phi_abs: number } }>(
      "pshap.json",
    );
    let compared = 0;
    for (const given of cases) {
      for (const { spec, couplings } of Object.values(given.models)) {
        const { plain, open } = modelsOf(spec);
        for (const [name, wanted] of Object.entries(couplings)) {
          const coupling = fromDense(fromRows(given.couplings[name]!));
          for (const model of open ? [plain, open] : [plain]) {
            const found = await pshap(model, fromRows(given.x), fromRows(given.r), coupling);
            expect(farthest(found.values, wanted.phi)).toBeLessThan(tolerance.phi_abs);
            expect(
              farthest(matrix(1, found.base.length, found.base), [wanted.base_conditional]),
            ).toBeLessThan(1e-11);
            expect(found).toMatchObject({ exact: true, space: "score" });
            compared++;
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(30);
  });

  const xgb = ["treeshap_xgb_german.json", "xgb_german_default.model.json"];
  test.skipIf(!xgb.every(hasFixture))(
    "the margin of a boosted model over weighed background rows",
    async () => {
      const given = fixture<
        Record<"x" | "background" | "phi_uniform" | "phi_weighted" | "weights", number[][]> & {
          tolerance_abs: number;
        }
      >(xgb[0]!);
      const { learner } = fixture<{ learner: { gradient_booster: { model: { trees: XgbTree[] } } } }>(
        xgb[1]!,
      );
      const trees = treesOf(
        learner.gradient_booster.model.trees.map((tree) => ({
          feature: tree.split_indices.map((c, node) => (tree.left_children[node]! < 0 ? -1 : c)),
          threshold: tree.split_conditions.map(Math.fround),
          left: tree.left_children,
          right: tree.right_children,
          value: tree.split_conditions.map(Math.fround),
        })),
        { base: 0, link: "logistic", inclusive: false, float32: true },
      );
      const model = treeModel({ name: "xgboost", outputs: ["0", "1"], cols: 9, forests: [trees] });
      const [x, r] = [fromRows(given.x), fromRows(given.background)];
      const even = await pshap(model, x, r, uniform(x.rows, r.rows), { space: "margin" });
      expect(farthest(even.values, given.phi_uniform)).toBeLessThan(given.tolerance_abs);
      const total = given.weights.flat().reduce((sum, w) => sum + w, 0);
      const coupling = fromDense(fromRows(given.weights.map((row) => row.map((w) => w / total))));
      const weighed = await pshap(model, x, r, coupling, { space: "margin" });
      expect(farthest(weighed.values, given.phi_weighted)).toBeLessThan(given.tolerance_abs);
      expect(weighed).toMatchObject({ exact: true, space: "margin" });
      expect(farthest(weighed.values, given.phi_uniform)).toBeGreaterThan(0.05);
    },
  );

  test.skipIf(!hasFixture("sklearn_trees_german.json"))(
    "a forest that averages probabilities is exact on the score",
    async () => {
      const given = fixture<{
        X: number[][];
        random_forest: { trees: (Omit<RawTree, "value"> & { value: number[][] })[]; proba: number[] };
      }>("sklearn_trees_german.json");
      const { trees: raw, proba } = given.random_forest;
      const trees = treesOf(
        raw.map((tree) => ({ ...tree, value: tree.value.map(([a, b]) => b! / (a! + b!) / raw.length) })),
        { base: 0, link: "identity", inclusive: true, float32: true },
      );
      const model = treeModel({ name: "forest", outputs: ["0", "1"], cols: 9, forests: [trees] });
      const rows = fromRows(given.X);
      const partners = Int32Array.from({ length: 100 }, (_, i) => (i + 37) % 100);
      const found = await pshap(model, rows, rows, exact(partners, 100));
      expect(found).toMatchObject({ exact: true, space: "score" });
      expect(found.residual).toBeLessThan(1e-12);
      expect(farthest(matrix(1, 100, found.base), [Array.from(partners, (j) => proba[j]!)])).toBeLessThan(
        1e-12,
      );
      const plain = await pshap((z) => model.predict(z), rows, rows, exact(partners, 100));
      expect(farthest(found.values, toRows(plain))).toBeLessThan(1e-12);
    },
  );
});

interface XgbTree {
  readonly split_indices: number[];
  readonly split_conditions: number[];
  readonly left_children: number[];
  readonly right_children: number[];
}

function toRows({ values }: Attribution): number[][] {
  return Array.from({ length: values.rows }, (_, i) => Array.from(rowOf(values, i)));
}
