import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFileBytes, writeFileWhole } from "../node/files.ts";
import { cellsWith } from "../show/export.ts";
import { line } from "../show/lines.ts";
import { startWork } from "../src/budget.ts";
import { encodeCell } from "../src/data/schema.ts";
import { isColaError } from "../src/errors.ts";
import type { ExplainedRow } from "../src/explanation.ts";
import { scorer } from "../src/model/scorer.ts";
import { slackOf } from "../src/model/slack.ts";
import { matrix } from "../src/num/matrix.ts";
import type { Setup } from "../src/run/contract.ts";
import type { Part, Tally } from "../src/run/merge.ts";
import type { Matrix, Schema, WorkOptions } from "../src/types.ts";

/** A text behind a line with its digest, so that damage is seen. */
const sealed = (text: string): string => `${createHash("sha256").update(text).digest("hex")}\n${text}`;

/** Keeps explained rows, the first of which is row `from` of the result, as lines: what they add to the whole, then each. */
export function keepShard(path: string, { tally, rows }: Part, from: number): void {
  const lines = [line(tally), ...rows.map((row) => line({ ...row, row: from + row.row }))];
  writeFileWhole(path, sealed(lines.join("")));
}

/** Kept rows; undefined where they are not kept, are damaged, or the model answers otherwise by now. */
export async function keptShard(
  path: string,
  setup: Setup,
  watch: WorkOptions,
  work: WorkOptions,
): Promise<Part | undefined> {
  if (!existsSync(path)) return undefined;
  const part = readShard(path);
  return part && (await stillHolds(part.rows, setup, watch, work)) ? part : undefined;
}

/** The rows of a file; undefined where it is damaged. */
function readShard(path: string): Part | undefined {
  const lines = shardLines(path);
  if (!lines) return undefined;
  const [first, ...rows] = lines.map((text) => JSON.parse(text) as unknown);
  return { tally: first as Tally, rows: rows as ExplainedRow[] };
}

/** Its lines as they were written: what its rows add to the whole, then each row. */
export function shardLines(path: string): readonly string[] | undefined {
  const whole = Buffer.from(readFileBytes(path)).toString();
  const text = whole.slice(whole.indexOf("\n") + 1);
  const lines = text.split("\n").slice(0, -1);
  return sealed(text) === whole && lines.length > 0 ? lines : undefined;
}

/**
 * Does the model give every row and its plan the scores that were kept? A model behind a command or an address may have
 * been changed since. One that cannot be asked now does not: explaining the shard tells why.
 */
async function stillHolds(
  made: readonly ExplainedRow[],
  { model, reach, constraints }: Setup,
  { signal, within }: WorkOptions,
  { limits }: WorkOptions,
): Promise<boolean> {
  const rows = made.filter(({ before }) => before !== null);
  if (rows.length === 0) return true;
  const asked = rowsAndPlans(constraints.schema, rows);
  const watch = {
    ...(signal ? { signal } : {}),
    ...(within ? { within } : {}),
    ...(limits ? { limits } : {}),
  };
  const ask = scorer(model, startWork("resume", watch));
  try {
    const { shown, slack } = await slackOf(ask, asked, reach, true);
    return rows.every(({ before, after, valid }, i) => {
      const z = rows.length + i;
      return shown[i] === before && shown[z] === after && reach.reached(slack[z]!) === valid;
    });
  } catch (error) {
    if (!isColaError(error)) throw error;
    return false;
  }
}

/** Codes of the rows, then of their plans. */
function rowsAndPlans(schema: Schema, rows: readonly ExplainedRow[]): Matrix {
  const cells = [...rows.map(({ x }) => x), ...rows.map((row) => cellsWith(schema, row, row.edits))];
  const codes = cells.flatMap((row, i) =>
    schema.features.map((feature, k) => encodeCell(feature, row[k], i)),
  );
  return matrix(cells.length, schema.features.length, Float64Array.from(codes));
}
