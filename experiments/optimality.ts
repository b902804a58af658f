import type { FigureSpec } from "../show/figures/contract.ts";
import { SCHEMA } from "../show/figures/theme.ts";
import { rowOf, sameValue, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { mean } from "../src/num/stats.ts";
import { refine } from "../src/refine/refine.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";
import { byOnes, curveOf, rounded } from "./curves.ts";
import { BANDS, bandOf, LEGEND } from "./figure.ts";
import { highsOptimum, type RowChoice } from "./highs.ts";
import { Proposals } from "./propose.ts";
import { sampleRuns } from "./runs.ts";
import { PRESETS, type Scenario } from "./settings.ts";
import { differences, labels, type RunOptions, setUp } from "./setup.ts";

/** MeanD on labels against C: the two one-to-one methods and the optimum over each pairing. */
export interface OptimalityResult {
  readonly scenario: string;
  readonly n: number;
  readonly d: number;
  readonly curves: readonly OptimalityCurve[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
}

type On = "label" | "score";

/** Our optimum and its bound against HiGHS on the same hybrids; NaN is null. */
interface Check {
  readonly pairing: string;
  readonly on: On;
  readonly C: number;
  readonly bound: number;
  readonly ours: number;
  readonly highs: number | null;
  /** Equal, or for scores between the bound and ours where these are within 1e-4 of D(f(x), y*). */
  readonly agrees: boolean;
}

interface OptimalityCurve {
  readonly name: string;
  readonly C: readonly number[];
  readonly D: readonly number[];
  readonly half: readonly number[];
}

/** Result III of the paper: CF-p_OT and CF-p_Ect against the optimum, for C = 0 … `last`. */
export async function optimality(
  scenario: Scenario,
  options: RunOptions,
  last: number,
  work: WorkOptions = {},
): Promise<OptimalityResult> {
  const setup = await setUp(scenario, options, work);
  const switches = { ...PRESETS[options.preset], draws: "nested" as const };
  const random = stream(options.seed, "optimality", scenario.id, options.preset);
  const proposals = new Proposals(setup, switches, "max", random, work);
  const { model, x, r, fr } = setup;
  const wanted = { label: fr, score: await model.predict(r) };
  const table = byOnes(x.rows, fr);
  const pairings = [
    { name: "CF-p_OT", coupling: "transport" as const },
    { name: "CF-p_Ect", coupling: "exact" as const },
  ].filter(({ coupling }) => proposals.reasonAgainst(coupling) === undefined);
  const notes = setup.pairs ? [...setup.notes] : [...setup.notes, proposals.reasonAgainst("exact")!];
  const curves: OptimalityCurve[] = [];
  const checks: OptimalityResult["checks"][number][] = [];
  for (const { name, coupling } of pairings) {
    const { q, phi } = await proposals.proposal({ coupling, shapley: "CF" });
    const counts = await sampleRuns(model, x, q, phi, switches, new Int32Array(0), options.runs, random);
    const { C, D } = curveOf(counts, table, switches.multiplier);
    const kept = C.flatMap((c, t) => (c <= last ? [t] : []));
    const pick = (values: readonly number[]): number[] => kept.map((t) => values[t]!);
    curves.push({ name, C: pick(C), D: pick(D.MeanD.mean), half: pick(D.MeanD.half) });
    const upTo = (await optimum(model, x, q, fr, work)).map(({ D: least }) => least).slice(0, last + 1);
    const title = `optimum, pairs of ${name}`;
    curves.push({ name: title, C: upTo.map((_, c) => c), D: upTo.map(rounded), half: upTo.map(() => 0) });
    const why = reasonAgainstCheck(x, q, name);
    if (why) notes.push(why);
    for (const on of why ? [] : (["label", "score"] as const))
      checks.push(...(await checked(model, x, q, name, on, wanted[on], work)));
  }
  return { scenario: scenario.id, n: x.rows, d: r.cols, curves, checks, notes };
}

/** Shares of the C at which the optimum is best; on scores also one past it. */
const SHARES = { label: [0.1, 0.25, 0.5, 0.75, 1], score: [0.1, 0.25, 0.5, 0.75, 0.9, 1.1] } as const;
/** Share of D(f(x), y*) that is as good as none on scores. */
const CLOSE = 1e-4;

async function checked(
  model: Model,
  x: Matrix,
  q: Matrix,
  pairing: string,
  on: On,
  desired: Float64Array,
  work: WorkOptions,
): Promise<Check[]> {
  const best = await optimum(model, x, q, desired, work, on);
  const close = on === "label" ? 1e-12 : CLOSE * best[0]!.D;
  const least = Math.min(...best.map(({ D }) => D));
  const crossing = best.findIndex(({ D }) => D <= least + close);
  const budgets = SHARES[on].map((share) => Math.min(best.length - 1, Math.round(share * crossing)));
  const solved = await highsOptimum(await choices(model, x, q, on), mean(desired), budgets);
  return budgets.map((C, t) => {
    const { D, bound = D } = best[C]!;
    const highs = solved[t]!;
    const bracketed = bound <= highs + 1e-7 && highs <= D + 1e-6 && D - bound <= close;
    const agrees = Math.abs(D - highs) <= 1e-6 || (on === "score" && bracketed);
    const given = Number.isNaN(highs) ? null : rounded(highs);
    return { pairing, on, C, bound: rounded(bound), ours: rounded(D), highs: given, agrees };
  });
}

/** Least MeanD for every C, with its lower bound. */
export async function optimum(
  model: Model,
  x: Matrix,
  q: Matrix,
  desired: Float64Array,
  work: WorkOptions,
  on: On = "label",
): Promise<readonly { readonly D: number; readonly bound?: number }[]> {
  const goal = { kind: "group", divergence: "mean", on } as const;
  const signal = work.signal ? { signal: work.signal } : {};
  const { curve } = await refine({
    model,
    x,
    q,
    goal,
    desired,
    policy: "minimal",
    stop: "budget",
    ...signal,
  });
  return curve;
}

/** Differing columns of a row up to which all its subsets are scored for HiGHS. */
const MOST_COLUMNS = 16;

/** Why HiGHS is not asked, or undefined. */
function reasonAgainstCheck(x: Matrix, q: Matrix, pairing: string): string | undefined {
  const most = Math.max(...Array.from({ length: x.rows }, (_, i) => differences(rowOf(x, i), rowOf(q, i))));
  if (most <= MOST_COLUMNS) return undefined;
  return `${pairing} is not checked by HiGHS: a row differs in ${most} columns, and it would need all 2^${most} mixtures`;
}

/** For every row the fewest edits that give each value: all subsets are scored, dearer equals are left out. */
export async function choices(model: Model, x: Matrix, q: Matrix, on: On = "label"): Promise<RowChoice[][]> {
  const all: RowChoice[][] = [];
  for (let i = 0; i < x.rows; i++) {
    const columns = Array.from({ length: x.cols }, (_, k) => k).filter(
      (k) => !sameValue(rowOf(x, i)[k]!, rowOf(q, i)[k]!),
    );
    const hybrids = takeRows(x, new Int32Array(2 ** columns.length).fill(i));
    for (let mask = 0; mask < hybrids.rows; mask++) {
      columns.forEach((k, b) => {
        if ((mask >> b) & 1) hybrids.data[mask * x.cols + k] = rowOf(q, i)[k]!;
      });
    }
    const values = on === "label" ? await labels(model, hybrids) : await model.predict(hybrids);
    const best = new Map<number, number>();
    values.forEach((value, mask) => {
      const edits = mask.toString(2).replaceAll("0", "").length;
      best.set(value, Math.min(edits, best.get(value) ?? edits));
    });
    all.push([...best].map(([value, edits]) => ({ edits, value })));
  }
  return all;
}

/** The first is drawn first: lines that lie on each other show in the gaps of those above. */
const DASHES = [
  [1, 0],
  [8, 8],
  [2, 4],
  [2, 10],
];

/** The figure of one or more scenarios, side by side. */
export function optimalityFigure(results: readonly OptimalityResult[]): FigureSpec {
  const values = results.flatMap(({ scenario, curves }) =>
    curves.flatMap(({ name, C, D, half }) =>
      C.map((c, t) => ({
        scenario,
        name,
        C: c,
        D: D[t]!,
        ...bandOf(D[t]!, half[t]!, "MeanD"),
      })),
    ),
  );
  const names = [...new Set(results.flatMap(({ curves }) => curves.map(({ name }) => name)))];
  const title = "How far from the optimum: MeanD on labels against edits";
  return {
    $schema: SCHEMA,
    title,
    description: `${title}. ${BANDS} The optimum has none.`,
    data: { values },
    facet: { column: { field: "scenario", title: null } },
    spec: {
      width: 320,
      height: 220,
      encoding: {
        x: { field: "C", type: "quantitative", title: ["edits C", "bands: 99.9 % interval of the mean"] },
        color: {
          field: "name",
          type: "nominal",
          title: null,
          sort: names,
          scale: { domain: names, range: ["#0072b2", "#009e73", "#d55e00", "#cc79a7"] },
          legend: LEGEND,
        },
      },
      layer: [
        {
          mark: { type: "area", opacity: 0.18 },
          encoding: { y: { field: "low", type: "quantitative", title: "MeanD" }, y2: { field: "high" } },
        },
        {
          mark: { type: "line", strokeWidth: 1.8 },
          encoding: {
            y: { field: "D", type: "quantitative", title: "MeanD" },
            strokeDash: {
              field: "name",
              type: "nominal",
              title: null,
              sort: names,
              scale: { domain: names, range: DASHES },
            },
          },
        },
      ],
    },
  };
}
