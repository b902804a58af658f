import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileWhole } from "../node/files.ts";
import { VERSION } from "../src/version.ts";
import { OWN_METHODS, PAPER_METHODS } from "./methods.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, PRESETS, type Scenario } from "./settings.ts";
import type { RunOptions } from "./setup.ts";

/** One finished piece of work on disk. */
interface Kept<T> {
  readonly version: string;
  readonly settings: string;
  readonly result: T;
}

/** Changes whenever a setting does: results of other settings are not mixed. */
const SETTINGS = createHash("sha256")
  .update(JSON.stringify([PRESETS, DATA, PAPER_METHODS, OWN_METHODS]))
  .digest("hex")
  .slice(0, 16);

/** The file of a scenario under these options. */
export function scenarioFile(out: string, { id }: Scenario, options: RunOptions): string {
  const { preset, seed, runs, split = 0, draw = 0 } = options;
  return join(out, "scenarios", `${preset}-${id}-runs${runs}-seed${seed}-split${split}-draw${draw}.json`);
}

/** What was kept, unless it is damaged or of other settings. */
export function readKept<T = ScenarioResult>(path: string): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept<T>;
    return kept.version === VERSION && kept.settings === SETTINGS ? kept.result : undefined;
  } catch {
    return undefined;
  }
}

export function keep<T>(path: string, result: T): void {
  const kept: Kept<T> = { version: VERSION, settings: SETTINGS, result };
  writeFileWhole(path, `${JSON.stringify(kept)}\n`);
}
