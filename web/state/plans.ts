import type { ExplainedRow, Plan, SafeValues } from "../../src/explanation.ts";
import type { Proof } from "../../src/types.ts";
import type { Difficulty, PersonPlans } from "../engine/protocol.ts";
import { keyOf, type PersonView } from "./play.ts";

/** A plan as a card shows it. */
export interface ShownPlan extends Plan {
  readonly key: string;
  readonly kind: "smallest" | "other" | "easiest" | "less change" | "sturdy";
  readonly after: number | null;
  readonly ranges?: readonly SafeValues[];
  readonly proof?: Proof | null;
  /** Share of the retrained models that accept it, where some were asked. */
  readonly survival?: ExplainedRow["survival"];
}

export interface ShownPlans {
  readonly cards: readonly ShownPlan[];
  /** The cards called smallest are all there are: certified. */
  readonly complete: boolean;
  /** No plan is smaller than they are: proven over all permitted values. */
  readonly proven: boolean;
  /** Other ways that are known and have no card. */
  readonly more: number;
  /** What was answered under the difficulty of now; undefined while it is being worked out. */
  readonly answer: ExplainedRow | undefined;
}

/** How much a plan weighs for a person; edits that are neither easy nor hard count one. */
export function weightOf({ edits }: Plan, difficulty: Difficulty): number {
  const weights = { easy: 0.5, hard: 3, never: Number.POSITIVE_INFINITY };
  return edits.reduce((sum, { feature }) => {
    const how = difficulty[feature];
    return sum + (how ? weights[how] : 1);
  }, 0);
}

export const planKey = ({ edits }: Plan): string =>
  JSON.stringify(edits.map(({ feature, to }) => [feature, to]));

/**
 * The plans of a person under what they find easy, hard or never change. Every plan that is known and changes nothing that
 * never changes counts, whatever it was found under. So a smaller plan found under a lock is a plan without the lock too:
 * adding a lock never lowers the number of edits, and no plan that is shown has fewer than those called smallest.
 */
export function plansOf(planned: ExplainedRow, person: PersonView): ShownPlans {
  const { difficulty } = person.play;
  const answer = person.answers[keyOf(difficulty)];
  const row = answer?.row ?? (Object.keys(difficulty).length === 0 ? planned : undefined);
  const known = knownPlans(planned, person, difficulty);
  const fewest = Math.min(...known.map(({ edits }) => edits.length));
  const smallest = unlike(known.filter(({ edits }) => edits.length === fewest));
  const ofFewest = row?.edits.length === fewest;
  const complete = row?.allAlternatives === true && ofFewest;
  // What nobody can do without locks, nobody can with them.
  const proven = [row, planned].some((one) => one?.edits.length === fewest && isProven(one.proof));
  const others = othersOf(answer ?? { row, after: [] }, fewest);
  const ways = others.slice(0, OTHERS);
  const cards = [
    ...smallest,
    ...ways,
    ...easierOf(known, smallest, difficulty),
    ...furtherOf(answer ?? { row, after: [] }, fewest),
  ];
  const sturdy = sturdyOf(row);
  const more = others.length - ways.length;
  return { cards: [...cards, ...sturdy], complete, proven, more, answer: answer?.row };
}

/** No plan has fewer edits, whatever permitted values are chosen. */
const isProven = (proof: Proof | null | undefined): boolean =>
  proof?.claim === "optimal" && proof.scope === "model" && proof.least === undefined;

/** The plan that a person is shown everywhere: the one chosen, under what they find easy, hard or never change. */
interface InForce {
  readonly shown: ShownPlans;
  readonly plan: ShownPlan | undefined;
  /** What was answered of it: its proof, or why there is none. */
  readonly answer: ExplainedRow;
  /** The row with this plan. */
  readonly row: ExplainedRow;
}

export function inForce(planned: ExplainedRow, person: PersonView): InForce {
  const shown = plansOf(planned, person);
  const sturdy = person.kind === "sturdy" ? shown.cards.find(({ kind }) => kind === "sturdy") : undefined;
  const plan = sturdy ?? shown.cards[0];
  const asked = Object.keys(person.play.difficulty).length > 0;
  const answer = asked ? (shown.answer ?? planned) : planned;
  if (!plan) return { shown, plan, answer, row: answer };
  if (planKey(plan) === planKey(planned)) return { shown, plan, answer, row: planned };
  const { edits, after } = plan;
  return { shown, plan, answer, row: { ...planned, status: "ok", valid: true, edits, after } };
}

/** All plans that reach the target and change nothing that never changes; those of the answer of now first. */
function knownPlans(planned: ExplainedRow, person: PersonView, difficulty: Difficulty): ShownPlan[] {
  const now = person.answers[keyOf(difficulty)];
  const others = Object.values(person.answers).filter((answer) => answer !== now);
  const answers = [...(now ? [now] : []), { row: planned, after: [] }, ...others];
  const all = answers.flatMap((answer) => {
    const { row, after } = answer;
    const easiest = "easiest" in answer ? answer.easiest : undefined;
    return [
      ...ownPlan(row),
      ...row.alternatives.map((plan, i) => shown(plan, "smallest", after[i] ?? null)),
      ...(easiest ? ownPlan(easiest) : []),
    ];
  });
  return all.filter((plan) => plan.edits.every(({ feature }) => difficulty[feature] !== "never"));
}

function ownPlan({ valid, edits, change, after, ranges, proof, survival }: ExplainedRow): ShownPlan[] {
  if (!valid) return [];
  const plan = { edits, ...(change === undefined ? {} : { change }) };
  return [
    {
      ...shown(plan, "smallest", after),
      ...(ranges ? { ranges } : {}),
      ...(survival ? { survival } : {}),
      proof,
    },
  ];
}

function shown(plan: Plan, kind: ShownPlan["kind"], after: number | null): ShownPlan {
  const { edits, change } = plan;
  return { edits, ...(change === undefined ? {} : { change }), key: planKey(plan), kind, after };
}

/** One plan for each set of features: the first of least change. */
function unlike(plans: readonly ShownPlan[]): ShownPlan[] {
  const kept = new Map<string, ShownPlan>();
  for (const plan of plans) {
    const set = plan.edits
      .map(({ feature }) => feature)
      .sort()
      .join("\n");
    const held = kept.get(set);
    const less = held ? (held.change ?? 0) - (plan.change ?? 0) : Number.POSITIVE_INFINITY;
    const told = held?.key === plan.key && !held.ranges && plan.ranges !== undefined;
    if (less > SAME || told) kept.set(set, plan);
  }
  return [...kept.values()];
}

/** Changes no farther apart are the same: the same sum in another order. */
const SAME = 1e-9;

/** The plan of least weight, where it is lighter than every smallest one. */
function easierOf(
  known: readonly ShownPlan[],
  smallest: readonly ShownPlan[],
  difficulty: Difficulty,
): ShownPlan[] {
  const least = (plans: readonly ShownPlan[]): number =>
    Math.min(...plans.map((plan) => weightOf(plan, difficulty)));
  const weight = least(known);
  if (!(weight < least(smallest))) return [];
  const found = known.find((plan) => weightOf(plan, difficulty) === weight)!;
  return [{ ...found, kind: "easiest" }];
}

/** Cards for ways with more edits of which none can be left out. */
const OTHERS = 6;

interface Answered {
  readonly row: ExplainedRow | undefined;
  readonly after: PersonPlans["after"];
}

/** Plans of other features with more edits, none of which can be left out: fewest edits first, then the least change. */
function othersOf({ row, after }: Answered, fewest: number): ShownPlan[] {
  return (row?.alternatives ?? [])
    .map((plan, i) => shown(plan, "other", after[i] ?? null))
    .filter(({ edits }) => edits.length > fewest)
    .sort((a, b) => a.edits.length - b.edits.length || (a.change ?? 0) - (b.change ?? 0));
}

/** More edits are worth a card where the change falls by this part of it. */
const WORTH = 0.01;

/** Plans with more edits that change noticeably less in all. */
function furtherOf({ row, after }: Answered, fewest: number): ShownPlan[] {
  const others = row?.alternatives.length ?? 0;
  let last = row?.change ?? Number.POSITIVE_INFINITY;
  return (row?.front ?? []).flatMap((plan, i) => {
    if (plan.edits.length <= fewest || plan.change > (1 - WORTH) * last) return [];
    last = plan.change;
    return [shown(plan, "less change", after[others + i] ?? null)];
  });
}

function sturdyOf(row: ExplainedRow | undefined): ShownPlan[] {
  if (!row?.sturdy) return [];
  const { after, ranges, survival, proof } = row.sturdy;
  const own = shown(row.sturdy, "sturdy", after);
  return [{ ...own, ...(ranges ? { ranges } : {}), ...(survival ? { survival } : {}), proof }];
}
