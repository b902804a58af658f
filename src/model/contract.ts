import { ColaError } from "../errors.ts";
import { copyOf } from "../num/matrix.ts";
import type { Matrix, Model, ModelLike } from "../types.ts";

/** A Model from a Model or a plain function `(rows) => scores`, which gets rows of its own to spoil. */
export function asModel(model: ModelLike): Model {
  if (typeof model !== "function") {
    if (typeof model?.predict === "function" && Array.isArray(model.outputs)) return model;
    throw new ColaError(
      "OPTION_INVALID",
      "model: give a function (rows) => scores or an object { outputs, predict(rows, output?) }.",
    );
  }
  return {
    outputs: ["score"],
    predict: (rows) => {
      const scores = model(copyOf(rows));
      return isPromise(scores) ? scores.then(asScores) : asScores(scores);
    },
  };
}

/** Is this an answer still to come? */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T>)?.then === "function";
}

/** Scores as numbers. Anything else (null, a text, a hole) becomes NaN, which the scorer refuses, never 0. */
export function asScores(scores: ArrayLike<unknown>): Float64Array {
  if (scores instanceof Float64Array) return scores;
  return Float64Array.from(scores ?? [], (score) => (typeof score === "number" ? score : Number.NaN));
}

/** The output scored by default: index 1 of a two-output model, else 0. */
export function defaultOutput(model: Model): number {
  return model.outputs.length === 2 ? 1 : 0;
}

/** Index of an output given by index or name; TARGET_INVALID when the model has none such. */
export function outputIndex(model: Model, output: string | number | undefined): number {
  if (output === undefined) return defaultOutput(model);
  const index = typeof output === "number" ? output : model.outputs.indexOf(output);
  if (Number.isInteger(index) && index >= 0 && index < model.outputs.length) return index;
  throw new ColaError(
    "TARGET_INVALID",
    `target: the model has no output ${JSON.stringify(output)}; its outputs are ${model.outputs.join(", ")}.`,
    { output, outputs: model.outputs },
  );
}

/** A model opened for the fast paths: the columns it really reads, and which of them each player moves. */
export interface OpenModel {
  /** The model over encoded columns. */
  readonly model: Model;
  encode(rows: Matrix): Matrix;
  /** Encoded columns of each player. */
  readonly players: readonly (readonly number[])[];
}

/**
 * Opens a model: table columns become encoded columns, and a player (one table column, or the columns of
 * one entry of `groups`) owns all encoded columns that belong to it.
 */
export function openModel(
  given: ModelLike,
  cols: number,
  groups?: readonly (readonly number[])[],
): OpenModel {
  return openModelKernel(asModel(given), cols, groups);
}

/** `openModel` of what is known to be a model. */
export function openModelKernel(
  model: Model,
  cols: number,
  groups: readonly (readonly number[])[] = Array.from({ length: cols }, (_, k) => [k]),
): OpenModel {
  checkGroups(groups, cols);
  const { encoding } = model;
  if (!encoding) return { model, encode: (rows) => rows, players: groups };
  return {
    model: encoding.model,
    encode: (rows) => encoding.encode(rows),
    players: groups.map((columns) => columns.flatMap((k) => [...encoding.groups[k]!])),
  };
}

function checkGroups(groups: readonly (readonly number[])[], cols: number): void {
  const seen = new Set<number>();
  for (const k of groups.flat()) {
    if (!Number.isInteger(k) || k < 0 || k >= cols || seen.has(k)) {
      throw new ColaError(
        "OPTION_INVALID",
        `groups: column ${k} is ${seen.has(k) ? "in two groups" : `outside 0 … ${cols - 1}`}; each column belongs to at most one player.`,
        { column: k, cols },
      );
    }
    seen.add(k);
  }
}
