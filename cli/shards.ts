import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Parallel, startParallel } from "../node/parallel.ts";
import { isColaError } from "../src/errors.ts";
import { type Explanation, totalsOf } from "../src/explanation.ts";
import { takeRows } from "../src/num/matrix.ts";
import { runHash } from "../src/run/hash.ts";
import { joinedBy, mergeKernel, type Part, partOf } from "../src/run/merge.ts";
import type { Asking, ExplainInput, Opened } from "../src/run/open.ts";
import { withRealism } from "../src/run/realism.ts";
import type { Matrix, WorkOptions } from "../src/types.ts";
import type { Asked } from "../study/asked.ts";
import { type Given, OPTIONS } from "../study/options.ts";
import { keepShard, keptShard } from "./kept.ts";

/** An explanation, the rows of it that are explained, and whether the run was stopped before all were. */
interface Sharded {
  readonly explanation: Explanation;
  readonly done: number;
  readonly stopped: boolean;
  /** The files in which the shards of this run are kept. */
  readonly files: readonly string[];
}

/** What is asked of an open study. */
export interface Question {
  readonly opened: Opened;
  readonly input: ExplainInput;
}

/** What there is to know of a shard beside its rows. */
export interface Place {
  /** Its number, and its first row. */
  readonly s: number;
  readonly from: number;
  /** Where its rows are kept, and whether they are: those of a shard that is not final are not. */
  readonly path: string | undefined;
  readonly kept: boolean;
}

/** Answers to the shards of a question: the first of them, up to where the run was stopped. */
interface Held<T> {
  readonly held: readonly T[];
  readonly joint: boolean;
  readonly files: readonly string[];
}

/**
 * Explains shard by shard. Finished shards are kept in `<out>/.shards` until all are done, so the same command
 * continues after a kill. Ctrl-C and --timeout give a result of all rows, in which those of the finished shards are
 * explained and the others say that they were not reached. Rows that something joins are one shard, which is not kept.
 * With --workers shards are explained by that many threads; the bytes are the same. `input` says what is asked and is the same in every run of a command; `work` says what is left of its time.
 */
export async function explainInShards(
  given: Given,
  question: Question,
  work: WorkOptions,
  asked: Asked,
): Promise<Sharded> {
  const folder = given.out === "-" ? undefined : (given.out ?? "out");
  const asking = question.opened.question(question.input);
  const whole = { ...question, asking, given, folder };
  const { held, joint, files } = await overShards(whole, work, asked, (part) => part);
  const { rows } = question.input.x;
  if (joint && held[0]) return { explanation: held[0].made!, done: rows, stopped: false, files: [] };
  const found = held.flatMap((part) => part.rows);
  const missing = found.length < rows;
  const stopped = missing || (isLate(work) && found.some(({ status }) => status === "budget"));
  const done = stopped ? found.filter(({ status }) => status !== "budget").length : found.length;
  const explanation = mergeKernel(held, asking.run(), { stopped: missing });
  const compared = explanation.realism ? explanation : comparedBy(question)(explanation);
  return { explanation: compared, done, stopped, files };
}

/** Compares plans with the rows of the table. */
const comparedBy =
  ({ opened, input: { training, references } }: Question) =>
  (made: Explanation): Explanation =>
    withRealism(made, training ?? references, opened.setup.fitted);

/** A question with its rows checked, and the folder in which shards are kept, if there is one. */
interface Whole extends Question {
  readonly asking: Asking;
  readonly given: Given;
  readonly folder: string | undefined;
}

/** The part of a shard; `made` where it was just made. */
type Found = Part & { readonly made?: Explanation };

/** Explains the shards and gives each to `hold`, in no order; shards are kept in `folder`/.shards. */
export async function overShards<T>(
  whole: Whole,
  work: WorkOptions,
  asked: Asked,
  hold: (part: Found, place: Place) => T | Promise<T>,
): Promise<Held<T>> {
  const { opened, input, asking, given, folder: out } = whole;
  const { signal, onProgress } = input;
  const watch = {
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
    ...asked.for("plans"),
  };
  const { rows } = input.x;
  const joint = joinedBy(input) !== undefined;
  const shards = joint ? [[0, rows] as const] : shardsOf(rows, given.shardRows ?? OPTIONS.shardRows.default);
  const folder = joint || out === undefined ? undefined : join(out, ".shards");
  const files = shards.map(([from, to]) => folder && join(folder, `${keyOf(asking, from, to)}.shard`));
  const compare = comparedBy(whole);
  const threads = joint ? undefined : threadsFor(given, whole, shards.length);
  const held = await inOrder(shards.length, threads?.threads ?? 1, async (s) => {
    if (!joint && isLate(work)) return undefined;
    const [from, to] = shards[s]!;
    const path = files[s];
    const place = { s, from, path };
    const known = path && (await keptShard(path, opened.setup, { ...watch, ...asked.for("kept") }, work));
    if (known) return hold(known, { ...place, kept: true });
    const explain = async (more: WorkOptions) =>
      threads ? threads.part(from, to, more) : compare(await asking.part(from, to, more));
    const name = joint ? "" : ` ${s + 1}/${shards.length}`;
    const found = await explainShard(explain, watch, work, name);
    if (!found) return undefined;
    const part = { ...partOf(found.made), made: found.made };
    if (found.final && path) keepShard(path, part, from);
    return hold(part, { ...place, kept: found.final && path !== undefined });
  }).finally(() => threads?.close());
  return { held, joint, files: files.filter((path) => path !== undefined) };
}

/** Rows from which threads pay, unless it is said how many there shall be. */
const MANY_ROWS = 500;

/** Threads that share the work; undefined where this one does all of it. */
function threadsFor(
  { workers }: Given,
  { opened, input, asking }: Whole,
  shards: number,
): Parallel | undefined {
  const wanted = workers ?? (input.x.rows < MANY_ROWS ? 1 : availableParallelism());
  const count = Math.min(wanted, shards);
  return count > 1 ? startParallel(count, opened, input, asking.hash(), true) : undefined;
}

/** The answers 0, 1, 2, … up to the first that there is not, so many asked for at a time. */
async function inOrder<T>(
  count: number,
  atOnce: number,
  one: (i: number) => Promise<T | undefined>,
): Promise<T[]> {
  const found: T[] = [];
  let next = 0;
  let end = count;
  const lane = async (): Promise<void> => {
    while (next < end) {
      const i = next++;
      const answer = await one(i);
      if (answer === undefined) end = Math.min(end, i);
      else found[i] = answer;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return found.slice(0, end);
}

/** Has --timeout run out? Then no further shard is begun. */
export const isLate = ({ limits }: WorkOptions): boolean => limits?.timeMs === 0;

/** The result of a question without rows, told like any other: the question itself, and no rows. */
export function nothingIn({ opened, input }: Question, others: Matrix): Sharded {
  const some = opened.question({ x: takeRows(others, [0]), ids: [0] });
  const explanation = {
    ...mergeKernel([], some.run(), { stopped: true }),
    runHash: runHash({ ...opened.setup, input }),
    rows: [],
    curve: [],
    totals: totalsOf([]),
  };
  return {
    explanation: withRealism(explanation, others, opened.setup.fitted),
    done: 0,
    stopped: false,
    files: [],
  };
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

/** The shard's explanation, and whether it is final; undefined when the run was stopped before it was done. */
async function explainShard(
  explain: (work: WorkOptions) => Promise<Explanation>,
  watch: WorkOptions,
  work: WorkOptions,
  name: string,
): Promise<{ readonly made: Explanation; readonly final: boolean } | undefined> {
  const { onProgress, signal } = watch;
  const { limits } = work;
  try {
    const made = await explain({
      ...watch,
      ...(onProgress ? { onProgress: (p) => onProgress({ ...p, stage: `${p.stage}${name}` }) } : {}),
      ...(limits ? { limits } : {}),
    });
    const whole = made.rows.every(({ status }) => status !== "budget" && status !== "model_error");
    // Ctrl-C also reaches a model in a process of its own, which may answer with a failure first.
    if (signal?.aborted && !whole) return undefined;
    // A row that has its plan when the time runs out may lack what is found after that.
    return { made, final: whole && !isLate(work) };
  } catch (error) {
    if (!isColaError(error) || error.code !== "ABORTED") throw error;
    return undefined;
  }
}

/**
 * Shards are found again by their place in a question and by everything its rows depend on. Of a model behind a command
 * or an address that is its text alone, so kept rows are scored again (kept.ts).
 */
function keyOf({ hash }: Asking, from: number, to: number): string {
  return `${hash().slice(0, 32)}-${from}-${to}`;
}

/** What a stopped run says. */
export function stoppedNote(done: number, input: ExplainInput): string {
  const next = joinedBy(input) ? "starts again from the beginning" : "goes on from there";
  return `stopped: ${done} of ${input.x.rows} rows are explained, the others were not reached; the same command ${next}.`;
}
