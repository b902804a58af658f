import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFileBytes, writeFileWhole } from "../node/files.ts";
import { cellsWith } from "../show/export.ts";
import { startWork } from "../src/budget.ts";
import { encodeCell } from "../src/data/schema.ts";
import { isColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { scorer } from "../src/model/scorer.ts";
import { slackOf } from "../src/model/slack.ts";
import { matrix } from "../src/num/matrix.ts";
import type { Setup } from "../src/run/setup.ts";
import type { Matrix, WorkOptions } from "../src/types.ts";

/** A text behind a line with its digest, so that damage is seen. */
const sealed = (text: string): string => `${createHash("sha256").update(text).digest("hex")}\n${text}`;

/** Keeps a finished shard. */
export function keepShard(path: string, made: Explanation): void {
  writeFileWhole(path, sealed(JSON.stringify(made)));
}

/** The shard as it was kept; undefined where it is not, is damaged, or the model answers otherwise by now. */
export async function keptShard(
  path: string,
  setup: Setup,
  watch: WorkOptions,
  work: WorkOptions,
): Promise<Explanation | undefined> {
  if (!existsSync(path)) return undefined;
  const whole = Buffer.from(readFileBytes(path)).toString();
  const text = whole.slice(whole.indexOf("\n") + 1);
  if (sealed(text) !== whole) return undefined;
  const made = JSON.parse(text) as Explanation;
  return (await stillHolds(made, setup, watch, work)) ? made : undefined;
}

/**
 * Does the model give every row and its plan the scores that were kept? A model behind a command or an address may have
 * been changed since. One that cannot be asked now does not: explaining the shard tells why.
 */
async function stillHolds(
  made: Explanation,
  { model, reach }: Setup,
  { signal, within }: WorkOptions,
  { limits }: WorkOptions,
): Promise<boolean> {
  const rows = made.rows.filter(({ before }) => before !== null);
  if (rows.length === 0) return true;
  const asked = rowsAndPlans(made, rows);
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
function rowsAndPlans({ schema }: Explanation, rows: Explanation["rows"]): Matrix {
  const cells = [...rows.map(({ x }) => x), ...rows.map((row) => cellsWith(schema, row, row.edits))];
  const codes = cells.flatMap((row, i) =>
    schema.features.map((feature, k) => encodeCell(feature, row[k], i)),
  );
  return matrix(cells.length, schema.features.length, Float64Array.from(codes));
}
