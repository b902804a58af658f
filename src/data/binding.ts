import { ColaError } from "../errors.ts";
import type { Encoding, Feature, Matrix, Model, Schema } from "../types.ts";
import { hasEitherComma, isAmount } from "./amounts.ts";
import { type Constraints, compileConstraints } from "./constraints.ts";
import { BOUND, savedAs } from "./encode.ts";
import { columnOfInput, INDICATOR_NAMES, underscored, withoutPrefix } from "./input-levels.ts";
import { meant } from "./nearby.ts";
import { isNumberText, numbersBut } from "./number-texts.ts";
import { hasLevels, levelIndex, levelsOf, plainLevel } from "./schema.ts";

/** How one model input is computed from one feature of the table. */
export interface InputSpec {
  readonly feature: string;
  /** 1 where the feature has this level, else 0. */
  readonly level?: string;
  /** Number of each level. See `bindInputs` for levels without. */
  readonly codes?: Readonly<Record<string, number>>;
  /** (v − mean) / scale. Default 0 and 1. */
  readonly mean?: number;
  readonly scale?: number;
  /** What a missing value becomes. Default: missing (NaN), and 0 for an indicator. */
  readonly missing?: number;
}

/** An encoding file: the model's inputs in the model's order. */
export interface EncodingSpec {
  readonly inputs: readonly InputSpec[];
}

interface Column {
  readonly feature: number;
  /** A level is told by its place among the levels. */
  readonly byPlace?: boolean;
  of(value: number): number;
}

/**
 * Binds a table to a model's inputs: by the encoding file where there is one, else by name (the feature
 * itself, or one of its indicator columns), else, for inputs without names, by order. A mismatch lists both
 * sides and what to write.
 *
 * A level without a code is its place among the levels, which is what the model was trained on only where a
 * person wrote them in that order: those of an ordinal feature, and with `listed` those of every feature. The
 * levels one table happens to have are refused, unless the model's file says that the input is a category. Where the
 * file names the categories, these names are the codes, and a level it does not name is missing to the model.
 */
export function bindInputs(
  model: Model,
  schema: Schema,
  spec?: EncodingSpec,
  given?: Constraints,
  listed = false,
): Model {
  const constraints = given ?? compileConstraints(schema);
  const columns = spec
    ? spec.inputs.map((input, c) => columnOf(schema, input, model.categoryNames?.[c]))
    : columnsByName(schema, model);
  columns.forEach(({ feature, byPlace }, c) => {
    if (byPlace) checkPlaces(schema.features[feature]!, listed || model.categorical?.[c] === true);
  });
  const groups = schema.features.map((_, k) =>
    columns.flatMap((column, c) => (column.feature === k ? [c] : [])),
  );
  const inside: Encoding = { model, encode: (rows) => encodeColumns(columns, rows), groups };
  const bound: Model = {
    outputs: model.outputs,
    predict: (rows, output) => model.predict(inside.encode(constraints.complete(rows)), output),
    ...savedAs(model, BOUND, () => ({ schema: constraints.schema, ...(spec ? { spec } : {}) })),
  };
  return { ...bound, [constraints.hasDerived ? "completed" : "encoding"]: inside };
}

function encodeColumns(columns: readonly Column[], rows: Matrix): Matrix {
  const d = columns.length;
  const data = new Float64Array(rows.rows * d);
  for (let i = 0; i < rows.rows; i++) {
    for (let c = 0; c < d; c++)
      data[i * d + c] = columns[c]!.of(rows.data[i * rows.cols + columns[c]!.feature]!);
  }
  return { data, rows: rows.rows, cols: d };
}

/** `names`: what the model's file calls the categories 0, 1, … of this input. */
function columnOf(schema: Schema, input: InputSpec, names?: readonly string[]): Column {
  const feature = schema.features.findIndex((f) => f.name === input.feature);
  if (feature < 0) {
    throw mismatch(
      schema,
      [input.feature],
      `the encoding names ${JSON.stringify(input.feature)}, which the table does not have${meant(
        input.feature,
        schema.features.map((f) => f.name),
      )}`,
    );
  }
  const at = schema.features[feature]!;
  if (input.level !== undefined) return indicator(at, feature, input.level, input.missing ?? 0);
  const { mean = 0, scale = 1, missing = Number.NaN, codes } = input;
  if (names && !codes) return named(at, feature, names);
  const number = codes ? levelsOf(at).map((level) => codes[level]) : undefined;
  const lost = number?.indexOf(undefined) ?? -1;
  if (lost >= 0) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `encoding: the codes of ${at.name} lack the level ${JSON.stringify(levelsOf(at)[lost])}; give every level a number.`,
      { feature: at.name, level: levelsOf(at)[lost] },
    );
  }
  return {
    feature,
    byPlace: at.kind === "categorical" && !codes,
    of: (v) => (Number.isNaN(v) ? missing : ((number ? number[v]! : v) - mean) / scale),
  };
}

/** A column told by the names that the model's file has for its categories. */
function named(at: Feature, feature: number, names: readonly string[]): Column {
  const codes = new Map(names.map((name, code) => [plainLevel(name.trim()), code]));
  const codeOf = (level: unknown): number => codes.get(plainLevel(String(level))) ?? Number.NaN;
  const ofLevel = hasLevels(at) ? levelsOf(at).map(codeOf) : undefined;
  return { feature, of: (v) => (ofLevel ? (ofLevel[v] ?? Number.NaN) : codeOf(v)) };
}

const isTruth = (level: string): boolean => /^(true|false|yes|no)$/i.test(level);

/** Refuses levels whose places are not what a model reads: those of one table, and numbers read as text. */
function checkPlaces(feature: Feature, listed: boolean): void {
  const { name } = feature;
  const levels = levelsOf(feature);
  if (listed && numbersBut(levels) === undefined) return;
  // Beside yes and no a number is what spoils the column, and else a text.
  const [words, others] = [levels.filter(isTruth), levels.filter((level) => !isTruth(level))];
  const odd =
    words.length > 1 && others.length > 0
      ? others[0]
      : (levels.find((level) => !isAmount(level)) ?? levels.find((level) => !isNumberText(level)));
  throw odd !== undefined && levels.some(isAmount)
    ? new ColaError(
        "VALUE_INVALID",
        `binding: ${name} is a number to the model, but ${JSON.stringify(odd)} is ${words.length > 1 ? `neither ${words.join(" nor ")}` : "not a number"}, so the whole column is read as text; ${remedyFor(odd)}, or give the levels "codes" in an encoding file (--encoding).`,
        { feature: name, level: odd },
      )
    : new ColaError(
        "SCHEMA_INVALID",
        `binding: ${name} is text (${levels.slice(0, 8).join(", ")}), but a number to the model, which does not say which level is which; give its "codes" in an encoding file (--encoding), or a schema (--schema) that lists all levels in the order of their codes 0, 1, ….`,
        { feature: name, level: odd },
      );
}

/** What is to be done about a cell that spoils a column of numbers. */
function remedyFor(cell: string): string {
  const decimal = "read the file with decimalComma (--decimal-comma)";
  if (hasEitherComma(cell)) return `write thousands without a comma, or ${decimal} where it is a decimal one`;
  if (cell.includes(",") && isNumberText(cell.replace(",", "."))) return decimal;
  return "correct such cells or declare them missing (--missing)";
}

function indicator(feature: Feature, index: number, level: string, missing: number): Column {
  const code = levelIndex(feature, level);
  if (code < 0) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `encoding: ${feature.name} has no level ${JSON.stringify(level)}; its levels are ${levelsOf(feature).join(", ")}. Where the table merely lacks it, list it in a schema (--schema).`,
      { feature: feature.name, level },
    );
  }
  return { feature: index, of: (v) => (Number.isNaN(v) ? missing : v === code ? 1 : 0) };
}

function columnsByName(schema: Schema, { inputs, categoryNames }: Model): Column[] {
  const { features } = schema;
  if (!inputs)
    return features.map((feature, c) => columnOf(schema, { feature: feature.name }, categoryNames?.[c]));
  const found = inputs.map((name) => inputByName(schema, name));
  const lost = inputs.filter((_, c) => !found[c]);
  if (lost.length === 0) return found.map((input, c) => columnOf(schema, input!, categoryNames?.[c]));
  if (
    lost.length === inputs.length &&
    inputs.length === features.length &&
    inputs.every((name) => /^(f|x|Column_)?\d+$/.test(name))
  ) {
    return features.map((feature) => columnOf(schema, { feature: feature.name }));
  }
  const names = features.map((feature) => feature.name);
  const shown = lost.slice(0, 8).map((name) => `${name}${meant(name, names)}`);
  const more = lost.length > 8 ? ` and ${lost.length - 8} more` : "";
  const one = lost.length === 1;
  throw mismatch(
    schema,
    inputs,
    `the model's ${one ? "input" : "inputs"} ${shown.join(", ")}${more} ${one ? "is" : "are"} not in the table`,
    lost,
  );
}

/** The column, or the level of a column, that a model's input is named after; with or without a prefix. */
export function inputByName(schema: Schema, name: string): InputSpec | undefined {
  return namedInput(schema, name) ?? namedInput(schema, withoutPrefix(name));
}

function namedInput({ features }: Schema, name: string): InputSpec | undefined {
  const column = columnOfInput(
    name,
    features.map((feature) => feature.name),
  );
  if (column !== undefined) return { feature: column };
  for (const feature of features) {
    if (!hasLevels(feature)) continue;
    const level = levelsOf(feature).find((one) =>
      INDICATOR_NAMES.map((write) => write(feature.name, one)).some(
        (written) => written === name || underscored(written) === name,
      ),
    );
    if (level !== undefined) return { feature: feature.name, level };
  }
  return undefined;
}

function mismatch(
  schema: Schema,
  inputs: readonly string[],
  why: string,
  missing: readonly string[] = [],
): ColaError {
  const names = schema.features.map((f) => f.name);
  return new ColaError(
    "SCHEMA_INVALID",
    `binding: ${why}; rename the columns, or say by an encoding file (--encoding) how the inputs are made of them, one entry per input in the model's order: { "inputs": [ { "feature": ${JSON.stringify(names[0])} }, { "feature": "NAME", "level": "LEVEL" }, { "feature": "NAME", "mean": 0, "scale": 1 } ] }.\n  model inputs: ${inputs.slice(0, 40).join(", ")}\n  table columns: ${names.slice(0, 40).join(", ")}`,
    { inputs, columns: names, missing },
  );
}
