import { describe, expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { isColaError } from "../../src/errors.ts";
import { marginError } from "../../src/model/rounding.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { leafOf, seen } from "../../src/model/trees/structure.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import { readXgboost, type XgboostOptions } from "../../src/read/xgboost.ts";
import type { Matrix, Model, Trees } from "../../src/types.ts";
import { fixture, fixtureText, hasFixture } from "../support/fixtures.ts";
import { FUZZ_RUNS, mutate, survives } from "../support/fuzz.ts";
import { xgboostMutants } from "../support/mutants/readers.ts";
import {
  encodeUbjson,
  gbtreeOf,
  type XgboostFile,
  xgboostDocument,
  xgboostJson,
  xgboostMargins,
  xgboostRows,
} from "../support/xgboost-files.ts";

interface Expected {
  readonly X: (number | null)[][];
  readonly margin: number[];
  readonly prediction: number[];
  readonly leaf_index: number[][];
}

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (isColaError(error)) return error.code;
    throw error;
  }
  return "nothing was thrown";
};
const f32 = Math.fround;
const LOGIT_03 = -f32(Math.log(f32(f32(1 / f32(0.3)) - 1)));

describe.each(["xgb_german_default", "xgb_german_missing"])(
  "%s (reference numbers of XGBoost 1.7.4)",
  (name) => {
    const here = hasFixture(`${name}.model.json`);
    const load = (): { model: Model; rows: Matrix; expected: Expected } => {
      const expected = fixture<Expected>(`${name}.expected.json`);
      return { model: readXgboost(fixtureText(`${name}.model.json`)), rows: fromRows(expected.X), expected };
    };

    test.skipIf(!here)("margins are equal bit by bit, probabilities to 1e-7", () => {
      const { model, rows, expected } = load();
      expect(Array.from(model.margin!(rows))).toEqual(expected.margin);
      const scores = model.predict(rows) as Float64Array;
      const most = Math.max(...scores.map((p, i) => Math.abs(p - expected.prediction[i]!)));
      expect(most).toBeLessThan(1e-7);
    });

    test.skipIf(!here)("every row ends in the leaf XGBoost says", () => {
      const { model, rows, expected } = load();
      const trees = model.structure!(1) as Trees;
      for (let i = 0; i < rows.rows; i++) {
        const cells = rowOf(rows, i).map((z) => seen(trees, z));
        const leaves = Array.from(trees.roots, (root) => leafOf(trees, root, cells) - root);
        expect(leaves).toEqual(expected.leaf_index[i]);
      }
    });
  },
);

/** The law of the reader: margins of generated files are those of the format's words, bit by bit. */
function formatLaw(read: (text: string) => Model): void {
  const random = stream(1, "xgboost law");
  const categorical = [1, 3];
  for (let run = 0; run < 30; run++) {
    const dart = run % 3 === 1;
    const groups = run % 4 === 2 ? 3 : 1;
    const objective = groups === 1 ? "binary:logistic" : "multi:softprob";
    const file = xgboostDocument(random, { categorical, dart, groups, objective });
    const rows = xgboostRows(random, 40, 4, categorical);
    const model = read(xgboostJson(file));
    for (let g = 0; g < groups; g++) {
      const wanted = xgboostMargins(file, rows, g, groups === 1 ? LOGIT_03 : 0.3);
      const found = model.margin!(rows, groups === 1 ? 1 : g);
      expect(Array.from(found)).toEqual(Array.from(wanted));
    }
  }
}

describe("the format", () => {
  test("generated files (gbtree, dart, multiclass, categories, missing values) give the margins of the format", () => {
    formatLaw(readXgboost);
  });

  test.each(Object.entries(xgboostMutants))("the law notices when %s", (_name, mutant) => {
    expect(() => formatLaw(mutant)).toThrow();
  });

  test("UBJSON gives the same model as JSON", () => {
    const random = stream(2, "ubjson");
    for (let run = 0; run < 10; run++) {
      const file = xgboostDocument(random, { categorical: [0], dart: run % 2 === 0 });
      const rows = xgboostRows(random, 30, 4, [0]);
      const [text, bytes] = [readXgboost(xgboostJson(file)), readXgboost(encodeUbjson(file))];
      expect(bytes.margin!(rows)).toEqual(text.margin!(rows));
      expect(bytes.inputs).toEqual(["f0", "f1", "f2", "f3"]);
    }
  });

  test.each([
    ["a number", 0.3],
    ["a text", "3E-1"],
    ["a list in a text", "[3E-1]"],
    ["a list", [0.3]],
  ])("base_score as %s", (_form, baseScore) => {
    const file = xgboostDocument(stream(3), { baseScore });
    const rows = xgboostRows(stream(4), 20, 4);
    expect(readXgboost(xgboostJson(file)).margin!(rows)).toEqual(xgboostMargins(file, rows, 0, LOGIT_03));
  });

  test("base_score per class, and base scores of 0 and 1 kept off the edge", () => {
    const file = xgboostDocument(stream(5), {
      groups: 3,
      objective: "multi:softmax",
      baseScore: "[1E-1,2E-1,7E-1]",
    });
    const rows = xgboostRows(stream(6), 20, 4);
    const model = readXgboost(xgboostJson(file));
    [0.1, 0.2, 0.7].forEach((base, g) => {
      expect(model.margin!(rows, g)).toEqual(xgboostMargins(file, rows, g, base));
    });
    // In float32, 1 / (1 − 1e-6) − 1 is 1.073e-6.
    for (const [base, margin] of [
      ["[0E0]", -13.8155],
      ["[1E0]", 13.7452],
    ] as const) {
      const edge = xgboostDocument(stream(7), { rounds: 1, baseScore: base });
      const trees = readXgboost(xgboostJson(edge)).structure!(1) as Trees;
      expect(trees.base).toBeCloseTo(margin, 3);
    }
  });

  test("default_left as booleans (before 1.6) and as numbers", () => {
    const file = xgboostDocument(stream(8));
    const old = structuredClone(file) as unknown as XgboostFile;
    for (const tree of gbtreeOf(old).trees)
      Object.assign(tree, { default_left: tree.default_left.map(Boolean) });
    const rows = xgboostRows(stream(9), 40, 4);
    expect(readXgboost(xgboostJson(old)).margin!(rows)).toEqual(readXgboost(xgboostJson(file)).margin!(rows));
  });

  test("files of 1.0 to 1.2, without split_type, attributes, feature_names and num_target, are read", () => {
    const file = xgboostDocument(stream(10));
    const old = structuredClone(file);
    for (const tree of gbtreeOf(old).trees) {
      for (const key of [
        "split_type",
        "categories",
        "categories_nodes",
        "categories_segments",
        "categories_sizes",
      ]) {
        delete (tree as unknown as Record<string, unknown>)[key];
      }
    }
    const { attributes: _a, feature_names: _f, feature_types: _t, ...learner } = old.learner;
    delete learner.learner_model_param["num_target"];
    const model = readXgboost(xgboostJson({ learner, version: [1, 0, 2] }));
    const rows = xgboostRows(stream(11), 20, 4);
    expect(model.margin!(rows)).toEqual(xgboostMargins(file, rows, 0, LOGIT_03));
    expect(model.inputs).toBeUndefined();
  });

  test("a threshold of infinity (seen in old files) sends every number left", () => {
    const file = xgboostDocument(stream(12), { rounds: 1 });
    const tree = gbtreeOf(file).trees[0]!;
    tree.split_conditions[0] = Number.POSITIVE_INFINITY;
    const text = xgboostJson(file).replace('"split_conditions":[null', '"split_conditions":[Infinity');
    const model = readXgboost(text);
    const rows = xgboostRows(stream(13), 20, 4);
    expect(model.margin!(rows)).toEqual(xgboostMargins(file, rows, 0, LOGIT_03));
    const again = loadModel(JSON.parse(JSON.stringify(model)));
    expect(again.margin!(rows)).toEqual(model.margin!(rows));
  });
});

describe("objectives", () => {
  const rows = xgboostRows(stream(20), 25, 4);
  const scoresFor = (
    objective: string,
    baseScore = "3E-1",
  ): { scores: number[]; margins: Float64Array; model: Model } => {
    const file = xgboostDocument(stream(21), { objective, baseScore });
    const model = readXgboost(xgboostJson(file));
    return { scores: Array.from(model.predict(rows) as Float64Array), margins: model.margin!(rows), model };
  };

  test.each([
    "reg:squarederror",
    "reg:absoluteerror",
    "rank:ndcg",
    "reg:pseudohubererror",
    "binary:logitraw",
  ])("%s: the score is the margin", (objective) => {
    const { scores, margins, model } = scoresFor(objective);
    expect(scores).toEqual(Array.from(margins));
    expect((model.structure!(0) as Trees).base).toBe(f32(0.3));
    expect(model.outputs).toEqual(["score"]);
  });

  test.each(["count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"])(
    "%s: the score is exp(margin), the base score a mean",
    (objective) => {
      const { scores, margins, model } = scoresFor(objective);
      expect(scores).toEqual(Array.from(margins, (m) => f32(Math.exp(m))));
      expect((model.structure!(0) as Trees).base).toBe(f32(Math.log(f32(0.3))));
    },
  );

  test("binary:logistic has two outputs, the first with the margin −m and the score 1 − p", () => {
    const { scores, margins, model } = scoresFor("binary:logistic");
    expect(model.outputs).toEqual(["0", "1"]);
    expect(Array.from(model.margin!(rows, 0))).toEqual(Array.from(margins, (m) => -m));
    expect(Array.from(model.predict(rows, 0) as Float64Array)).toEqual(scores.map((p) => f32(1 - p)));
    scores.forEach((p, i) => {
      expect(p).toBeCloseTo(1 / (1 + Math.exp(-margins[i]!)), 6);
    });
  });

  test("binary:hinge answers 0 or 1 and offers no structure, for no link of ours is a step", () => {
    const { scores, margins, model } = scoresFor("binary:hinge");
    expect(scores).toEqual(Array.from(margins, (m) => (m > 0 ? 1 : 0)));
    expect(model.structure!(1)).toBeUndefined();
  });

  test("multi:softprob scores are the softmax of the margins and sum to one", () => {
    const file = xgboostDocument(stream(22), { objective: "multi:softprob", groups: 3 });
    const model = readXgboost(xgboostJson(file));
    const all = [0, 1, 2].map((o) => model.predict(rows, o) as Float64Array);
    const margins = [0, 1, 2].map((o) => model.margin!(rows, o));
    for (let i = 0; i < rows.rows; i++) {
      const e = margins.map((m) => Math.exp(m[i]!));
      const sum = e.reduce((a, b) => a + b);
      all.forEach((scores, o) => {
        expect(scores[i]).toBeCloseTo(e[o]! / sum, 6);
      });
    }
  });

  test("several targets, one tree each, are outputs of their own", () => {
    const file = xgboostDocument(stream(23), { objective: "reg:squarederror", groups: 2 });
    const model = readXgboost(xgboostJson(file), { outputs: ["height", "weight"] });
    expect(model.outputs).toEqual(["height", "weight"]);
    expect(model.predict(rows, 1)).toEqual(xgboostMargins(file, rows, 1, 0.3));
  });

  test("gblinear: bias, base and products in float32, missing cells add nothing", () => {
    const file = xgboostDocument(stream(24), { baseScore: "5E-1" });
    file.learner.gradient_booster = { name: "gblinear", model: { weights: [0.5, -1.25, 2, 0, 0.75] } };
    const model = readXgboost(xgboostJson(file));
    const given = fromRows([
      [1, 2, 3, 4],
      [null, 1, 0.5, null],
    ]);
    expect(Array.from(model.margin!(given))).toEqual([0.75 + 0.5 - 2.5 + 6, 0.75 - 1.25 + 1]);
    expect(model.structure!(1)).toMatchObject({ kind: "linear", intercept: 0.75, link: "logistic" });
    expect(loadModel(JSON.parse(JSON.stringify(model))).margin!(given)).toEqual(model.margin!(given));
  });

  test("best_iteration: followed where the scikit-learn wrapper saved the file, else all rounds, or as asked", () => {
    const file = xgboostDocument(stream(25), { rounds: 6 });
    file.learner.attributes = { best_iteration: "2" };
    const trees = (options?: XgboostOptions): number =>
      (readXgboost(xgboostJson(file), options).structure!(1) as Trees).roots.length;
    expect(trees()).toBe(6);
    expect(trees({ iterations: "best" })).toBe(3);
    expect(trees({ iterations: 4 })).toBe(4);
    file.learner.attributes["scikit_learn"] = "{}";
    expect(trees()).toBe(3);
    expect(trees({ iterations: "all" })).toBe(6);
    expect(codeOf(() => trees({ iterations: 0 }))).toBe("OPTION_INVALID");
  });
});

describe("the model", () => {
  const categorical = [2];
  const file = xgboostDocument(stream(30), { categorical, rounds: 20, dart: true });
  const model = readXgboost(xgboostJson(file));
  const rows = xgboostRows(stream(31), 60, 4, categorical);

  test("keeps the contract of models, saving and loading included", async () => {
    const broken = (await checkModel(model, rows)).filter((law) => !law.ok);
    expect(broken).toEqual([]);
  });

  test("keeps the contract with three classes", async () => {
    const multi = xgboostDocument(stream(32), { objective: "multi:softprob", groups: 3, categorical });
    const broken = (await checkModel(readXgboost(xgboostJson(multi)), rows)).filter((law) => !law.ok);
    expect(broken).toEqual([]);
  });

  test("structure gives the margins within the rounding it states, which is above zero", () => {
    const trees = model.structure!(1) as Trees;
    const rounding = marginError(trees, new Float64Array(4));
    expect(rounding).toBeGreaterThan(0);
    const told = predictTrees(trees, rows);
    model.margin!(rows).forEach((m, i) => {
      expect(Math.abs(m - told[i]!)).toBeLessThanOrEqual(rounding);
    });
  });

  test("another number of columns is refused", () => {
    expect(codeOf(() => model.predict(xgboostRows(stream(33), 2, 5)))).toBe("INPUT_SHAPE");
    expect(codeOf(() => readXgboost(xgboostJson(file), { outputs: ["one"] }))).toBe("OPTION_INVALID");
  });
});

describe("files that lie", () => {
  const good = (): XgboostFile => xgboostDocument(stream(40), { rounds: 2, categorical: [1] });
  const changed = (change: (file: XgboostFile) => void): (() => unknown) => {
    const file = good();
    change(file);
    return () => readXgboost(xgboostJson(file));
  };
  const tree = (change: (t: ReturnType<typeof gbtreeOf>["trees"][number]) => void): (() => unknown) =>
    changed((file) => change(gbtreeOf(file).trees[0]!));

  test.each<[string, string, () => unknown]>([
    [
      "a cycle",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.left_children[0] = 0;
      }),
    ],
    [
      "a shared child",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.left_children[0] = t.right_children[0]!;
      }),
    ],
    [
      "a child that is not there",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.right_children[0] = 1e6;
      }),
    ],
    [
      "a negative child",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.right_children[0] = -7;
      }),
    ],
    [
      "a column that is not there",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_indices.fill(9);
      }),
    ],
    [
      "a negative column",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_indices[0] = -1;
      }),
    ],
    [
      "lists of different length",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_conditions.pop();
      }),
    ],
    [
      "text among numbers",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_conditions[0] = "x" as unknown as number;
      }),
    ],
    [
      "an infinite leaf",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_conditions[t.left_children.indexOf(-1)] = 1e300;
      }),
    ],
    [
      "a missing leaf",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_conditions[t.left_children.indexOf(-1)] = Number.NaN;
      }),
    ],
    [
      "no threshold",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_type.fill(0);
        t.split_conditions[0] = Number.NaN;
      }),
    ],
    [
      "categories without a list",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_type[0] = 1;
        t.categories_nodes = [];
        t.categories_segments = [];
        t.categories_sizes = [];
      }),
    ],
    [
      "categories beyond their list",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_type[0] = 1;
        t.categories_nodes = [0];
        t.categories_segments = [5];
        t.categories_sizes = [1e9];
      }),
    ],
    [
      "a category of 2^40",
      "MODEL_FILE_INVALID",
      tree((t) => {
        t.split_type[0] = 1;
        t.categories_nodes = [0];
        t.categories_segments = [0];
        t.categories_sizes = [1];
        t.categories = [2 ** 40];
      }),
    ],
    [
      "leaves of several values",
      "MODEL_FILE_UNSUPPORTED",
      tree((t) => {
        t.tree_param["size_leaf_vector"] = "3";
      }),
    ],
    [
      "an unknown objective",
      "MODEL_FILE_UNSUPPORTED",
      changed((f) => {
        f.learner.objective.name = "my:objective";
      }),
    ],
    [
      "an objective named like a property",
      "MODEL_FILE_UNSUPPORTED",
      changed((f) => {
        f.learner.objective.name = "constructor";
      }),
    ],
    [
      "an unknown booster",
      "MODEL_FILE_INVALID",
      changed((f) => {
        f.learner.gradient_booster["name"] = "other";
      }),
    ],
    [
      "a million classes",
      "MODEL_FILE_INVALID",
      changed((f) => {
        f.learner.learner_model_param["num_class"] = "1000000";
      }),
    ],
    [
      "a base score outside its range",
      "MODEL_FILE_INVALID",
      changed((f) => {
        f.learner.learner_model_param["base_score"] = "-2";
      }),
    ],
    [
      "a base score that is not a number",
      "MODEL_FILE_INVALID",
      changed((f) => {
        f.learner.learner_model_param["base_score"] = "[]";
      }),
    ],
    [
      "too few column names",
      "MODEL_FILE_INVALID",
      changed((f) => {
        f.learner.feature_names.pop();
      }),
    ],
    ["a dump of trees", "MODEL_FILE_UNSUPPORTED", () => readXgboost('[{"nodeid":0,"leaf":1}]')],
    ["no text and no bytes", "OPTION_INVALID", () => readXgboost({} as string)],
    ["no learner", "MODEL_FILE_INVALID", () => readXgboost("{}")],
    ["nothing", "MODEL_FILE_INVALID", () => readXgboost("")],
    ["no bytes", "MODEL_FILE_INVALID", () => readXgboost(new Uint8Array(0))],
    ["half a file", "MODEL_FILE_INVALID", () => readXgboost(xgboostJson(good()).slice(0, 900))],
    ["half a UBJSON file", "MODEL_FILE_INVALID", () => readXgboost(encodeUbjson(good()).slice(0, 900))],
    [
      "the old binary format",
      "MODEL_FILE_UNSUPPORTED",
      () => readXgboost(new TextEncoder().encode("binf\0\0\0\0")),
    ],
    ["a pickle", "MODEL_FILE_UNSUPPORTED", () => readXgboost(Uint8Array.of(0x80, 4, 0x95, 1))],
  ])("%s → %s", (_what, code, run) => {
    expect(codeOf(run)).toBe(code);
  });

  test("one million brackets are refused by a linear scan", () => {
    expect(() => readXgboost(`{"learner":${"[".repeat(1e6)}`)).toThrow(/nest deeper than 100/);
    expect(() => readXgboost(new Uint8Array(1e6).fill(0x5b).map((b, i) => (i === 0 ? 0x7b : b)))).toThrow(
      /JSON|nest/,
    );
    const deep = new Uint8Array(1e6).fill(0x5b);
    deep.set([0x7b, 0x55, 1, 0x61]);
    expect(() => readXgboost(deep)).toThrow(/nest deeper/);
  });

  test("millions of empty lists are refused before they are made", () => {
    expect(() => readXgboost(`{"learner":[${"[],".repeat(4.2e6)}[]]}`)).toThrow(/more than 4194304 lists/);
    const bytes = new Uint8Array(4.3e6).fill(0x5a);
    bytes.set([0x7b, 0x55, 1, 0x61, 0x5b]);
    expect(() => readXgboost(bytes)).toThrow(/more than 4194304 lists/);
  });

  test("UBJSON sizes that lie are refused before memory is asked for", () => {
    const huge = [
      0x7b, 0x55, 1, 0x61, 0x5b, 0x24, 0x64, 0x23, 0x4c, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ];
    expect(() => readXgboost(Uint8Array.from(huge))).toThrow(/declares a size/);
    const negative = [0x7b, 0x4c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    expect(() => readXgboost(Uint8Array.from(negative))).toThrow(/declares a size of -1/);
    // A list of a billion "true" would need no bytes at all.
    const free = [0x7b, 0x55, 1, 0x61, 0x5b, 0x24, 0x54, 0x23, 0x6c, 0x3b, 0x9a, 0xca, 0];
    expect(() => readXgboost(Uint8Array.from(free))).toThrow(/UBJSON/);
  });

  test("many huge categories cannot exhaust the memory", () => {
    const file = good();
    const [first] = gbtreeOf(file).trees;
    const stump = {
      ...first!,
      left_children: [1, -1, -1],
      right_children: [2, -1, -1],
      split_indices: [1, 0, 0],
    };
    Object.assign(stump, { split_conditions: [0, 1, 2], default_left: [0, 0, 0], split_type: [1, 0, 0] });
    Object.assign(stump, {
      categories: [2 ** 24 - 1],
      categories_nodes: [0],
      categories_segments: [0],
      categories_sizes: [1],
    });
    gbtreeOf(file).trees.length = 0;
    gbtreeOf(file).tree_info.length = 0;
    for (let t = 0; t < 100; t++) {
      gbtreeOf(file).trees.push(stump);
      gbtreeOf(file).tree_info.push(0);
    }
    expect(() => readXgboost(xgboostJson(file))).toThrow(/bit sets of categories/);
  });

  test("keys such as __proto__ and constructor are data like any other", () => {
    const text = xgboostJson(good()).replace("{", '{"__proto__":{"polluted":1},"constructor":{"x":1},');
    const model = readXgboost(text);
    expect(model.outputs).toEqual(["0", "1"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(codeOf(() => readXgboost('{"__proto__":{"learner":{}}}'))).toBe("MODEL_FILE_INVALID");
  });

  test(`${FUZZ_RUNS} mutated files of each form give a ColaError or a working model`, async () => {
    const random = stream(41, "fuzz");
    const rows = xgboostRows(stream(42), 5, 4, [1]);
    const text = new TextEncoder().encode(xgboostJson(good()));
    let models = 0;
    for (const bytes of [text, encodeUbjson(good())]) {
      for (let run = 0; run < FUZZ_RUNS; run++) {
        const model = await survives(() => readXgboost(mutate(random, bytes)));
        if (!model) continue;
        models++;
        const scores = await survives(() => model.predict(rows));
        expect(scores?.length ?? 5).toBe(5);
        await survives(() => loadModel(JSON.parse(JSON.stringify(model))));
      }
    }
    expect(models).toBeGreaterThan(0);
  });
});

test("columns of type c are codes of categories", () => {
  const file = xgboostDocument(stream(50), { categorical: [1] });
  expect(readXgboost(JSON.stringify(file)).categorical).toBeUndefined();
  file.learner.feature_types = ["q", "c", "int", "float"];
  const typed = readXgboost(JSON.stringify(file));
  expect(typed.categorical).toEqual([false, true, false, false]);
  expect(loadModel(JSON.parse(JSON.stringify(typed))).categorical).toEqual(typed.categorical);
});
