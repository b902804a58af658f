import type { Certificate, CertifiedRow, Feature, FlatModel, Input } from "../certificate.ts";
import { choicesOf, levelsOf } from "./legal.ts";
import { encode, insist, numberOf, scoresOf } from "./score.ts";

/** What the certificate is held against. */
export interface Against {
  /** The model as it was read from its file, or, where that cannot be, what scores rows of its inputs. */
  readonly model?: FlatModel | undefined;
  readonly names?: readonly string[] | undefined;
  readonly inputs?: readonly Input[] | undefined;
  score?(rows: number[][], output: number): Promise<ArrayLike<number>>;
  /** Codes of a table's rows, NaN where a cell is missing, by the names of features and of rows. */
  readonly columns?: ReadonlyMap<string, readonly number[]>;
  readonly ids?: readonly unknown[];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Each input is made from the feature, and for the level, that the model file names. */
export function checkInputs({ inputs, schema }: Certificate, against: Against, trusted: string[]): void {
  trusted.push("what may change, how far, and what is to be reached (its schema and target)");
  const told = against.inputs;
  insist(!told || same(told, inputs), "the inputs are not those of the model file");
  if (told) return;
  const spelled = schema.features.flatMap((feature, k) => [
    { k, v: -1, text: bare(feature.name) },
    ...levelsOf(feature).map((level, v) => ({ k, v, text: bare(feature.name + level) })),
  ]);
  inputs.forEach(({ feature: k, shift = 0, scale = 1, levels, constant, missing }, c) => {
    const feature = schema.features[k];
    insist(feature !== undefined, `input ${c} is made of a feature that is not there`);
    const plain = levels ? levels.every((code, v) => code === v) : shift === 0 && scale === 1;
    const one = levels?.every((v) => v === 0 || v === 1) && levels.filter((v) => v === 1).length === 1;
    const name = bare(against.names?.[c] ?? "");
    // What a gap becomes matters where there can be one.
    const values = against.columns?.get(feature.name);
    const gap = missing !== null && (feature.editMissing || !values || values.some(Number.isNaN));
    // The name tells one feature, or one level, and no other as well.
    const fits = spelled.filter(({ text }) => name.endsWith(text));
    const [own, ...others] = fits.filter(({ text }) => fits.every((fit) => fit.text.length <= text.length));
    const alone = constant === undefined && !gap && own?.k === k && others.length === 0;
    if (alone && plain && own.v < 0 && own.text === name) return;
    if (alone && one && own.v === levels.indexOf(1)) return;
    trusted.push(`how ${feature.name} becomes input ${against.names?.[c] ?? c} of the model`);
  });
}

/** What of a model is compared; trees and weights are read by different rules. */
const plain = ({ outputs, link, single, sums, below, float32, skipsMissing }: FlatModel): unknown =>
  sums.map(({ base, trees, weights }) =>
    weights
      ? [outputs, link, single, base, weights, skipsMissing]
      : [outputs, link, single, base, trees, below, float32],
  );

const POINTS = 4000;

export async function checkModel(
  certificate: Certificate,
  against: Against,
  trusted: string[],
): Promise<void> {
  const { model, inputs, cells, rows } = certificate;
  const other = "the trees or weights are not those of the model file";
  insist(!against.model || same(plain(against.model), plain(model)), other);
  if (against.model) return;
  insist(against.score !== undefined, "there is no model to check against");
  trusted.push(
    `the trees or weights, but for the scores of ${POINTS} rows, which are those of the model file`,
  );
  const whole = cells.map((list, k) =>
    choicesOf({ ...certificate, cells }, k, numberOf(rows[0]!.x[k]!), false).concat(
      list.map(([value]) => ({ value, far: value, cost: 0, rate: 0 })),
    ),
  );
  let state = 1;
  const draw = (count: number): number => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const sample = Array.from({ length: POINTS }, () => {
    const row = whole.map((choices) => choices[draw(choices.length)]!.value);
    return inputs.map((input) => encode(input, row[input.feature]!));
  });
  const scores = sample.map((row) => scoresOf(model, row));
  for (let o = 0; o < model.outputs; o++) {
    const told = await against.score(sample, o);
    insist(
      scores.every((all, i) => Math.abs(all[o]! - told[i]!) <= 1e-6 * Math.max(1, Math.abs(all[o]!))),
      other,
    );
  }
}

/** Ends, decimals and weights are those of the table. */
export function checkColumns({ schema, columns }: Certificate, against: Against, trusted: string[]): void {
  schema.features.forEach((feature, k) => {
    const values = against.columns?.get(feature.name);
    if (!values) trusted.push(`range, decimals and scale of ${feature.name}`);
    else
      insist(
        same(columns[k], columnOf(feature, values)),
        `range, decimals or scale of ${feature.name} is not the table's`,
      );
  });
}

function columnOf(feature: Feature, all: readonly number[]): object {
  const quantile = (list: readonly number[], q: number): number => {
    const at = q * (list.length - 1);
    const [a = Number.NaN, b = a] = [list[Math.floor(at)], list[Math.floor(at) + 1]];
    return a + (at - Math.floor(at)) * (b - a);
  };
  const values = all.filter((v) => !Number.isNaN(v) && !feature.missing?.includes(v)).sort((a, b) => a - b);
  const far = values.map((v) => Math.abs(v - quantile(values, 0.5))).sort((a, b) => a - b);
  const [low, high] = [values[0] ?? 0, values.at(-1) ?? 0];
  const spreads = [quantile(far, 0.5), quantile(values, 0.75) - quantile(values, 0.25), high - low, 1];
  const fits = (d: number): boolean => values.every((v) => Number(v.toFixed(d)) === v);
  const decimals = levelsOf(feature).length > 0 ? 0 : [0, 1, 2, 3, 4, 5, 6].findIndex(fits);
  return { low, high, decimals, weight: 1 / spreads.find((size) => size > 0 && Number.isFinite(size))! };
}

/** x is a row of the table. */
export function checkTable(
  { schema }: Certificate,
  { id, x }: CertifiedRow,
  { columns, ids = [] }: Against,
): void {
  if (!columns) return;
  const i = ids.findIndex((name) => String(name) === String(id));
  insist(i >= 0, "the table has no such row");
  schema.features.forEach(({ name }, k) => {
    const values = columns.get(name);
    insist(!values || Object.is(values[i], numberOf(x[k]!)), `${name} is not what the table says`);
  });
}
