import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFileWhole } from "../node/files.ts";
import { VERSION } from "../src/version.ts";
import { codeDigest } from "./code.ts";
import type { Scenario } from "./settings.ts";
import type { RunOptions } from "./setup.ts";

/** The module whose program made a result. */
export type Maker = "scenario" | "rerun" | "contest" | "benchmark" | "savings" | "plans";

/** One finished piece of work on disk. */
interface Kept<T> {
  readonly version: string;
  /** Digest of the program that made it, its settings included. */
  readonly code: string;
  /** Digest of the result, so that one that was edited or damaged is not taken for what was computed. */
  readonly digest: string;
  readonly result: T;
}

const digests = new Map<Maker, string>();

/** Changes whenever a file behind a maker does: results of different programs or settings are not mixed. */
function codeOf(maker: Maker): string {
  const here = fileURLToPath(import.meta.url);
  const own = join(dirname(here), `${maker}${extname(here)}`);
  // In a bundle there is one program, and this module is in it.
  const digest = digests.get(maker) ?? codeDigest(existsSync(own) ? own : here);
  digests.set(maker, digest);
  return digest;
}

/** The file of a scenario under these options. */
export function scenarioFile(out: string, { id }: Scenario, options: RunOptions): string {
  const { preset, seed, runs, split = 0, draw = 0 } = options;
  return join(out, "scenarios", `${preset}-${id}-runs${runs}-seed${seed}-split${split}-draw${draw}.json`);
}

/** What was kept, unless it is damaged or another program's. */
export function readKept<T>(path: string, maker: Maker = "contest"): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept<T>;
    const own = kept.version === VERSION && kept.code === codeOf(maker);
    return own && kept.digest === digestOf(kept.result) ? kept.result : undefined;
  } catch {
    return undefined;
  }
}

const digestOf = (result: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(result) ?? "")
    .digest("hex");

export function keep<T>(path: string, result: T, maker: Maker = "contest"): void {
  const kept: Kept<T> = { version: VERSION, code: codeOf(maker), digest: digestOf(result), result };
  writeFileWhole(path, `${JSON.stringify(kept)}\n`);
}
