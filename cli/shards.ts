import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readFileBytes, writeFileWhole } from "../node/files.ts";
import { isColaError } from "../src/errors.ts";
import { explain } from "../src/explain.ts";
import type { Explanation } from "../src/explanation.ts";
import { takeRows } from "../src/num/matrix.ts";
import { runHash } from "../src/run/hash.ts";
import { isSeparable, merge } from "../src/run/merge.ts";
import { type ExplainInput, openRun } from "../src/run/open.ts";
import type { Loaded } from "./inputs.ts";
import { readJsonFile } from "./json-file.ts";
import type { Given } from "./options.ts";

/** Rows of one shard where --shard-rows does not say. */
const SHARD_ROWS = 1000;

/** An explanation, and whether it was stopped before all rows were explained. */
export interface Sharded {
  readonly explanation: Explanation;
  readonly stopped: boolean;
}

/**
 * Explains a long input shard by shard. Finished shards are kept in `<out>/.shards` until all are done, so the
 * same command continues after a kill; after Ctrl-C the finished ones are the (partial) result. Goals that join
 * the rows, and short inputs, are explained at once.
 */
export async function explainInShards(given: Given, data: Loaded, input: ExplainInput): Promise<Sharded> {
  const size = given.shardRows ?? SHARD_ROWS;
  if (!isSeparable(input) || input.x.rows <= size) {
    return { explanation: await explain(input), stopped: false };
  }
  const folder = join(given.out ?? "out", ".shards");
  const identity = modelIdentity(given, data);
  const count = Math.ceil(input.x.rows / size);
  const began = performance.now();
  const parts: Explanation[] = [];
  for (let s = 0; s < count; s++) {
    const shard = rowsOf(input, s * size, Math.min(input.x.rows, (s + 1) * size));
    const path = join(folder, `${keyOf(shard, identity)}.json`);
    try {
      parts.push(kept(path) ?? (await explainShard(shard, { began, name: `${s + 1}/${count}`, path })));
    } catch (error) {
      if (!isColaError(error) || error.code !== "ABORTED" || parts.length === 0) throw error;
      return { explanation: merge(parts, rowsOf(input, 0, s * size)), stopped: true };
    }
  }
  return { explanation: merge(parts, input), stopped: false };
}

/** Forgets the shards of a run that is written. */
export function dropShards(given: Given): void {
  rmSync(join(given.out ?? "out", ".shards"), { recursive: true, force: true });
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

async function explainShard(
  shard: ExplainInput,
  { began, name, path }: { readonly began: number; readonly name: string; readonly path: string },
): Promise<Explanation> {
  const { onProgress, limits } = shard;
  const left = limits?.timeMs === undefined ? undefined : limits.timeMs - (performance.now() - began);
  const made = await explain({
    ...shard,
    ...(onProgress ? { onProgress: (p) => onProgress({ ...p, stage: `${p.stage} ${name}` }) } : {}),
    ...(left === undefined ? {} : { limits: { ...limits, timeMs: Math.max(0, left) } }),
  });
  const final = made.rows.every(({ status }) => status !== "budget" && status !== "model_error");
  if (final) writeFileWhole(path, JSON.stringify(made));
  return made;
}

function kept(path: string): Explanation | undefined {
  return existsSync(path) ? readJsonFile<Explanation>(path, "shard") : undefined;
}

/** Shards are found again by everything their rows depend on; limits and the means of watching are not part of it. */
function keyOf({ limits: _, ...shard }: ExplainInput, identity: string): string {
  return createHash("sha256")
    .update(runHash(openRun(shard)))
    .update(identity)
    .digest("hex")
    .slice(0, 32);
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
export const stoppedNote = (done: number, rows: number): string =>
  `stopped: the result has the ${done} of ${rows} rows that were done; the same command goes on from there.`;
