import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwritable } from "../../node/files.ts";
import type { Blobs, Ref } from "../../node/store/blobs.ts";
import { line, linesOf, MOST_ROWS, outerLines } from "../../show/lines.ts";
import { digestOfRows } from "../../src/digest.ts";
import { ColaError } from "../../src/errors.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { headOf } from "../../src/run/assemble.ts";
import { type Tally, tallyOf, together } from "../../src/run/merge.ts";
import { finished } from "../../study/answer.ts";
import { basisOf } from "../../study/basis.ts";
import { withAsked } from "../../study/study.ts";
import { type Compute, identityOf } from "./compute.ts";
import type { Plan } from "./plan.ts";
import type { Recipe } from "./recipe.ts";
import { type Kept, keepResult } from "./result.ts";

/** The first line of a shard's file. It names the job, so that no two jobs ever share such a file. */
interface First {
  readonly job: string;
  readonly number: number;
  readonly tally: Tally;
}

/** Keeps a shard: what goes into the whole of it, then its rows as they stand in the result. */
export async function keepShard(
  blobs: Blobs,
  { job, number, from }: { readonly job: string; readonly number: number; readonly from: number },
  part: Explanation,
): Promise<Ref> {
  const lines = [line({ job, number, tally: tallyOf(part) } satisfies First)];
  for (const row of part.rows) lines.push(line({ ...row, row: from + row.row }));
  return blobs.put(Buffer.from(lines.join("")), "jsonl");
}

/** Puts shards together: the bytes that the whole would have, of which never more than one shard is held. */
export async function mergeShards(
  blobs: Blobs,
  compute: Pick<Compute, "question">,
  { recipe, plan, shards }: { readonly recipe: Recipe; readonly plan: Plan; readonly shards: readonly Ref[] },
): Promise<Kept & { readonly model: string }> {
  const cut = Math.ceil(plan.rows / plan.size);
  if (shards.length !== cut)
    throw new ColaError(
      "INTERNAL",
      `explain: ${shards.length} of ${cut} shards are there to be put together.`,
    );
  const { study, asking } = await compute.question(recipe, plan, {});
  const run = asking.run();
  const tallies: Tally[] = [];
  for (const ref of shards) tallies.push(firstOf(await blobs.get(ref)).tally);
  const told = withAsked(study, { ...headOf(run), ...together(tallies, run.goal) });
  const model = identityOf(study, recipe, tallies);
  const { seed, runHash } = told;
  if (plan.rows > MOST_ROWS && study.options.by === undefined) {
    const all = { ...told, basis: await basisOf(study) };
    return { result: await keepLines(blobs, shards, all), model, seed, runHash };
  }
  const rows: ExplainedRow[] = [];
  for (const ref of shards)
    for (const text of rowsOf(await blobs.get(ref))
      .toString()
      .split("\n"))
      if (text !== "") rows.push(JSON.parse(text) as ExplainedRow);
  const { curve, effect, coupling, attribution, totals, realism, ...head } = told;
  const whole = {
    ...head,
    rows,
    curve,
    effect,
    coupling,
    attribution,
    totals,
    ...(realism ? { realism } : {}),
  };
  return { ...(await keepResult(blobs, await finished(study, whole, {}))), model };
}

/** Writes head, rows and totals beside each other on the disk, then keeps the file. */
async function keepLines(
  blobs: Blobs,
  shards: readonly Ref[],
  told: Omit<Explanation, "rows">,
): Promise<Ref> {
  const path = join(tmpdir(), `cola-${randomUUID()}.jsonl`);
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      const hash = digestOfRows(told);
      await handle.writeFile(outerLines(told).first);
      for (const ref of shards) {
        const rows = rowsOf(await blobs.get(ref));
        for (const text of linesOf(rows)) if (text !== "") hash.row(text);
        await handle.writeFile(rows);
      }
      await handle.writeFile(outerLines({ ...told, digest: hash.end() }).last);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return await blobs.putFile(path, "jsonl");
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? unwritable(path, error) : error;
  } finally {
    await rm(path, { force: true });
  }
}

function firstOf(bytes: Uint8Array): First {
  return JSON.parse(Buffer.from(bytes.subarray(0, bytes.indexOf(10))).toString()) as First;
}

function rowsOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(bytes.indexOf(10) + 1));
}
