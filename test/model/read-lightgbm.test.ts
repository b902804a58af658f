import { describe, expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { isColaError } from "../../src/errors.ts";
import { leafOf } from "../../src/model/trees/structure.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { readLightgbm } from "../../src/read/lightgbm.ts";
import { loadModel } from "../../src/read/load.ts";
import type { Model, Trees } from "../../src/types.ts";
import { fixture, fixtureText, hasFixture } from "../support/fixtures.ts";
import { FUZZ_RUNS, mutate, survives } from "../support/fuzz.ts";
import {
  type LightgbmSpec,
  lightgbmFile,
  lightgbmRaw,
  lightgbmRows,
  lightgbmText,
} from "../support/lightgbm-files.ts";
import { lightgbmMutants } from "../support/mutants/readers.ts";

interface Expected {
  readonly X: (number | null)[][];
  readonly raw_score: number[];
  readonly prediction: number[];
  readonly leaf_index: number[][];
}

const NAME = "lgbm_german_default";

describe("reference numbers of LightGBM 4.6.0", () => {
  const here = hasFixture(`${NAME}.model.txt`);

  test.skipIf(!here)("raw scores are equal bit by bit, probabilities to 1e-15", () => {
    const expected = fixture<Expected>(`${NAME}.expected.json`);
    const model = readLightgbm(fixtureText(`${NAME}.model.txt`));
    const rows = fromRows(expected.X);
    expect(Array.from(model.margin!(rows))).toEqual(expected.raw_score);
    const scores = model.predict(rows) as Float64Array;
    expect(Math.max(...scores.map((p, i) => Math.abs(p - expected.prediction[i]!)))).toBeLessThan(1e-15);
    expect(model.inputs?.[8]).toBe("Column_8");
  });

  test.skipIf(!here)("every row ends in the leaf LightGBM says", () => {
    const expected = fixture<Expected>(`${NAME}.expected.json`);
    const rows = fromRows(expected.X);
    const trees = readLightgbm(fixtureText(`${NAME}.model.txt`)).structure!(1) as Trees;
    for (let i = 0; i < rows.rows; i++) {
      const leaves = Array.from(trees.roots, (root, t) => {
        const nodes = (trees.roots[t + 1] ?? trees.feature.length) - root;
        return leafOf(trees, root, rowOf(rows, i)) - root - (nodes - 1) / 2;
      });
      expect(leaves).toEqual(expected.leaf_index[i]);
    }
  });
});

/** The law of the reader: raw scores of generated files are those of the format's words, bit by bit. */
function formatLaw(read: (text: string) => Model): void {
  const random = stream(1, "lightgbm law");
  const categorical = [1, 3];
  for (let run = 0; run < 30; run++) {
    const groups = run % 3 === 2 ? 3 : 1;
    const objective = groups === 1 ? "binary sigmoid:1" : "multiclass num_class:3";
    const file = lightgbmFile(random, { categorical, groups, objective });
    const rows = lightgbmRows(random, 60, 4, categorical);
    const model = read(lightgbmText(file));
    for (let g = 0; g < groups; g++) {
      expect(model.margin!(rows, groups === 1 ? 1 : g)).toEqual(lightgbmRaw(file, rows, g));
    }
  }
}

describe("the format", () => {
  test("generated files (missing types, zero as missing, categories, stumps) give the raw scores of the format", () => {
    formatLaw(readLightgbm);
  });

  test.each(Object.entries(lightgbmMutants))("the law notices when %s", (_name, mutant) => {
    expect(() => formatLaw(mutant)).toThrow();
  });

  test("NaN where the file knows no missing values is read as 0", () => {
    const file = lightgbmFile(stream(2), { rounds: 1, cols: 1 });
    file.trees[0] = {
      split_feature: [0],
      threshold: [-0.5],
      decision_type: [2],
      left_child: [-1],
      right_child: [-2],
      leaf_value: [10, 20],
      cat_boundaries: [0],
      cat_threshold: [],
    };
    const model = readLightgbm(lightgbmText(file));
    expect(Array.from(model.margin!(fromRows([[null], [0], [-0.5]])))).toEqual([20, 20, 10]);
  });

  test("Windows line ends and a byte string are read alike", () => {
    const file = lightgbmFile(stream(3), { categorical: [0] });
    const rows = lightgbmRows(stream(4), 30, 4, [0]);
    const text = lightgbmText(file);
    const model = readLightgbm(new TextEncoder().encode(text.replaceAll("\n", "\r\n")));
    expect(model.margin!(rows)).toEqual(readLightgbm(text).margin!(rows));
    expect(model.inputs).toEqual(["f0", "f1", "f2", "f3"]);
  });
});

describe("objectives", () => {
  const rows = lightgbmRows(stream(10), 30, 4);
  const scored = (
    objective: string,
    more: LightgbmSpec = {},
  ): { model: Model; raw: Float64Array; scores: Float64Array } => {
    const file = lightgbmFile(stream(11), { objective, ...more });
    const model = readLightgbm(lightgbmText(file));
    return { model, raw: lightgbmRaw(file, rows, 0), scores: model.predict(rows) as Float64Array };
  };
  const sigma = (t: number): number => 1 / (1 + Math.exp(-t));

  test.each<[string, (raw: number) => number, boolean]>([
    ["binary sigmoid:1", sigma, true],
    ["binary sigmoid:2.5", (raw) => sigma(2.5 * raw), false],
    ["cross_entropy", sigma, true],
    ["cross_entropy_lambda", (raw) => Math.log1p(Math.exp(raw)), false],
    ["regression", (raw) => raw, true],
    ["regression sqrt", (raw) => Math.sign(raw) * raw * raw, false],
    ["quantile alpha:0.9", (raw) => raw, true],
    ["huber", (raw) => raw, true],
    ["lambdarank", (raw) => raw, true],
    ["poisson", Math.exp, true],
    ["tweedie", Math.exp, true],
    ["", (raw) => raw, true],
  ])("%s", (objective, link, structured) => {
    const { model, raw, scores } = scored(objective);
    expect(model.margin!(rows)).toEqual(raw);
    scores.forEach((score, i) => {
      expect(score).toBeCloseTo(link(raw[i]!), 12);
    });
    expect(model.outputs).toEqual(objective.startsWith("binary") ? ["0", "1"] : ["score"]);
    expect(model.structure!(model.outputs.length - 1) !== undefined).toBe(structured);
  });

  test("multiclass is the softmax of the raw scores, multiclassova one logistic each", () => {
    const make = (objective: string): Model =>
      readLightgbm(lightgbmText(lightgbmFile(stream(12), { objective, groups: 3 })));
    const [soft, ova] = [make("multiclass num_class:3"), make("multiclassova num_class:3 sigmoid:1")];
    for (let i = 0; i < rows.rows; i++) {
      const e = [0, 1, 2].map((o) => Math.exp(soft.margin!(rows, o)[i]!));
      for (const o of [0, 1, 2]) {
        expect((soft.predict(rows, o) as Float64Array)[i]).toBeCloseTo(e[o]! / (e[0]! + e[1]! + e[2]!), 12);
        expect((ova.predict(rows, o) as Float64Array)[i]).toBeCloseTo(sigma(ova.margin!(rows, o)[i]!), 12);
      }
    }
  });

  test("a random forest averages its trees", () => {
    const { model, raw } = scored("binary sigmoid:1", { average: true, rounds: 4 });
    expect(model.margin!(rows)).toEqual(raw);
    expect(Math.abs(raw[0]!)).toBeLessThan(1);
  });

  test("an unknown objective is refused with the list of known ones", () => {
    expect(() => scored("mine")).toThrow(/objective "mine".*poisson/);
  });
});

describe("the model", () => {
  test.each<[string, LightgbmSpec]>([
    ["binary", { categorical: [2] }],
    ["three classes", { categorical: [2], groups: 3, objective: "multiclass num_class:3" }],
    ["a random forest", { average: true }],
  ])("%s keeps the contract of models, saving and loading included", async (_name, spec) => {
    const model = readLightgbm(lightgbmText(lightgbmFile(stream(20), spec)));
    const rows = lightgbmRows(stream(21), 50, 4, spec.categorical);
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
  });
});

describe("files that lie", () => {
  const text = lightgbmText(lightgbmFile(stream(30), { categorical: [1], rounds: 3 }));
  const line = (key: string, value: string): string =>
    text.replace(new RegExp(`^${key}=.*$`, "m"), `${key}=${value}`);
  const codeOf = (file: string | Uint8Array): string => {
    try {
      readLightgbm(file);
    } catch (error) {
      if (isColaError(error)) return error.code;
      throw error;
    }
    return "nothing was thrown";
  };

  test.each<[string, string, string | Uint8Array]>([
    ["half of it", "MODEL_FILE_INVALID", text.slice(0, text.length / 2)],
    ["the end of the trees missing", "MODEL_FILE_INVALID", text.slice(0, text.indexOf("end of trees"))],
    ["a last leaf cut short", "MODEL_FILE_INVALID", text.slice(0, text.lastIndexOf("leaf_value=") + 30)],
    ["more leaves than there are", "MODEL_FILE_INVALID", line("num_leaves", "2000000000")],
    ["a negative number of leaves", "MODEL_FILE_INVALID", line("num_leaves", "-3")],
    ["no columns", "MODEL_FILE_INVALID", line("max_feature_idx", "-1")],
    ["too few names", "MODEL_FILE_INVALID", line("feature_names", "a b")],
    ["a million outputs", "MODEL_FILE_INVALID", line("num_tree_per_iteration", "1000000")],
    [
      "trees that are not a multiple of the outputs",
      "MODEL_FILE_INVALID",
      line("num_tree_per_iteration", "2"),
    ],
    ["NaN leaves", "MODEL_FILE_INVALID", text.replace(/^(leaf_value=)\S+/m, "$1nan")],
    ["infinite leaves", "MODEL_FILE_INVALID", text.replace(/^(leaf_value=)\S+/m, "$1inf")],
    ["a bad sigmoid", "MODEL_FILE_INVALID", line("objective", "binary sigmoid:0")],
    ["linear trees", "MODEL_FILE_UNSUPPORTED", line("is_linear", "1")],
    ["a JSON dump", "MODEL_FILE_UNSUPPORTED", '{"name":"tree","tree_info":[]}'],
    ["something else", "MODEL_FILE_INVALID", "hello"],
    ["nothing", "MODEL_FILE_INVALID", ""],
    ["a joblib file", "MODEL_FILE_UNSUPPORTED", Uint8Array.of(0x78, 0x9c, 1, 2)],
  ])("%s → %s", (_what, code, file) => {
    expect(codeOf(file)).toBe(code);
  });

  test("children that form a cycle or point nowhere are named", () => {
    const file = lightgbmFile(stream(31), { rounds: 1, cols: 2 });
    file.trees[0] = {
      split_feature: [0, 1],
      threshold: [0, 1],
      decision_type: [2, 2],
      left_child: [1, 0],
      right_child: [-1, -2],
      leaf_value: [1, 2, 3],
      cat_boundaries: [0],
      cat_threshold: [],
    };
    expect(() => readLightgbm(lightgbmText(file))).toThrow(/Tree=0 meets node 0 twice/);
    file.trees[0].left_child = [1, -9];
    expect(() => readLightgbm(lightgbmText(file))).toThrow(/left_child of Tree=0/);
    Object.assign(file.trees[0], { left_child: [1, -3], decision_type: [1, 2], threshold: [5, 1] });
    Object.assign(file.trees[0], { cat_boundaries: [0, 1], cat_threshold: [3] });
    expect(() => readLightgbm(lightgbmText(file))).toThrow(/category set 5/);
  });

  test(`${FUZZ_RUNS} mutated files give a ColaError or a working model`, async () => {
    const random = stream(32, "fuzz");
    const rows = lightgbmRows(stream(33), 5, 4, [1]);
    const bytes = new TextEncoder().encode(text);
    let models = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const model = await survives(() => readLightgbm(mutate(random, bytes)));
      if (!model) continue;
      models++;
      const scores = await survives(() => model.predict(rows));
      expect(scores?.length ?? 5).toBe(5);
      await survives(() => loadModel(JSON.parse(JSON.stringify(model))));
    }
    expect(models).toBeGreaterThan(0);
  });
});

test("columns whose values the file lists are codes of categories", () => {
  const text = lightgbmText(lightgbmFile(stream(50), { categorical: [1] }));
  expect(readLightgbm(text).categorical).toBeUndefined();
  const listed = readLightgbm(text.replace(/^feature_infos=.*$/m, "feature_infos=[0:1] 2:0:-1 none [-2:2]"));
  expect(listed.categorical).toEqual([false, true, false, false]);
  expect(loadModel(JSON.parse(JSON.stringify(listed))).categorical).toEqual(listed.categorical);
});
