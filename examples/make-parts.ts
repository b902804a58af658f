/**
 * Writes the parts the README's commands take: a table, an XGBoost file, an ONNX file with its encoding, a DiCE
 * file. All are made from the embedded loan applications, so the same bytes come out on every machine.
 *
 *     npx tsx examples/make-parts.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeTable } from "../formats/index.ts";
import { bindInputs, type InputSpec } from "../src/data/binding.ts";
import { compileConstraints } from "../src/data/constraints.ts";
import { inferSchema } from "../src/data/infer.ts";
import { loans } from "../src/data/loans.ts";
import { levelsOf, matrixToTable, tableToMatrix } from "../src/data/schema.ts";
import { type DiceCell, type DiceExample, writeDiceJson } from "../src/generate/given/dice.ts";
import { knn } from "../src/generate/knn.ts";
import { NODE } from "../src/model/trees/structure.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { readXgboost } from "../src/read/xgboost.ts";
import { fitLogistic } from "../src/train/logistic.ts";
import { fitXgboost } from "../src/train/xgboost.ts";
import type { Feature, Matrix, Model, Schema, Table, Trees } from "../src/types.ts";
import { onnxFile } from "../test/support/onnx-files.ts";

const SHOWN_ROWS = 60;
const CLASSES = ["refused", "granted"];
/** People in the DiCE file, and counterfactuals of each. */
const [PEOPLE, EACH] = [6, 2];

/** What the bank would not do, in the words of --constraints. */
const CONSTRAINTS = {
  features: { employment: { immutable: true }, amount: { min: 10 }, duration: { allowed: [12, 24, 36, 48] } },
  rules: ["debt + amount <= 2 * income"],
};

/** Every part by its name. */
export async function parts(): Promise<Record<string, string | Uint8Array>> {
  const { table, labels } = loans();
  const { schema } = inferSchema(table);
  const rows = tableToMatrix(schema, table);
  const shown = headOf(table, SHOWN_ROWS);
  const boosted = xgboostFile(schema, rows, labels);
  return {
    "loans.csv": writeTable(withIds(shown), "csv"),
    "xgboost.json": boosted,
    ...onnxParts(schema, rows, labels),
    "constraints.json": `${JSON.stringify(CONSTRAINTS, null, 2)}\n`,
    "dice.json": await diceFile(schema, takeRows(rows, indices(SHOWN_ROWS)), boosted),
  };
}

const indices = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function headOf(table: Table, rows: number): Table {
  return { ...table, rows, columns: table.columns.map((column) => column.slice(0, rows)) };
}

function withIds(table: Table): Table {
  const ids = indices(table.rows).map((i) => `A${101 + i}`);
  return { ...table, names: ["id", ...table.names], columns: [ids, ...table.columns] };
}

/** Numbers as they are, one indicator per level. */
function indicators({ features }: Schema): (InputSpec & { readonly name: string })[] {
  const one = (f: Feature): (InputSpec & { name: string })[] =>
    f.categories
      ? levelsOf(f).map((level) => ({ name: `${f.name}_${level}`, feature: f.name, level }))
      : [{ name: f.name, feature: f.name }];
  return features.flatMap(one);
}

function encoded(schema: Schema, rows: Matrix, inputs: readonly InputSpec[]): Matrix {
  const nothing: Model = { outputs: ["score"], predict: (r) => new Float64Array(r.rows) };
  return bindInputs(nothing, schema, { inputs }).encoding!.encode(rows);
}

/** A boosted model in the layout of XGBoost's save_model("model.json"). */
function xgboostFile(schema: Schema, rows: Matrix, labels: Int32Array): string {
  const inputs = indicators(schema);
  const x = encoded(schema, rows, inputs);
  const forest = fitXgboost(x, labels, { trees: 20, maxDepth: 3, method: "exact" }).structure(1);
  const trees = indices(forest.roots.length).map((t) => xgboostTree(forest, forest.roots[t]!, t, x.cols));
  const count = String(trees.length);
  return `${JSON.stringify({
    learner: {
      attributes: {},
      feature_names: inputs.map(({ name }) => name),
      feature_types: inputs.map(() => "float"),
      gradient_booster: {
        model: {
          gbtree_model_param: { num_parallel_tree: "1", num_trees: count },
          tree_info: trees.map(() => 0),
          trees,
        },
        name: "gbtree",
      },
      learner_model_param: {
        base_score: "5E-1",
        num_class: "0",
        num_feature: String(x.cols),
        num_target: "1",
      },
      objective: { name: "binary:logistic", reg_loss_param: { scale_pos_weight: "1" } },
    },
    version: [2, 1, 0],
  })}\n`;
}

/** One tree, its nodes numbered from its root; a leaf keeps its value where inner nodes keep the threshold. */
function xgboostTree(forest: Trees, root: number, id: number, cols: number): object {
  const nodes = [root];
  for (let at = 0; at < nodes.length; at++) {
    const v = nodes[at]!;
    if (forest.feature[v]! >= 0) nodes.push(forest.left[v]!, forest.right[v]!);
  }
  const place = new Map(nodes.map((v, at) => [v, at]));
  const leaf = (v: number): boolean => forest.feature[v]! < 0;
  const child = (side: Int32Array) => (v: number) => (leaf(v) ? -1 : place.get(side[v]!)!);
  return {
    categories: [],
    categories_nodes: [],
    categories_segments: [],
    categories_sizes: [],
    default_left: nodes.map((v) => ((forest.flags[v]! & NODE.missingLeft) === 0 ? 0 : 1)),
    id,
    left_children: nodes.map(child(forest.left)),
    right_children: nodes.map(child(forest.right)),
    split_conditions: nodes.map((v) => Math.fround(leaf(v) ? forest.value[v]! : forest.threshold[v]!)),
    split_indices: nodes.map((v) => Math.max(0, forest.feature[v]!)),
    split_type: nodes.map(() => 0),
    tree_param: {
      num_deleted: "0",
      num_feature: String(cols),
      num_nodes: String(nodes.length),
      size_leaf_vector: "1",
    },
  };
}

/** A logistic regression as scikit-learn's converter lays it out, and the encoding its inputs need. */
function onnxParts(schema: Schema, rows: Matrix, labels: Int32Array): Record<string, string | Uint8Array> {
  const inputs = schema.features.flatMap((f, k): InputSpec[] => {
    if (f.name === "education" || f.name === "savings") return [ordered(f)];
    if (f.categories) return levelsOf(f).map((level) => ({ feature: f.name, level }));
    return f.kind === "boolean" ? [{ feature: f.name }] : [standardised(f, rows, k)];
  });
  const x = encoded(schema, rows, inputs);
  const { intercept, weights } = fitLogistic(x, labels, {}).structure!(1) as {
    intercept: number;
    weights: Float64Array;
  };
  const model = onnxFile({
    inputs: [{ name: "X", type: 1, shape: ["N", x.cols] }],
    outputs: [
      { name: "label", type: 8, shape: ["N"] },
      { name: "probabilities", type: 1, shape: ["N", 2] },
    ],
    nodes: [
      {
        op: "LinearClassifier",
        domain: "ai.onnx.ml",
        inputs: ["X"],
        outputs: ["label", "probabilities"],
        attributes: [
          { name: "coefficients", floats: [...weights.map((w) => -w), ...weights] },
          { name: "intercepts", floats: [-intercept, intercept] },
          { name: "classlabels_strings", strings: CLASSES },
          { name: "multi_class", i: 0 },
          { name: "post_transform", s: "LOGISTIC" },
        ],
      },
    ],
  });
  return { "model.onnx": model, "encoding.json": `${JSON.stringify({ inputs }, null, 1)}\n` };
}

const ORDERS: Readonly<Record<string, readonly string[]>> = {
  education: ["none", "school", "vocational", "bachelor", "master"],
  savings: ["none", "little", "some", "ample"],
};

function ordered({ name }: Feature): InputSpec {
  return {
    feature: name,
    codes: Object.fromEntries(ORDERS[name]!.map((level, code) => [level, code])),
    missing: 1,
  };
}

function standardised({ name }: Feature, rows: Matrix, k: number): InputSpec {
  const values = indices(rows.rows)
    .map((i) => rows.data[i * rows.cols + k]!)
    .filter((v) => !Number.isNaN(v));
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const scale = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
  return { feature: name, mean: Number(mean.toFixed(4)), scale: Number(scale.toFixed(4)), missing: 0 };
}

/** Counterfactuals of some refused people as DiCE writes them: whole rows, outcome last. */
async function diceFile(schema: Schema, rows: Matrix, boosted: string): Promise<string> {
  const model = bindInputs(readXgboost(boosted, { outputs: CLASSES }), schema);
  const scores = await model.predict(rows, 1);
  const refused = indices(rows.rows).filter((i) => scores[i]! <= 0.5);
  const x = takeRows(rows, refused.slice(0, PEOPLE));
  const constraints = compileConstraints(schema);
  const task = { model, x, references: rows, constraints, target: { class: "granted" } };
  const made = await knn(task, { neighbours: EACH }, stream(0, "dice"));
  const frame = (matrix: Matrix, outcome: bigint) => {
    const { columns } = matrixToTable(schema, matrix);
    const cells = indices(matrix.rows).map((i) =>
      columns.map((column, k): DiceCell => {
        const cell = column[i]!;
        return typeof cell === "number" && schema.features[k]!.kind === "integer" ? BigInt(cell) : cell;
      }),
    );
    return {
      names: [...schema.features.map((f) => f.name), "granted"],
      rows: cells.map((row) => [...row, outcome]),
    };
  };
  const examples = indices(x.rows).map((i): DiceExample => {
    const own = indices(made.rows.rows).filter((t) => made.pairs![t] === i);
    return {
      factual: frame(takeRows(x, [i]), 0n),
      counterfactuals: frame(takeRows(made.rows, own), 1n),
      outcome: "granted",
      data: "dummy_data",
      modelType: "classifier",
      desiredClass: 1n,
      desiredRange: null,
    };
  });
  return writeDiceJson({ version: "2.0", examples, localImportance: null, summaryImportance: null });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = join(import.meta.dirname, "parts");
  for (const [name, content] of Object.entries(await parts())) writeFileSync(join(folder, name), content);
}
