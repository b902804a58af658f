import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readFileBytes, writeFileWhole } from "../node/files.ts";
import { isColaError } from "../src/errors.ts";
import { explain } from "../src/explain.ts";
import type { Explanation } from "../src/explanation.ts";
import { takeRows } from "../src/num/matrix.ts";
import { runHash } from "../src/run/hash.ts";
import { joinedBy, merge } from "../src/run/merge.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Loaded } from "./inputs.ts";
import { readJsonFile } from "./json-file.ts";
import type { Given } from "./options.ts";

/** Rows of one shard where --shard-rows does not say. */
const SHARD_ROWS = 1000;

/** An explanation, the rows of it that are explained, and whether the run was stopped before all were. */
export interface Sharded {
  readonly explanation: Explanation;
  readonly done: number;
  readonly stopped: boolean;
}

/**
 * Explains shard by shard. Finished shards are kept in `<out>/.shards` until all are done, so the same command
 * continues after a kill. Ctrl-C gives a result of all rows, in which those of the finished shards are explained and
 * the others say that they were not reached. Rows that something joins are one shard, which is not kept.
 */
export async function explainInShards(given: Given, data: Loaded, input: ExplainInput): Promise<Sharded> {
  const joint = joinedBy(input);
  const shards = joint ? [[0, input.x.rows] as const] : shardsOf(input.x.rows, given.shardRows ?? SHARD_ROWS);
  const identity = modelIdentity(given, data);
  const began = performance.now();
  const parts: Explanation[] = [];
  for (const [s, [from, to]] of shards.entries()) {
    const shard = joint ? input : rowsOf(input, from, to);
    const path =
      joint || given.out === "-"
        ? undefined
        : join(given.out ?? "out", ".shards", `${keyOf(shard, identity)}.json`);
    const name = joint ? "" : ` ${s + 1}/${shards.length}`;
    const part = (path && kept(path)) ?? (await explainShard(shard, { began, name, path }));
    if (!part) return { explanation: merge(parts, input, { stopped: true }), done: from, stopped: true };
    if (joint) return { explanation: part, done: to, stopped: false };
    parts.push(part);
  }
  return { explanation: merge(parts, input), done: input.x.rows, stopped: false };
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

/** Forgets the shards of a run that is written. */
export function dropShards(given: Given): void {
  if (given.out !== "-") rmSync(join(given.out ?? "out", ".shards"), { recursive: true, force: true });
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
  { began, name, path }: { readonly began: number; readonly name: string; readonly path: string | undefined },
): Promise<Explanation | undefined> {
  const { onProgress, limits, signal } = shard;
  const left = limits?.timeMs === undefined ? undefined : limits.timeMs - (performance.now() - began);
  try {
    const made = await explain({
      ...shard,
      ...(onProgress ? { onProgress: (p) => onProgress({ ...p, stage: `${p.stage}${name}` }) } : {}),
      ...(left === undefined ? {} : { limits: { ...limits, timeMs: Math.max(0, left) } }),
    });
    const final = made.rows.every(({ status }) => status !== "budget" && status !== "model_error");
    if (final && path) writeFileWhole(path, JSON.stringify(made));
    // Ctrl-C also reaches a model in a process of its own, which may answer with a failure first.
    return signal?.aborted && !final ? undefined : made;
  } catch (error) {
    if (!isColaError(error) || error.code !== "ABORTED") throw error;
    return undefined;
  }
}

function kept(path: string): Explanation | undefined {
  return existsSync(path) ? readJsonFile<Explanation>(path, "shard") : undefined;
}

/** Shards are found again by everything their rows depend on; limits and the means of watching are not part of it. */
function keyOf({ limits: _, ...input }: ExplainInput, identity: string): string {
  const { goal = { kind: "each", target: {} }, seed = 0 } = input;
  const hash = createHash("sha256").update(runHash({ input, goal, seed }));
  return hash.update(identity).digest("hex").slice(0, 32);
}

/** What the model is made from: names, files and training labels. A model behind an address is known by that alone. */
function modelIdentity(given: Given, data: Loaded): string {
  const { model, encoding, calibration, outputs, protocol, modelName, label, seed } = given;
  const hash = createHash("sha256");
  for (const path of [model, encoding, calibration]) {
    if (path && existsSync(path)) hash.update(readFileBytes(path));
  }
  if (data.labels) hash.update(data.labels);
  hash.update(JSON.stringify([model, encoding, calibration, outputs, protocol, modelName, label, seed]));
  return hash.digest("hex");
}

/** What a stopped run says. */
export function stoppedNote(done: number, input: ExplainInput): string {
  const next = joinedBy(input) ? "starts again from the beginning" : "goes on from there";
  return `stopped: ${done} of ${input.x.rows} rows are explained, the others were not reached; the same command ${next}.`;
}
