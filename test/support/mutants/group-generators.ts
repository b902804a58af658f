import type { Work } from "../../../src/budget.ts";
import { type itemSets, itemSets as mine } from "../../../src/generate/ares/item-sets.ts";
import { localSearch } from "../../../src/generate/ares/local-search.ts";
import { meritOf, type Standing } from "../../../src/generate/ares/objective.ts";
import { ares } from "../../../src/generate/ares.ts";
import type { Generated, Task } from "../../../src/generate/contract.ts";
import { type bootstrapUpper, dkwUpper } from "../../../src/generate/discount/limits.ts";
import { narrow } from "../../../src/generate/discount/narrow.ts";
import { type goals, trimmedSorted } from "../../../src/generate/discount/transport.ts";
import { readDiceJson, writeDiceJson } from "../../../src/generate/given/dice.ts";
import {
  along,
  type Direction,
  drawDirection,
  type thresholds,
} from "../../../src/generate/globe/direction.ts";
import type { greedyCover } from "../../../src/generate/globe/screen.ts";
import { globeCe } from "../../../src/generate/globe-ce.ts";
import { stream } from "../../../src/num/random.ts";
import { sorted } from "../../../src/num/stats.ts";

/** Wrong twins of the mining of item sets. */
export const itemSetMutants: Readonly<Record<string, typeof itemSets>> = {
  "more than enough rows": (codes, d, features, limits, work) =>
    mine(codes, d, features, { ...limits, least: limits.least + 1 }, work),
  "one item short": (codes, d, features, limits, work) =>
    mine(codes, d, features, { ...limits, longest: Math.max(1, limits.longest - 1) }, work),
  "missing values as items": (codes, d, features, limits, work) =>
    mine(
      codes.map((bin) => (bin < 0 ? 0 : bin)),
      d,
      features,
      limits,
      work,
    ),
};

/** Wrong twins of the choice of rules. */
export const localSearchMutants: Readonly<Record<string, typeof localSearch>> = {
  "the best single rule": async (n, ground, settings, work) =>
    localSearch(n, ground, { ...settings, rules: 1 }, work),
  "the first rules": async (_, ground, settings) => ground.slice(0, settings.rules),
  "no heed of groups": (n, ground, settings, work: Work) =>
    localSearch(n, ground, { ...settings, groups: 1000 }, work),
};

/** A row nobody takes to the target costs nothing: more rules can then lower the merit. */
export const forgivingMerit: typeof meritOf = (settings, standing) =>
  meritOf(settings, {
    ...standing,
    cost: standing.cost.map((c) => (Number.isFinite(c) ? c : 0)),
  } satisfies Standing);

type Run<Options> = (task: Task, options: Options) => Promise<Generated>;

/** Wrong twins of AReS: what the authors' program returned, and rules in any order. */
export const aresMutants: Readonly<Record<string, Run<object>>> = {
  "the first rule for all": (task, options) => ares(task, { ...options, rules: 1 }, stream(0, "mutant")),
  "the dearest rule first": async (task, options) => {
    const all = await ares(task, { ...options, count: 20 }, stream(0, "mutant"));
    const last = [...all.pairs!.keys()].filter((t) => all.pairs![t] !== all.pairs![t + 1]);
    const data = new Float64Array(last.length * all.rows.cols);
    last.forEach((t, s) => {
      data.set(all.rows.data.subarray(t * all.rows.cols, (t + 1) * all.rows.cols), s * all.rows.cols);
    });
    const pairs = Int32Array.from(last, (t) => all.pairs![t]!);
    return { ...all, pairs, rows: { data, rows: last.length, cols: all.rows.cols } };
  },
};

/** Wrong twins of a direction. */
export const directionMutants: Readonly<Record<string, typeof drawDirection>> = {
  "not scaled to its magnitude": (run, bins, settings, random) =>
    drawDirection(run, bins, { ...settings, magnitude: 1 }, random),
  "in units of the table": (run, bins, settings, random) => ({
    delta: drawDirection(run, bins, settings, random).delta.map((own, k) =>
      own?.length === 1 ? own.map((v) => v / bins[k]!.width) : own,
    ),
  }),
  "one feature too many": (run, bins, settings, random) =>
    drawDirection(run, bins, { ...settings, features: settings.features + 1 }, random),
};

/** The switch of levels at 1/δ, as if x's own level did not move along. */
export const ownLevelStays: typeof thresholds = (_, direction: Direction, row) =>
  row.moves.flatMap(({ k, values }) => {
    const own = direction.delta[k];
    return own && own.length > 1 ? (values ?? []).map((level) => (1 + 1e-9) / own[level]!) : [];
  });

export const alongMutant: typeof along = (run, direction, row, scalar) =>
  along(run, direction, row, 2 * scalar);

/** Directions by what each covers alone, however much they overlap. */
export const coverAlone: typeof greedyCover = (screened, count) =>
  screened.toSorted((a, b) => b.reached - a.reached).slice(0, count);

export const globeMutants: Readonly<Record<string, Run<object>>> = {
  "no search for the least scalar": (task, options) =>
    globeCe(task, { ...options, refine: 0 }, stream(0, "mutant")),
};

/** Wrong twins of the trimmed distance. */
export const trimMutants: Readonly<Record<string, typeof trimmedSorted>> = {
  "without its factor": (a, b, trim) => trimmedSorted(a, b, trim) * (1 - 2 * trim),
  "without trimming": (a, b, trim) => trimmedSorted(a, b, 0) / (1 - 2 * trim),
  "paired by position": (a, b, trim) => {
    const n = Math.min(a.length, b.length);
    return trimmedSorted(a.slice(0, n), b.slice(0, n), trim);
  },
};

export const goalMutants: Readonly<Record<string, typeof goals>> = {
  "in the order they come": (a, b) => a.map((_, i) => b[i % b.length]!),
  "all to the mean": (a, b) => a.map(() => b.reduce((sum, v) => sum + v, 0) / b.length),
};

type Upper = typeof bootstrapUpper;

/** Limits that are none. */
export const limitMutants: Readonly<Record<string, Upper>> = {
  "the distance itself": async (a, b, trim) => Math.sqrt(trimmedSorted(sorted(a), sorted(b), trim)),
};

export const dkwMutants: Readonly<Record<string, typeof dkwUpper>> = {
  "a band of no width": (a, b, trim, _, bounds) => dkwUpper(a, b, trim, 4, bounds),
};

export const narrowMutants: Readonly<Record<string, typeof narrow>> = {
  "η the wrong way round": (interval, a, b, kappa) => narrow(interval, b, a, kappa),
  "no narrowing": (interval, a, b) => narrow(interval, a, b, 0),
};

/** Wrong twins of the DiCE files: what JSON.parse and JSON.stringify would make of them. */
export const givenMutants: Readonly<
  Record<string, { read: typeof readDiceJson; write: typeof writeDiceJson }>
> = {
  "floats as whole numbers": {
    read: readDiceJson,
    write: (file) => writeDiceJson(file).replace(/(\d)\.0\b/g, "$1"),
  },
  "row labels counted anew": {
    read: (text) => {
      const file = readDiceJson(text);
      const anew = <T extends { index?: unknown }>({ index: _, ...frame }: T) => frame;
      const examples = file.examples.map((example) => ({
        ...example,
        factual: anew(example.factual),
        counterfactuals: example.counterfactuals && anew(example.counterfactuals),
      }));
      return { ...file, examples } as typeof file;
    },
    write: writeDiceJson,
  },
  "instances without counterfactuals left out": {
    read: (text) => {
      const file = readDiceJson(text);
      return { ...file, examples: file.examples.filter((example) => example.counterfactuals !== null) };
    },
    write: writeDiceJson,
  },
};
