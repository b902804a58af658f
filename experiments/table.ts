import { mean } from "../src/num/stats.ts";
import { LEVELS } from "./methods.ts";
import type { OptimalityResult } from "./optimality.ts";
import type { MethodResult, ScenarioResult } from "./scenario.ts";
import type { PresetName } from "./settings.ts";

/** A results file: how it was made, and what came out. */
export interface Results {
  readonly kind: "table" | "optimality" | "check" | "benchmark" | "savings";
  readonly version: string;
  readonly node: string;
  readonly preset: PresetName;
  readonly switches: unknown;
  readonly seed: number;
  readonly runs: number;
  readonly scenarios: readonly (ScenarioResult | OptimalityResult)[];
  readonly table?: readonly TableRow[];
  readonly best?: ReturnType<typeof fewest>;
}

/** How it is decided that a level is reached: by the first C of every run, or of the mean curve. */
export const RULES = ["first-hit", "mean-curve"] as const;
export type LevelRule = (typeof RULES)[number];

/** One cell: edits per row, half width and ratio of edits, over the scenarios of a data set that reach the level. */
export interface TableCell {
  readonly rule: LevelRule;
  readonly level: number;
  /** null: reached in fewer than half of the scenarios, a dash. */
  readonly edits: number | null;
  readonly half: number | null;
  readonly ratio: number | null;
  /** Scenarios that reach the level, of those the method ran in. */
  readonly reached: number;
  readonly scenarios: number;
}

export interface TableRow {
  readonly data: string;
  readonly method: string;
  readonly ours: boolean;
  readonly cells: readonly TableCell[];
  /** Why the method is missing in some scenarios. */
  readonly why: readonly string[];
}

/** Modified features and ratio per data set and method: the paper's Table 3. */
export function modificationTable(results: readonly ScenarioResult[]): TableRow[] {
  const ran = results.filter((result) => result.why === undefined);
  const names = [...new Set(ran.map(({ data }) => data))];
  return names.flatMap((data) => {
    const own = ran.filter((result) => result.data === data);
    return own[0]!.methods.map(({ method, ours }) => rowOf(data, method, ours, own));
  });
}

interface Part {
  readonly result: ScenarioResult;
  readonly found: MethodResult;
}

function rowOf(data: string, method: string, ours: boolean, results: readonly ScenarioResult[]): TableRow {
  const parts = results.map(
    (result): Part => ({
      result,
      found: result.methods.find((m) => m.method === method)!,
    }),
  );
  const able = parts.filter(({ found }) => found.why === undefined);
  const why = parts.flatMap(({ result, found }) => (found.why ? [`${result.scenario}: ${found.why}`] : []));
  const cells = RULES.flatMap((rule) => LEVELS.map((level) => cellOf(rule, level, able)));
  return { data, method, ours, cells, why };
}

function cellOf(rule: LevelRule, level: number, parts: readonly Part[]): TableCell {
  const hits = parts.flatMap(({ result, found }) => {
    const at = found.levels.find((l) => l.level === level)!;
    const edits = rule === "mean-curve" ? at.meanCurve : at.reached === 1 ? at.firstHit : null;
    return edits === null ? [] : [{ edits, half: at.half ?? 0, ratio: edits / result.unaligned }];
  });
  const head = { rule, level, reached: hits.length, scenarios: parts.length };
  if (hits.length === 0 || 2 * hits.length < parts.length) {
    return { ...head, edits: null, half: null, ratio: null };
  }
  const squares = hits.reduce((sum, { half }) => sum + half ** 2, 0);
  return {
    ...head,
    edits: mean(hits.map(({ edits }) => edits)),
    half: rule === "first-hit" ? Math.sqrt(squares) / hits.length : null,
    ratio: mean(hits.map(({ ratio }) => ratio)),
  };
}

/** The method that needs the fewest edits among those given, for every data set, rule and level. */
export function fewest(rows: readonly TableRow[], methods: readonly string[]) {
  const names = [...new Set(rows.map(({ data }) => data))];
  return names.flatMap((data) =>
    RULES.flatMap((rule) =>
      LEVELS.map((level) => {
        const reached = rows
          .filter((row) => row.data === data && methods.includes(row.method))
          .map((row) => ({ row, cell: row.cells.find((c) => c.rule === rule && c.level === level)! }))
          .filter(({ cell }) => cell.edits !== null)
          .sort((a, b) => b.cell.reached - a.cell.reached || a.cell.edits! - b.cell.edits!);
        const best = reached[0];
        return {
          data,
          rule,
          level,
          method: best?.row.method ?? null,
          edits: best?.cell.edits ?? null,
          reached: best?.cell.reached ?? 0,
        };
      }),
    ),
  );
}
