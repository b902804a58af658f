import { Sha256 } from "../num/sha256.ts";
import type { Goal, Matrix } from "../types.ts";
import { VERSION } from "../version.ts";
import type { ExplainInput } from "./contract.ts";
import { given } from "./plain.ts";

/** The digest of a table, empty where there is none. */
export function digestOf(table: Matrix | undefined): string {
  return table ? new Sha256().numbers([table.rows, table.cols]).numbers(table.data).hex() : "";
}

/** What the caller chose, not what stands where nothing was chosen, without the data, the model and the means of watching. */
function choices(input: ExplainInput): Readonly<Record<string, unknown>> {
  const { model, x, references, training, pairs, signal, onProgress, within, limits, ids, ...rest } = input;
  const { constraints, metric: _, targetRows: __, sturdy, usual, defaults = {}, ...all } = rest;
  const own = Object.fromEntries(Object.entries(all).filter(([name]) => !(name in defaults)));
  const models = sturdy && [sturdy.also.length, sturdy.judges.length];
  const beside = { sturdy: models, usual: usual && Array.from(usual.threshold) };
  const said = { ...own, ...given(beside) };
  return constraints ? { ...said, schema: constraints.schema } : said;
}

/** Options say the same in any order. */
function byName(_: string, value: unknown): unknown {
  const named = value !== null && typeof value === "object" && !Array.isArray(value);
  return named ? Object.fromEntries(Object.entries(value).sort()) : value;
}

/** SHA-256 over version, seed, options, schema, goal, ids, x, references, training, pairs and any digest of the model. */
export function runHash({ input, goal, seed, referencesDigest, trainingDigest }: Hashed): string {
  return new Sha256()
    .text(VERSION)
    .numbers([seed])
    .text(JSON.stringify({ ...choices(input), goal }, byName))
    .text(JSON.stringify(input.ids ?? null))
    .text(referencesDigest())
    .text(trainingDigest())
    .numbers([input.x.rows, input.x.cols])
    .numbers(input.x.data)
    .numbers(input.pairs ?? [])
    .hex();
}

interface Hashed {
  readonly input: ExplainInput;
  readonly goal: Goal;
  readonly seed: number;
  /** Of the tables that the questions of a study share. */
  readonly referencesDigest: () => string;
  readonly trainingDigest: () => string;
}
