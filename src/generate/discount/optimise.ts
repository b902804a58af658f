import type { ColaError } from "../../errors.ts";
import { fromRows, rowOf, sameValue } from "../../num/matrix.ts";
import type { Random } from "../../num/random.ts";
import { isOutOfBudget } from "../ask.ts";
import { descend } from "./descend.ts";
import { drawResamples, type Resamples } from "./limits.ts";
import { narrow } from "./narrow.ts";
import { type Group, look, type Seen, type Standing, standing } from "./standing.ts";
import { type TrialSettings, trials } from "./trials.ts";

interface OptimiseSettings extends TrialSettings {
  readonly inputLimit: number;
  readonly outputLimit: number;
  readonly resamples: number;
  readonly low: number;
  readonly high: number;
  readonly kappa: number;
  readonly iterations: number;
  readonly rate: number;
  readonly tau: number;
  readonly tolerance: number;
}

/** How the group is moved. */
export type MoveBy = "gradient" | "search";

/** A moved group. */
interface Candidate {
  readonly seen: Seen;
  readonly standing: Standing;
  readonly eta: number;
}

export interface Outcome extends Candidate {
  /** Both limits hold, by resamples that were not used on the way. */
  readonly feasible: boolean;
  readonly iterations: number;
  /** The ways tried, in order. */
  readonly ways: readonly MoveBy[];
  readonly limit: ColaError | undefined;
}

/** Steps over which Q must hardly change for the descent to end. */
const WINDOW = 5;
/** Groups kept on the way. */
const KEPT = 8;

/** What the steps have come to: the best groups seen, best first, and the steps taken. */
interface Log {
  best: readonly Candidate[];
  steps: number;
}

/**
 * Moves the group until its steps or limits run out or Q stands still, in another way if its limits do not hold
 * by then; the best group seen is kept.
 */
export async function optimise(
  group: Group,
  settings: OptimiseSettings,
  ways: readonly MoveBy[],
  random: Random,
): Promise<Outcome> {
  const { members, desired, run } = group;
  const draw = (name: string): Promise<Resamples> =>
    drawResamples(
      members.length,
      desired.length,
      settings.resamples,
      random.split("discount", name),
      run.work,
    );
  const log: Log = { best: [], steps: 0 };
  const taken: MoveBy[] = [];
  try {
    const resamples = await draw("limits");
    for (const way of ways) {
      if (log.best[0] && holds(log.best[0].standing, settings)) break;
      taken.push(way);
      await improve(group, settings, way, resamples, log);
    }
    const checked = await firstThatHolds(group, settings, log.best, await draw("check"));
    const outcome = checked ?? log.best[0]!;
    return {
      ...outcome,
      feasible: checked !== undefined,
      iterations: log.steps,
      ways: taken,
      limit: undefined,
    };
  } catch (error) {
    const [outcome] = log.best;
    if (!isOutOfBudget(error) || !outcome) throw error;
    const feasible = holds(outcome.standing, settings);
    return { ...outcome, feasible, iterations: log.steps, ways: taken, limit: error };
  }
}

/** The best group whose limits hold by resamples it was not chosen with. */
async function firstThatHolds(
  group: Group,
  settings: OptimiseSettings,
  candidates: readonly Candidate[],
  resamples: Resamples,
): Promise<Candidate | undefined> {
  for (const candidate of candidates) {
    if (!holds(candidate.standing, settings)) continue;
    const checked = await standing(group, candidate.seen, resamples);
    if (holds(checked, settings)) return { ...candidate, standing: checked };
  }
  return undefined;
}

/** One way, from the best group seen so far, else from x. */
async function improve(
  group: Group,
  settings: OptimiseSettings,
  way: MoveBy,
  resamples: Resamples,
  log: Log,
): Promise<void> {
  const { inputLimit, outputLimit, iterations } = settings;
  const x = group.members.map((row) => row.x);
  let current = log.best[0]?.seen ?? (await look(group, x));
  const mover = way === "gradient" ? descend(group, settings) : trials(group, settings, () => current);
  let interval = { low: settings.low, high: settings.high };
  const values: number[] = [];
  for (let t = 0; ; t++) {
    const now = await standing(group, current, resamples);
    const [a, b] = [inputLimit - now.inputUpper, outputLimit - now.outputUpper];
    const { eta, next } = narrow(interval, a, b, settings.kappa);
    const candidate = { seen: current, standing: now, eta };
    log.best = [...log.best, candidate].sort((p, q) => compare(p, q, settings)).slice(0, KEPT);
    if (t === iterations) return;
    const step = await mover(eta);
    values.push(step.q);
    if (t >= WINDOW && Math.abs(step.q - values[t - WINDOW]!) / WINDOW < settings.tolerance) return;
    interval = next;
    current = await adopt(group, current, step.rows);
    log.steps++;
    if (group.run.work.due()) await group.run.work.pause(t, iterations);
  }
}

/** The proposed rows; a member keeps its row where the proposal breaks a rule or the model fails on it. */
async function adopt(group: Group, current: Seen, proposed: readonly Float64Array[]): Promise<Seen> {
  const { constraints } = group.run;
  const complete = constraints.complete(fromRows(proposed));
  const legal = constraints.legal(complete);
  const rows = proposed.map((_, i) => {
    const z = rowOf(complete, i);
    const still = z.every((v, k) => sameValue(v, group.members[i]!.x[k]!));
    return legal[i] || still ? z : current.rows[i]!;
  });
  const seen = await look(group, rows);
  const failed = (i: number): boolean => Number.isNaN(seen.y[i]);
  return {
    rows: rows.map((z, i) => (failed(i) ? current.rows[i]! : z)),
    y: seen.y.map((y, i) => (failed(i) ? current.y[i]! : y)),
    valid: seen.valid.map((valid, i) => (failed(i) ? current.valid[i]! : valid)),
  };
}

const holds = (s: Standing, { inputLimit, outputLimit }: OptimiseSettings): boolean =>
  s.inputUpper <= inputLimit && s.outputUpper <= outputLimit;

/** Both limits hold, then most members at the target, then nearest to x, or least over the limits. */
function compare(a: Candidate, b: Candidate, settings: OptimiseSettings): number {
  const [good, other] = [holds(a.standing, settings), holds(b.standing, settings)];
  if (good !== other) return good ? -1 : 1;
  const more = reached(b.seen) - reached(a.seen);
  if (more !== 0) return more;
  if (good) return a.standing.inputUpper - b.standing.inputUpper;
  return excess(a.standing, settings) - excess(b.standing, settings);
}

const reached = ({ valid }: Seen): number => valid.reduce((sum, v) => sum + v, 0);

const excess = (s: Standing, { inputLimit, outputLimit }: OptimiseSettings): number =>
  Math.max(0, s.inputUpper - inputLimit) + Math.max(0, s.outputUpper - outputLimit);
