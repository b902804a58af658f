import { asModel } from "../model/contract.ts";
import { reachOf } from "../model/target.ts";
import type { Matrix, ModelLike, Target, WorkOptions } from "../types.ts";
import { margin } from "./margin.ts";

export interface ValidityOptions extends WorkOptions {
  /** How far past the target's edge a row must be. Default 0. */
  readonly minMargin?: number;
}

export interface Validity {
  /** 1 where the row reaches the target. */
  readonly valid: Uint8Array;
  /** Share of the rows that do. */
  readonly share: number;
  readonly margins: Float64Array;
}

/** Which rows reach the target when the model is asked (again). */
export async function validity(
  model: ModelLike,
  rows: Matrix,
  target: Target,
  options: ValidityOptions = {},
): Promise<Validity> {
  const { minMargin = 0, ...work } = options;
  const margins = await margin(model, rows, target, work);
  const { reached } = reachOf(asModel(model), target);
  const valid = Uint8Array.from(margins, (slack) => Number(reached(slack, minMargin)));
  return { valid, share: valid.reduce((sum, v) => sum + v, 0) / rows.rows, margins };
}
