import { generators } from "../src/generate/registry.ts";
import { mean } from "../src/num/stats.ts";
import type { Cell } from "../src/types.ts";
import {
  BENCHMARKED,
  type BenchmarkResult,
  type BenchmarkRow,
  STAGES,
  type Stage,
  type Times,
} from "./benchmark.ts";
import type { Measures } from "./measure.ts";
import type { Sheet } from "./present.ts";

const NUMBERS = ["validity", "l0", "l1", "l2", "redundancy", "yNN", "modelRows"] as const;
const TITLES = ["validity", "L0", "L1", "L2", "redundancy", "yNN", "model rows"];
const TIME = "CPU s per row";

const fixed = (value: number | null): string =>
  value === null || !Number.isFinite(value) ? "" : value.toFixed(value >= 100 ? 0 : 3);
const shortTime = (seconds: number | null): string => (seconds === null ? "" : seconds.toPrecision(2));

/** Every scenario, generator and stage; with times where they are given. */
export function benchmarkSheet(results: readonly BenchmarkResult[], times?: readonly Times[]): Sheet {
  const numbers = ({ measures }: BenchmarkRow): Cell[] =>
    NUMBERS.map((key) => (measures ? fixed(measures[key]) : ""));
  return {
    name: times ? "benchmark-times" : "benchmark",
    title: "Every scenario",
    columns: ["scenario", "generator", "rows are", ...TITLES, ...(times ? [TIME] : []), "why not"],
    rows: results.flatMap(({ scenario, rows }, s) =>
      rows.map((row, t) => [
        scenario,
        generators[row.generator].title,
        row.stage,
        ...numbers(row),
        ...(times ? [shortTime(times[s]?.[t] ?? null)] : []),
        row.why ?? "",
      ]),
    ),
  };
}

/** Means over the scenarios a generator runs in. */
export function benchmarkSummary(results: readonly BenchmarkResult[], times: readonly Times[]): Sheet {
  const flat = results.flatMap(({ rows }, s) =>
    rows.map((row, t) => ({ row, seconds: times[s]?.[t] ?? null })),
  );
  const known = (values: readonly (number | null)[]): number | null => {
    const some = values.filter((v) => v !== null);
    return some.length > 0 ? mean(some) : null;
  };
  return {
    name: "benchmark-means-times",
    title: "Generators before and after refinement: means over the scenarios each runs in",
    columns: ["generator", "rows are", "scenarios", ...TITLES, TIME],
    rows: BENCHMARKED.flatMap((generator) =>
      STAGES.map((stage) => {
        const own = flat.filter(
          ({ row }) => row.generator === generator && row.stage === stage && row.measures,
        );
        return [
          generators[generator].title,
          stage,
          own.length,
          ...NUMBERS.map((key) => fixed(known(own.map(({ row }) => row.measures![key])))),
          shortTime(known(own.map(({ seconds }) => seconds))),
        ];
      }),
    ),
  };
}

/** Generators that cannot be had, and why. */
export function reasonSheet(results: readonly BenchmarkResult[]): Sheet {
  return {
    name: "benchmark-reasons",
    title: "Generators that make no sense there, and why",
    columns: ["scenario", "generator", "why"],
    rows: results.flatMap(({ scenario, rows }) =>
      rows
        .filter(({ stage, why }) => stage === STAGES[0] && why !== undefined)
        .map(({ generator, why }) => [scenario, generators[generator].title, why!]),
    ),
  };
}

/** What refinement changes, counted over scenarios and generators. */
export function benchmarkVerdict(results: readonly BenchmarkResult[]): string[] {
  return STAGES.slice(1).map((stage) => {
    const pairs = results.flatMap(({ rows }) => pairsOf(rows, stage));
    const count = (test: (before: Measures, after: Measures) => boolean): string =>
      `${pairs.filter(([before, after]) => test(before, after)).length} of ${pairs.length}`;
    return [
      `${stage}: fewer edits than as generated in ${count((b, a) => less(a.l0, b.l0))} cases,`,
      `more in ${count((b, a) => less(b.l0, a.l0))};`,
      `validity lower in ${count((b, a) => less(a.validity, b.validity))};`,
      `smaller L2 in ${count((b, a) => less(a.l2, b.l2))};`,
      `yNN lower in ${count((b, a) => less(a.yNN, b.yNN))}, higher in ${count((b, a) => less(b.yNN, a.yNN))};`,
      `an edit left that could be undone in ${count((_, a) => less(0, a.redundancy))}.`,
    ].join(" ");
  });
}

function pairsOf(rows: readonly BenchmarkRow[], stage: Stage): (readonly [Measures, Measures])[] {
  return BENCHMARKED.flatMap((generator) => {
    const of = (name: Stage) =>
      rows.find((row) => row.generator === generator && row.stage === name)?.measures;
    const [before, after] = [of(STAGES[0]), of(stage)];
    return before && after ? [[before, after] as const] : [];
  });
}

const less = (a: number | null, b: number | null): boolean => a !== null && b !== null && a < b - 1e-9;
