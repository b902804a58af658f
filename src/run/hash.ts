import { Sha256 } from "../num/sha256.ts";
import type { Matrix } from "../types.ts";
import { VERSION } from "../version.ts";
import type { ExplainInput, Run } from "./open.ts";

/** References met before keep their digest, so that a prepared explainer does not read its pool for every row. */
const known = new WeakMap<Matrix, string>();

function digest(rows: Matrix): string {
  const held = known.get(rows);
  if (held) return held;
  const made = new Sha256().numbers([rows.rows, rows.cols]).numbers(rows.data).hex();
  known.set(rows, made);
  return made;
}

/** What the caller chose, without the data, the model and the means of watching. */
function choices(input: ExplainInput): Readonly<Record<string, unknown>> {
  const { model, x, references, training, pairs, signal, onProgress, within, limits, ids, ...rest } = input;
  return rest;
}

/** Options say the same in any order. */
function byName(_: string, value: unknown): unknown {
  const named = value !== null && typeof value === "object" && !Array.isArray(value);
  return named ? Object.fromEntries(Object.entries(value).sort()) : value;
}

/** SHA-256 over version, seed, options, schema, goal, ids, x, references, training, pairs and any digest of the model. */
export function runHash({ input, goal, seed }: Pick<Run, "input" | "goal" | "seed">): string {
  return new Sha256()
    .text(VERSION)
    .numbers([seed])
    .text(JSON.stringify({ ...choices(input), goal }, byName))
    .text(JSON.stringify(input.ids ?? null))
    .text(digest(input.references))
    .text(input.training ? digest(input.training) : "")
    .numbers([input.x.rows, input.x.cols])
    .numbers(input.x.data)
    .numbers(input.pairs ?? [])
    .hex();
}
