import { describe, expect, test } from "vitest";
import { linearModel } from "../../src/model/linear.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { readXgboost } from "../../src/read/xgboost.ts";
import { refine } from "../../src/refine/index.ts";
import type { Link, Matrix, Model, Target } from "../../src/types.ts";
import { xgboostDocument, xgboostJson, xgboostRows } from "../support/xgboost-files.ts";

/** One row, its proposal, and a model whose own answers are the truth. */
interface Case {
  readonly model: Model;
  readonly x: Matrix;
  readonly q: Matrix;
}

/** Every mixture of x and q, bit k of its place: column k is q's. */
function mixturesOf({ x, q }: Case): Matrix {
  const d = x.cols;
  return matrix(
    2 ** d,
    d,
    Float64Array.from({ length: d * 2 ** d }, (_, at) => {
      const [mask, k] = [Math.floor(at / d), at % d];
      return ((mask >> k) & 1 ? q : x).data[k]!;
    }),
  );
}

/**
 * The target is what the model itself answers for one mixture, so that the edge lies exactly on a row: fewest
 * edits by asking the model about every mixture, against what `refine` says. Returns the answers that differ.
 */
async function edgesOnRows(cases: number, draw: (random: Random) => Case): Promise<string[]> {
  const wrong: string[] = [];
  for (let seed = 0; seed < cases; seed++) {
    const random = stream(seed, "edges on rows");
    const given = draw(random);
    const { model, x, q } = given;
    const mixtures = mixturesOf(given);
    const scores = await model.predict(mixtures);
    const edge = scores[random.int(scores.length)]!;
    if (!Number.isFinite(edge)) continue;
    const up = scores[0]! < edge;
    const target: Target = up ? { min: edge } : { max: edge };
    const holds = (score: number): boolean => (up ? score >= edge : score <= edge);
    if (holds(scores[0]!)) continue;
    const edits = (mask: number): number =>
      Array.from({ length: x.cols }, (_, k) => k).filter(
        (k) => (mask >> k) & 1 && !Object.is(x.data[k], q.data[k]),
      ).length;
    const fewest = scores.reduce((least, s, mask) => (holds(s) ? Math.min(least, edits(mask)) : least), 99);
    const { rows } = await refine({ model, x, q, goal: { kind: "each", target } });
    const { status, proof } = rows[0]!;
    if (status !== "ok" || rows[0]!.edits.length !== fewest || proof?.claim !== "optimal") {
      wrong.push(`seed ${seed}: ${status}, ${rows[0]!.edits.length} edits for ${fewest}, ${proof?.claim}`);
    }
  }
  return wrong;
}

/** gblinear of an objective, on columns of a size. */
function gblinear(random: Random, cols: number, objective: string, size: number): Case {
  const weights = Array.from({ length: cols + 1 }, () => Math.fround(random.normal()));
  const learner = {
    attributes: {},
    feature_names: [],
    feature_types: [],
    gradient_booster: { name: "gblinear", model: { weights: weights.map((w) => w / size) } },
    learner_model_param: { base_score: "5E-1", num_class: "0", num_feature: String(cols), num_target: "1" },
    objective: { name: objective },
  };
  const row = (): number[] => Array.from({ length: cols }, () => size * random.normal());
  return {
    model: readXgboost(JSON.stringify({ learner, version: [1, 7, 4] })),
    x: fromRows([row()]),
    q: fromRows([row()]),
  };
}

function doubleLinear(random: Random, cols: number, link: "identity" | "logistic", size: number): Case {
  const weights = matrix(
    1,
    cols,
    Float64Array.from({ length: cols }, () => random.normal()),
  );
  const intercepts = Float64Array.of(random.normal() * size);
  const row = (): number[] => Array.from({ length: cols }, () => size * random.normal());
  return {
    model: linearModel("linear", ["0", "1"], { weights, intercepts }, link),
    x: fromRows([row()]),
    q: fromRows([row()]),
  };
}

describe("an edge that lies on a row is reached there, whatever the arithmetic", () => {
  test("forests in float32 with the exp link", async () => {
    const wrong = await edgesOnRows(200, (random) => {
      const file = xgboostDocument(random, {
        objective: "count:poisson",
        cols: 6,
        rounds: 40,
        baseScore: "900",
      });
      const rows = xgboostRows(random, 2, 6, []);
      const part = (i: number): Matrix => matrix(1, 6, rows.data.slice(6 * i, 6 * i + 6));
      return { model: readXgboost(xgboostJson(file)), x: part(0), q: part(1) };
    });
    expect(wrong).toEqual([]);
  });

  test.each(["count:poisson", "reg:squarederror", "binary:logistic"])(
    "float32 sums of large columns (%s)",
    async (objective) => {
      const wrong = [1, 1e3, 1e6].map((size) =>
        edgesOnRows(100, (random) => ({ ...gblinear(random, 6, objective, size) })),
      );
      expect((await Promise.all(wrong)).flat()).toEqual([]);
    },
  );

  test("large columns that nearly cancel", async () => {
    const wrong = await edgesOnRows(250, (random) => {
      const { model } = gblinear(random, 6, "reg:squarederror", 1);
      const base = Array.from({ length: 6 }, () => 1e6 * random.next());
      const near = base.map((v) => v + random.normal());
      return { model, x: fromRows([base]), q: fromRows([near]) };
    });
    expect(wrong).toEqual([]);
  });

  test.each([1e-12, 1, 1e9, 1e15])("identity links of double sums with scores of %s", async (size) => {
    expect(await edgesOnRows(100, (random) => doubleLinear(random, 6, "identity", size))).toEqual([]);
  });

  test("logistic links", async () => {
    for (const size of [1e-6, 1, 10]) {
      expect(await edgesOnRows(60, (random) => doubleLinear(random, 6, "logistic", size))).toEqual([]);
    }
  });

  test("gaps that a model skips", async () => {
    const wrong = await edgesOnRows(100, (random) => {
      const { model, x, q } = gblinear(random, 5, "reg:squarederror", 1);
      const holes = (rows: Matrix): Matrix =>
        matrix(
          1,
          5,
          rows.data.map((v) => (random.next() < 0.3 ? Number.NaN : v)),
        );
      return { model, x: holes(x), q: holes(q) };
    });
    expect(wrong).toEqual([]);
  });
});

/** A model of one margin with its structure told. */
function linearOf(weights: readonly number[], intercept: number, link: Link): Model {
  const own = Float64Array.from(weights);
  const apply = (m: number): number => (link === "logistic" ? 1 / (1 + Math.exp(-m)) : m);
  return {
    outputs: ["score"],
    predict: ({ data, rows, cols }) =>
      Float64Array.from({ length: rows }, (_, i) => {
        let sum = intercept;
        for (let k = 0; k < cols; k++) sum += own[k]! * data[i * cols + k]!;
        return apply(sum);
      }),
    structure: () => ({ kind: "linear", intercept, weights: own, link, kernels: linearKernels }),
  };
}

const OPEN = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

describe("what no legal values reach, no legal values reach", () => {
  test("a slope that one step cannot show", async () => {
    const model = linearOf([1e-18, 1], -2.7, "identity");
    const x = fromRows([[1.7e18, 0]]);
    const q = fromRows([[1.8e18, 0.1]]);
    const told = { model, x, q, goal: { kind: "each", target: { min: 5 } } } as const;
    const domain = (column: number) => (column === 0 ? OPEN : { min: 0, max: 1 });
    const { rows } = await refine({ ...told, domain });
    // x0 = 7.7e18 would do.
    expect(rows[0]!.proof).toEqual({ claim: "none exists", scope: "references" });
    const closed = await refine({ ...told, domain: () => ({ min: 0, max: 2e18 }) });
    expect(closed.rows[0]!.proof).toMatchObject({ scope: "references" });
    const narrow = (column: number) => (column === 0 ? { min: 0, max: 2e18 } : { min: 0, max: 1 });
    const none = await refine({ ...told, domain: narrow });
    expect(none.rows[0]!.proof).toEqual({ claim: "none exists", scope: "model" });
  });

  test.each([
    [{ min: 1 }, 60],
    [{ max: 0 }, -800],
  ] as const)("a saturated logistic: %j", async (target, far) => {
    const model = linearOf([1], 0, "logistic");
    const asked = { model, x: fromRows([[0]]), q: fromRows([[Math.sign(far)]]) };
    const goal = { kind: "each", target } as const;
    expect((model.predict(fromRows([[far]])) as Float64Array)[0]).toBe("min" in target ? 1 : 0);
    const { rows } = await refine({ ...asked, goal, domain: () => ({ min: -1000, max: 1000 }) });
    expect(rows[0]!.proof).toEqual({ claim: "none exists", scope: "references" });
    const near = await refine({ ...asked, goal, domain: () => ({ min: -5, max: 5 }) });
    expect(near.rows[0]!.proof).toEqual({ claim: "none exists", scope: "model" });
  });

  test("edges on rows of finite domains, by asking the model about all of them", async () => {
    const wrong: string[] = [];
    for (let seed = 0; seed < 150; seed++) {
      const random = stream(seed, "finite domains");
      const size = 10 ** (random.int(16) - 4);
      const given = random.next() < 0.5 ? gblinear(random, 3, "reg:squarederror", 1) : undefined;
      const cols = 3;
      const base = Array.from({ length: cols }, () => size * random.next());
      const model = given?.model ?? doubleLinear(random, cols, "identity", size).model;
      const values = base.map((v) => [v, v + random.normal(), v * random.next()]);
      const all = Array.from({ length: 27 }, (_, t) =>
        values.map((list, k) => list[Math.floor(t / 3 ** k) % 3]!),
      );
      const scores = await model.predict(fromRows(all));
      const edge = scores.toSorted().at(-1 - random.int(4))!;
      if (scores[0]! >= edge) continue;
      const fewest = Math.min(
        ...all.flatMap((row, t) => (scores[t]! >= edge ? [row.filter((v, k) => v !== base[k]).length] : [])),
      );
      const [x, q] = [fromRows([base]), fromRows([all[1 + random.int(26)]!])];
      const domain = (column: number) => ({ values: values[column]!, ...OPEN });
      const { rows } = await refine({ model, x, q, goal: { kind: "each", target: { min: edge } }, domain });
      const { proof } = rows[0]!;
      const least = proof?.claim === "none exists" ? 99 : proof!.edits!;
      if (proof?.scope === "model" && least > fewest) wrong.push(`seed ${seed}: ${JSON.stringify(proof)}`);
    }
    expect(wrong).toEqual([]);
  });
});
