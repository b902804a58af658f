import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isColaError } from "../src/errors.ts";
import { explain } from "../src/explain.ts";
import type { Explanation } from "../src/explanation.ts";
import { takeRows } from "../src/num/matrix.ts";
import { totalsOf } from "../src/run/assemble.ts";
import { runHash } from "../src/run/hash.ts";
import { joinedBy, merge } from "../src/run/merge.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Matrix, WorkOptions } from "../src/types.ts";
import type { Asked } from "../study/asked.ts";
import { type Given, OPTIONS } from "../study/options.ts";
import { keepShard, keptShard } from "./kept.ts";

/** An explanation, the rows of it that are explained, and whether the run was stopped before all were. */
export interface Sharded {
  readonly explanation: Explanation;
  readonly done: number;
  readonly stopped: boolean;
  /** The files in which the shards of this run are kept. */
  readonly files: readonly string[];
}

/**
 * Explains shard by shard. Finished shards are kept in `<out>/.shards` until all are done, so the same command
 * continues after a kill. Ctrl-C and --timeout give a result of all rows, in which those of the finished shards are
 * explained and the others say that they were not reached. Rows that something joins are one shard, which is not kept.
 * `input` says what is asked and is the same in every run of a command; `work` says what is left of its time.
 */
export async function explainInShards(
  given: Given,
  question: ExplainInput,
  work: WorkOptions,
  asked: Asked,
): Promise<Sharded> {
  const input = { ...question, ...asked.for("plans") };
  if (joinedBy(input)) return explainJoint(input, work);
  const shards = shardsOf(input.x.rows, given.shardRows ?? OPTIONS.shardRows.default);
  const parts: Explanation[] = [];
  const files: string[] = [];
  for (const [s, [from, to]] of shards.entries()) {
    if (isLate(work)) break;
    const shard = rowsOf(input, from, to);
    const path = given.out === "-" ? undefined : join(given.out ?? "out", ".shards", `${keyOf(shard)}.shard`);
    if (path) files.push(path);
    const name = ` ${s + 1}/${shards.length}`;
    const part =
      (path && (await keptShard(path, { ...shard, ...asked.for("kept") }, work))) ??
      (await explainShard(shard, work, { name, path }));
    if (!part) break;
    parts.push(part);
  }
  const rows = parts.flatMap((part) => part.rows);
  const missing = rows.length < input.x.rows;
  const stopped = missing || (isLate(work) && rows.some(({ status }) => status === "budget"));
  const done = stopped ? rows.filter(({ status }) => status !== "budget").length : rows.length;
  return { explanation: merge(parts, input, { stopped: missing }), done, stopped, files };
}

/** Has --timeout run out? Then no further shard is begun. */
const isLate = ({ limits }: WorkOptions): boolean => limits?.timeMs === 0;

/** All rows as one piece of work. */
async function explainJoint(input: ExplainInput, work: WorkOptions): Promise<Sharded> {
  const part = await explainShard(input, work);
  return part
    ? { explanation: part, done: input.x.rows, stopped: false, files: [] }
    : { explanation: merge([], input, { stopped: true }), done: 0, stopped: true, files: [] };
}

/** The result of a question without rows, told like any other: the question itself, and no rows. */
export function nothingIn(input: ExplainInput, others: Matrix): Sharded {
  const some = { ...input, x: takeRows(others, [0]), ids: [0] };
  const { goal = { kind: "each", target: {} }, seed = 0 } = input;
  const explanation = {
    ...merge([], some, { stopped: true }),
    runHash: runHash({ input, goal, seed }),
    rows: [],
    curve: [],
    totals: totalsOf([]),
  };
  return { explanation, done: 0, stopped: false, files: [] };
}

/**
 * Rows 0 … rows − 1 as consecutive shards of 1, 2, 4, … rows, at most `size`: whenever the work is stopped, about half
 * of it or more is finished.
 */
export function shardsOf(rows: number, size: number): (readonly [from: number, to: number])[] {
  const shards: [number, number][] = [];
  for (let from = 0, count = 1; from < rows; from += count, count = Math.min(size, 2 * count))
    shards.push([from, Math.min(rows, from + count)]);
  return shards;
}

/** Why a run is one piece of work: what the options join. */
export function joinedNote(input: ExplainInput): string | undefined {
  const joint = joinedBy(input);
  const why = {
    goal: "--effect is a goal of all rows together",
    budget: "--budget is shared by all rows",
    coupling: `--coupling ${input.coupling} pairs all rows at once`,
    policy: `--policy ${input.policy} ranks the edits of all rows together`,
  };
  return (
    joint &&
    `not sharded: ${why[joint]}, so no row is done before all are, and a run that is stopped starts again from the beginning.`
  );
}

/** Forgets the shards of a run that is written. Those of another run that was stopped stay. */
export function dropShards(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
  const folder = files[0] === undefined ? "" : dirname(files[0]);
  if (!existsSync(folder) || readdirSync(folder).some((name) => name.endsWith(".shard"))) return;
  rmSync(folder, { recursive: true, force: true });
}

/** The same question for rows from … to − 1. References keep their numbers; those of other rows have no pair here. */
function rowsOf(input: ExplainInput, from: number, to: number): ExplainInput {
  const indices = Array.from({ length: to - from }, (_, i) => from + i);
  const { pairs, ids } = input;
  return {
    ...input,
    x: takeRows(input.x, indices),
    ...(ids ? { ids: ids.slice(from, to) } : {}),
    ...(pairs ? { pairs: Int32Array.from(pairs, (i) => (i >= from && i < to ? i - from : -1)) } : {}),
  };
}

/** The shard's explanation; undefined when the run was stopped before it was done. */
async function explainShard(
  shard: ExplainInput,
  work: WorkOptions,
  { name = "", path }: { readonly name?: string; readonly path?: string | undefined } = {},
): Promise<Explanation | undefined> {
  const { onProgress, signal } = shard;
  const { limits } = work;
  try {
    const made = await explain({
      ...shard,
      ...(onProgress ? { onProgress: (p) => onProgress({ ...p, stage: `${p.stage}${name}` }) } : {}),
      ...(limits ? { limits } : {}),
    });
    const final = made.rows.every(({ status }) => status !== "budget" && status !== "model_error");
    // A row that has its plan when the time runs out may lack what is found after that.
    if (final && path && !isLate(work)) keepShard(path, made);
    // Ctrl-C also reaches a model in a process of its own, which may answer with a failure first.
    return signal?.aborted && !final ? undefined : made;
  } catch (error) {
    if (!isColaError(error) || error.code !== "ABORTED") throw error;
    return undefined;
  }
}

/**
 * Shards are found again by everything their rows depend on. Of a model behind a command or an address that is its text
 * alone, so kept rows are scored again (kept.ts).
 */
function keyOf(input: ExplainInput): string {
  const { goal = { kind: "each", target: {} }, seed = 0 } = input;
  return runHash({ input, goal, seed }).slice(0, 32);
}

/** What a stopped run says. */
export function stoppedNote(done: number, input: ExplainInput): string {
  const next = joinedBy(input) ? "starts again from the beginning" : "goes on from there";
  return `stopped: ${done} of ${input.x.rows} rows are explained, the others were not reached; the same command ${next}.`;
}
