import { stream } from "../src/num/random.ts";
import type { WorkOptions } from "../src/types.ts";
import { byOnes, levelsOf, rounded } from "./curves.ts";
import { RERUN, type Rerun } from "./paper-values.ts";
import type { Sheet } from "./present.ts";
import { Proposals } from "./propose.ts";
import { sampleRuns } from "./runs.ts";
import { gridOf } from "./scenario.ts";
import { PRESETS, type Scenario } from "./settings.ts";
import { type RunOptions, setUp } from "./setup.ts";

/** Draws of (x, r) from one model. */
export const DRAWS = 10;
/** How far outside the range of our draws the other program's value may lie. */
const MARGIN = 0.1;

/** CF-p_OT in one draw: D at C = 0, differing columns, and edits per row at both levels by both rules. */
export interface Draw {
  readonly start: number;
  readonly unaligned: number;
  readonly firstHit: readonly (number | null)[];
  readonly meanCurve: readonly (number | null)[];
}

/** CF-p_OT of one scenario over several draws of (x, r), the model being the same. */
export async function draws(
  scenario: Scenario,
  options: RunOptions,
  count: number,
  work: WorkOptions = {},
): Promise<Draw[]> {
  const switches = PRESETS[options.preset];
  const found: Draw[] = [];
  for (let draw = 0; draw < count; draw++) {
    work.onProgress?.({ stage: scenario.id, done: draw, total: count });
    const setup = await setUp(scenario, { ...options, draw }, work);
    const random = stream(options.seed, "draws", scenario.id, options.preset, draw);
    const proposals = new Proposals(setup, switches, switches.value[scenario.data], random, work);
    const { q, phi } = await proposals.proposal({ coupling: "transport", shapley: "CF" });
    const grid = gridOf(scenario, setup);
    const counts = await sampleRuns(setup.model, setup.x, q, phi, switches, grid, options.runs, random);
    const { OT } = byOnes(setup.x.rows, setup.fr);
    const levels = levelsOf(counts, OT, setup.x.rows, switches.multiplier);
    found.push({
      start: rounded(OT[counts.counts[0]![0]!]!),
      unaligned: rounded(setup.unaligned),
      firstHit: levels.map((l) => l.firstHit),
      meanCurve: levels.map((l) => l.meanCurve),
    });
  }
  return found;
}

/** Does the other program's value lie in [min, max] of our draws, 10 % wider on both sides? */
export function inRange(value: number, ours: readonly (number | null)[]): boolean {
  const known = ours.filter((v) => v !== null);
  if (known.length === 0) return false;
  return value >= (1 - MARGIN) * Math.min(...known) && value <= (1 + MARGIN) * Math.max(...known);
}

/** Rows compared with the other program's, those in range by both first-hit values, and those in range by all values. */
export interface Agreement {
  readonly compared: number;
  readonly agree: number;
  readonly whole: number;
}

/** Ours beside the other program's, row by row; a row agrees when both first-hit values are in range. */
export function rerunSheet(found: ReadonlyMap<string, readonly Draw[]>): {
  sheet: Sheet;
  agreement: Agreement;
} {
  const rows = [...found].map(([scenario, own]) => {
    const other = RERUN.find((r) => r.scenario === scenario);
    return { scenario, own, other, ...(other ? inRangeOf(other, own) : {}) };
  });
  const sheet: Sheet = {
    name: "check",
    title:
      "CF-p_OT with KNN in the authors' settings: range over draws of (x, r), and another program's value",
    columns: [
      ...["scenario", "D at C = 0", "other", "80 % first-hit", "other", "100 % first-hit", "other"],
      ...["80 % mean-curve", "other", "100 % mean-curve", "other"],
      ...["differing columns", "other", "agrees", "all values"],
    ],
    rows: rows.map(({ scenario, own, other, agrees, whole }) => [
      scenario,
      range(own.map((d) => d.start)),
      other?.start ?? null,
      ...[0, 1].flatMap((l) => [range(own.map((d) => d.firstHit[l]!)), other?.firstHit[l] ?? null]),
      ...[0, 1].flatMap((l) => [range(own.map((d) => d.meanCurve[l]!)), other?.meanCurve[l] ?? null]),
      range(own.map((d) => d.unaligned)),
      other?.unaligned ?? null,
      yesOrNo(agrees),
      yesOrNo(whole),
    ]),
  };
  const count = (test: (row: (typeof rows)[number]) => unknown): number => rows.filter(test).length;
  const agreement = {
    compared: count((row) => row.other),
    agree: count((row) => row.agrees),
    whole: count((row) => row.whole),
  };
  return { sheet, agreement };
}

/** What is said of it. */
export function agreementText({ compared, agree, whole }: Agreement): string {
  return `${agree} of ${compared} rows agree by both first-hit values; ${whole} by every value shown.`;
}

const yesOrNo = (flag: boolean | undefined): string => (flag === undefined ? "" : flag ? "yes" : "no");

function range(values: readonly (number | null)[]): string {
  const known = values.filter((v) => v !== null);
  return known.length === 0 ? "–" : `${Math.min(...known).toFixed(2)} … ${Math.max(...known).toFixed(2)}`;
}

function inRangeOf(other: Rerun, own: readonly Draw[]): { agrees: boolean; whole: boolean } {
  const by = (rule: "firstHit" | "meanCurve"): boolean =>
    other[rule].every((value, l) =>
      inRange(
        value,
        own.map((d) => d[rule][l]!),
      ),
    );
  const single = (name: "start" | "unaligned"): boolean =>
    inRange(
      other[name],
      own.map((d) => d[name]),
    );
  const agrees = by("firstHit");
  return { agrees, whole: agrees && by("meanCurve") && single("start") && single("unaligned") };
}
