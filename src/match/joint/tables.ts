import type { Context } from "../context.ts";
import type { Weighed } from "../option.ts";
import { type SetTable, setTables, settle } from "../table.ts";
import type { Aim } from "./aim.ts";

/**
 * For every pair of one row the slack of all its sets of at most `maxEdits` members and of the whole set, no
 * farther than the rule's distance; NaN marks sets that may not be used. From the model's inside where it shows
 * one (cells whose effect its rounding leaves open are asked of the model), else from the model.
 */
export async function rowTables(
  context: Context,
  pairs: readonly Weighed[],
  aim: Aim,
  maxEdits: number,
  perRow: number,
): Promise<SetTable[]> {
  const most = Math.min(maxEdits, perRow);
  const tables = await setTables(context, pairs, { most, whole: perRow, sparing: true });
  if (context.mix.inside && aim.jumps) await settle(context, pairs, tables, aim.effect);
  return tables;
}
