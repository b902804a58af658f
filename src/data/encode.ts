import { ColaError } from "../errors.ts";
import type { Encoding, Matrix, Model, Schema } from "../types.ts";
import { type Constraints, compileConstraints } from "./constraints.ts";
import { momentsOf } from "./metric.ts";
import { levelsOf } from "./schema.ts";

export interface EncodeOptions {
  /** `standard`: (v − mean)/sd of the training rows; `raw`: as it is. Default `standard`. */
  readonly numeric?: "standard" | "raw";
  /** `onehot`: one column per level; `code`: the index of the level. Default `onehot`. */
  readonly categorical?: "onehot" | "code";
  /** `indicator`: the training mean plus a 0/1 column where training rows had gaps; `keep`: NaN. Default `indicator`. */
  readonly missing?: "indicator" | "keep";
  /** One-hot columns of a feature at most: those of its most frequent levels, the others having none. Default: all. */
  readonly levels?: number;
}

/** How one table column becomes encoded columns. */
export interface EncodeRule {
  readonly kind: "number" | "onehot";
  readonly start: number;
  readonly width: number;
  /** One-hot: the column of each level, counted from `start`; −1 for levels that share having none. */
  readonly columns: readonly number[];
  /** encoded = (v − shift) / scale. */
  readonly shift: number;
  readonly scale: number;
  /** Encoded value of a missing number. */
  readonly fill: number;
  /** Column that says "missing", or −1. */
  readonly indicator: number;
}

/** Table rows (codes) → the columns a model reads; fitted on training rows, plain data. */
export interface Encoder {
  readonly schema: Schema;
  readonly options: Required<Omit<EncodeOptions, "levels">>;
  readonly rules: readonly EncodeRule[];
  /** Names of the encoded columns. */
  readonly names: readonly string[];
  /** Encoded columns of each feature. */
  readonly groups: readonly (readonly number[])[];
}

/** Fits an encoder. Statistics skip missing values; a constant column has sd 1. */
export function fitEncoder(schema: Schema, rows: Matrix, options: EncodeOptions = {}): Encoder {
  const { levels: most = Number.POSITIVE_INFINITY, ...chosen } = options;
  const full = { numeric: "standard", categorical: "onehot", missing: "indicator", ...chosen } as const;
  const names: string[] = [];
  const rules = schema.features.map((feature, k): EncodeRule => {
    const { mean, sd, gaps } = momentsOf(feature.name, rows, k);
    const start = names.length;
    const levels =
      feature.kind === "categorical" && full.categorical === "onehot" ? levelsOf(feature) : undefined;
    const columns = levels ? columnsOf(rows, k, levels.length, most) : [];
    if (levels) names.push(...levels.filter((_, v) => columns[v]! >= 0).map((v) => `${feature.name}=${v}`));
    else names.push(feature.name);
    const width = names.length - start;
    const flagged = full.missing === "indicator" && gaps > 0;
    if (flagged) names.push(`${feature.name}=missing`);
    const standard =
      full.numeric === "standard" && feature.kind !== "categorical" && feature.kind !== "boolean";
    return {
      kind: levels ? "onehot" : "number",
      start,
      width,
      columns,
      shift: standard ? mean : 0,
      scale: standard ? sd : 1,
      fill: full.missing === "keep" ? Number.NaN : standard ? 0 : mean,
      indicator: flagged ? start + width : -1,
    };
  });
  return { schema, options: full, rules, names, groups: groupsOf(rules) };
}

/** The column of each of `count` levels, in their order: for the `most` that are met most often, else −1. */
function columnsOf({ data, cols }: Matrix, k: number, count: number, most: number): number[] {
  const met = new Float64Array(count);
  for (let at = k; at < data.length; at += cols) if (!Number.isNaN(data[at])) met[data[at]!]!++;
  const often = Array.from(met.keys()).sort((a, b) => met[b]! - met[a]! || a - b);
  const kept = new Set(often.slice(0, most));
  let next = 0;
  return Array.from(met, (_, v) => (kept.has(v) ? next++ : -1));
}

/** Encoded columns of each feature. */
export function groupsOf(rules: readonly EncodeRule[]): number[][] {
  return rules.map((rule) =>
    Array.from({ length: rule.width + (rule.indicator >= 0 ? 1 : 0) }, (_, c) => rule.start + c),
  );
}

/** n table rows → n encoded rows. */
export function encodeRows(encoder: Encoder, rows: Matrix): Matrix {
  const { rules, options, names } = encoder;
  if (rows.cols !== rules.length) {
    throw new ColaError(
      "INPUT_SHAPE",
      `encode: the encoder was fitted on ${rules.length} features, but the rows have ${rows.cols} columns.`,
      { features: rules.length, cols: rows.cols },
    );
  }
  const d = names.length;
  // Asked of the options, not of `fill`: JSON, in which encoders are saved, has no NaN.
  const keep = options.missing === "keep";
  const data = new Float64Array(rows.rows * d);
  for (let i = 0; i < rows.rows; i++) {
    for (let k = 0; k < rules.length; k++) {
      const rule = rules[k]!;
      const v = rows.data[i * rows.cols + k]!;
      const at = i * d + rule.start;
      const missing = Number.isNaN(v);
      if (missing && rule.indicator >= 0) data[i * d + rule.indicator] = 1;
      if (rule.kind === "onehot") {
        if (missing) {
          if (keep) data.fill(Number.NaN, at, at + rule.width);
        } else if (rule.columns[v]! >= 0) data[at + rule.columns[v]!] = 1;
      } else {
        data[at] = !missing ? (v - rule.shift) / rule.scale : keep ? Number.NaN : rule.fill;
      }
    }
  }
  return { data, rows: rows.rows, cols: d };
}

/** Types of saved models that read table rows; `loadModel` opens them. */
export const ENCODED = "encoded";
export const BOUND = "bound";

/** `toJSON` of a model over table rows, where the model within can be saved. */
export function savedAs(model: Model, type: string, rest: () => object): Pick<Model, "toJSON"> {
  if (!model.toJSON) return {};
  return { toJSON: () => ({ type, version: 1, model: model.toJSON!(), ...rest() }) };
}

/**
 * A model over table rows: encodes them for `model`. Derived columns are recomputed first, so every
 * hybrid is complete when it is scored.
 */
export function bind(model: Model, encoder: Encoder, given?: Constraints): Model {
  const constraints = given ?? compileConstraints(encoder.schema);
  const inside: Encoding = { model, encode: (rows) => encodeRows(encoder, rows), groups: encoder.groups };
  const encode = (rows: Matrix): Matrix => inside.encode(constraints.complete(rows));
  const { schema } = constraints;
  const bound: Model = {
    outputs: model.outputs,
    predict: (rows, output) => model.predict(encode(rows), output),
    ...savedAs(model, ENCODED, () => ({ encoder: { ...encoder, schema } })),
  };
  // A derived column depends on several players at once, so the structure over encoded columns may be used
  // only without any.
  return { ...bound, [constraints.hasDerived ? "completed" : "encoding"]: inside };
}
