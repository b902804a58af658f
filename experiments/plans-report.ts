import { EXACT, REFERENCE, STURDY_ALL } from "./planners.ts";
import type { PlansResult } from "./plans.ts";
import type { PlansFile } from "./plans-points.ts";
import {
  at,
  changes,
  clustersOf,
  FIRST_LEVEL,
  fixed,
  isProven,
  meanPoint,
  moves,
  of,
  onTrees,
  PLANS,
  pairedOf,
  percent,
  pointOf,
  rivalsOf,
  score,
  total,
} from "./plans-points.ts";
import { DATA, scenarioOf } from "./settings.ts";

const holds = (flag: boolean): string => (flag ? "Holds" : "Does not hold");

/** What came out, with its figures: each sentence says whether it holds. */
export function plansVerdict(results: readonly PlansResult[]): string[] {
  const clusters = clustersOf(results);
  const certain = clusters.filter(isProven);
  if (certain.length === 0) return [];
  const planned = total(certain, (result) => of(result, EXACT, FIRST_LEVEL).plans.filter(Boolean).length);
  const proven = total(certain, (result) => of(result, EXACT, FIRST_LEVEL).proven!);
  const rivals = rivalsOf(certain);
  const beaten = rivals.filter(({ fewer, less }) => fewer + less > 0);
  const [own, theirs] = changes(clusters);
  const [half, numbers] = moves(clusters, EXACT);
  const [otherHalf, otherNumbers] = moves(clusters, REFERENCE);
  const by = beaten.map(({ method, fewer, less }) => `${method} fewer in ${fewer}, less change in ${less}`);
  return [
    `${holds(proven === planned)}: on every row of trees and linear models the default plan has the fewest edits possible and, of these, the least change, by proof: ${proven} of ${planned} rows with a plan (${total(certain, ({ n }) => n)} refused rows).`,
    `${holds(beaten.length === 0)}: no other method has fewer edits on any of these rows, or as few and less change: ${by.length === 0 ? `none of ${rivals.length} does` : by.join("; ")}.`,
    `${holds(own <= 0.5 * theirs)}: the change of the default plans is at least 50 % below that of plans from reference values: ${fixed(own, 0)} against ${fixed(theirs, 0)} MADs, ${percent(1 - own / theirs)} below, over the rows both serve${changeByData(clusters)}.`,
    `${holds(half <= 0.01 * numbers)}: at most 1 % of the numbers that default plans change need less than half of their move: ${half} of ${numbers}; with reference values ${otherHalf} of ${otherNumbers} (${percent(otherHalf / otherNumbers)}).`,
    ...jointLine(clusters),
    ...sturdyVerdict(clusters),
  ];
}

function changeByData(clusters: readonly PlansResult[]): string {
  const data = [...new Set(clusters.map(({ scenario }) => scenarioOf(scenario).data))];
  const each = data.map((name) => {
    const [own, theirs] = changes(clusters.filter(({ scenario }) => scenarioOf(scenario).data === name));
    return `${DATA[name].title} ${percent(1 - own / theirs)}`;
  });
  return each.length > 1 ? ` (${each.join(", ")})` : "";
}

/** On edits × change nothing can be better than the exact plans, and the joint choice is not an exception. */
function jointLine(clusters: readonly PlansResult[]): string[] {
  const points = clusters.map((result) =>
    [EXACT, "joint + minimal"].map((name) => pointOf(result, name, FIRST_LEVEL).slice(0, 2)),
  );
  const hit = points.filter(
    ([a, b]) => a![0]! <= b![0]! && a![1]! <= b![1]! && (a![0]! < b![0]! || a![1]! < b![1]!),
  ).length;
  return [
    `On edits × change the joint choice is dominated by the default plans in ${hit} of ${points.length} clusters (data set × model).`,
  ];
}

function sturdyVerdict(clusters: readonly PlansResult[]): string[] {
  const pairs = pairedOf(clusters);
  if (pairs.length === 0) return [];
  const [first] = pairs;
  const fine = pairs.filter(({ gain }) => gain >= 0);
  const short = pairs.filter(({ gain }) => gain < 0);
  const own = first!;
  const lost = short.map(({ level, gain }) => `${score(level)} (${fixed(gain)})`).join(", ");
  return [
    `${holds(short.length === 0)}: with no more edits than plans from reference values, sturdy plans hold at least as often in models trained again, in the mean over ${onTrees(clusters).length} clusters: at ${fine.length} of ${pairs.length} scores${short.length > 0 ? `, not at ${lost}` : ""}; where nothing but the class is asked, ${fixed(own.sturdy[2]!)} against ${fixed(own.reference[2]!)} (difference ${fixed(own.gain)}, 95 % interval over clusters ${fixed(own.low)} … ${fixed(own.high)}) with ${fixed(own.sturdy[0]!, 2)} against ${fixed(own.reference[0]!, 2)} edits and ${fixed(own.sturdy[1]!, 2)} against ${fixed(own.reference[1]!, 2)} MADs a row. These plans are chosen here among those of several searches; no option offers that choice.`,
    offeredLine(clusters),
  ];
}

/** The same of the sturdy plans that people get, which may have more edits. */
function offeredLine(clusters: readonly PlansResult[]): string {
  const [theirs, own] = [REFERENCE, STURDY_ALL].map((name) => {
    const point = meanPoint(onTrees(clusters), name, FIRST_LEVEL);
    return { edits: point[at("edits")]!, change: point[at("change")]!, survival: point[at("survival")]! };
  }) as [Offered, Offered];
  const fits = own.edits <= theirs.edits && own.survival >= theirs.survival;
  return `${holds(fits)} for the sturdy plans of \`--retrain\` and \`--also\` (all agree): where nothing but the class is asked, they hold in ${fixed(own.survival)} of models trained again against ${fixed(theirs.survival)}, with ${fixed(own.edits, 2)} against ${fixed(theirs.edits, 2)} edits and ${fixed(own.change, 2)} against ${fixed(theirs.change, 2)} MADs a row.`;
}

type Offered = Readonly<Record<"edits" | "change" | "survival", number>>;

/** What was run. */
export function aboutPlans({ rows, also, judges, results }: PlansFile): string[] {
  const clusters = clustersOf(results);
  const run = new Set(clusters.map(({ scenario }) => scenario));
  const absent = run.size > 0 && PLANS.some((id) => run.has(id)) ? PLANS.filter((id) => !run.has(id)) : [];
  return [
    ...(absent.length > 0
      ? [
          `Of the ${PLANS.length} clusters of the settings ${PLANS.length - absent.length} were run for this page; ${absent.join(", ")} were not, and every sentence and table below speaks of the others alone.`,
        ]
      : []),
    `${clusters.length} clusters (data set × model: XGBoost and forest of 100 trees of depth 6, logistic regression, a network of two layers of 32), at most ${rows} refused rows each that no model was trained on, drawn at random; the class a person would want, protected features frozen, all options at their defaults. The axes were named beforehand: edits, change (median absolute deviations, 1 for another level), margin past the score asked, yNN, LOF, and survival: the share of ${judges} further models that still put the plan at the wanted class. These are trained on bootstraps of the champion's own training rows, as many rows as the champion saw (at most 10,000). Where bookings have a date, models trained on later months judge too, again on as many rows.`,
    `Every method is asked for five scores, reference values too; a row without a plan at a score keeps that of the highest below. exact: the default, any legal value, fewest edits, then least change. near values: those of the 50 nearest rows at the target. reference values: those of one of 16 neighbours, the best for the row. transport + minimal and joint + minimal: COLA's couplings over one neighbour of each row. NICE and DiCE are our own implementations of these methods; direct searches without references. Sturdy plans (trees) know ${also} models trained on bootstraps, none of which judges: all agree asks the class of each; in the mean asks the score of the mean of all margins and the class of the champion; within the edits of reference values takes, row by row, the plan of the exact searches that this mean likes most among those with no more edits than the plan from reference values.`,
    "Means (of LOF medians) are over the rows that every method serves, then over clusters; intervals are bootstraps of clusters, of which rows of one data set and model are one.",
  ];
}
