import { couplers } from "../couple/registry.ts";
import { squaredDistance } from "../data/metric.ts";
import { decodeCell } from "../data/schema.ts";
import { ColaError, isLimit } from "../errors.ts";
import { labelsOf } from "../evaluate/divergence.ts";
import { type Edit, type ExplainedRow, type Explanation, type Plan, totalsOf } from "../explanation.ts";
import { scorerKernel } from "../model/scorer.ts";
import { divergences, effectOf } from "../num/divergence.ts";
import { rowOf } from "../num/matrix.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import type { Coupling, Goal, Matrix } from "../types.ts";
import { VERSION } from "../version.ts";
import type { Attributed } from "./attribute.ts";
import type { AlsoFound, Alternative, ExplainInput, Others, Run } from "./contract.ts";
import type { Desired } from "./desired.ts";
import { domainsOf } from "./domains.ts";
import { given, plain } from "./plain.ts";
import type { Proposal } from "./propose.ts";
import type { Relaxed } from "./relax.ts";
import { cellsOf, invalidRow } from "./unexplained.ts";

/** What the stages found, before it is told. */
export interface Findings {
  readonly proposal: Proposal;
  readonly attributed: Attributed;
  readonly refined: Refined;
  /** Other plans of each row. */
  readonly others: readonly Others[];
  /** What would allow a plan, for rows without one. */
  readonly relaxed: ReadonlyMap<number, Relaxed>;
  readonly wanted: Desired;
  /** What a search over values found besides. */
  readonly alsoFound: ReadonlyMap<number, AlsoFound>;
  /** What each edit of a plan carries of the way to it. */
  readonly shares: ReadonlyMap<number, readonly number[]>;
}

/** Scores of q by the model; NaN where it fails or a limit ran out. */
async function proposedScores(run: Run, q: Matrix): Promise<Float64Array> {
  const { model, output } = run.shown;
  const ask = scorerKernel(model, run.work.stage("evaluate"));
  try {
    return (await ask.scoreEach(q, output)).scores;
  } catch (error) {
    if (!isLimit(error)) throw error;
    return new Float64Array(q.rows).fill(Number.NaN);
  }
}

/** The frozen result. Every returned row is checked against the constraints cell by cell. */
export async function assemble(run: Run, findings: Findings): Promise<Explanation> {
  const { proposal, attributed, refined } = findings;
  const scores = await proposedScores(run, proposal.q);
  const explained = run.good.map((row, i) => explainRow(run, findings, scores[i]!, row, i));
  const byRow = new Map(explained.map((row) => [row.row, row]));
  const rows = Array.from({ length: run.input.x.rows }, (_, i) => byRow.get(i) ?? invalidRow(run, i));
  const { exact, space, residual } = attributed.attribution;
  return deepFreeze({
    ...headOf(run),
    rows,
    curve: refined.curve.map(({ C, D, effect: share }) => ({ edits: C, divergence: D, effect: share })),
    effect: effectReached(
      run.goal,
      {
        before: refined.rows.map(({ before }) => before),
        after: refined.rows.map(({ after }) => after),
        proposed: scores,
      },
      findings.wanted.scores,
    ),
    coupling: proposal.spread ? couplingOf(proposal.spread) : null,
    attribution: { exact, space, residual },
    totals: totalsOf(rows),
  });
}

type Head = Omit<Explanation, "rows" | "curve" | "effect" | "coupling" | "attribution" | "totals">;

/** What a result says of the question itself. */
export function headOf(run: Run): Head {
  return {
    schemaVersion: 2,
    versions: { "cola-xai": VERSION },
    seed: run.seed,
    runHash: run.hash(),
    goal: plain(run.goal),
    outputs: [...run.model.outputs],
    output: run.shown.name,
    schema: plain(run.constraints.schema),
    ...(run.plans === "searched" ? { domains: domainsOf(run) } : {}),
    method: {
      coupling: run.coupling,
      value: run.input.value ?? "most-likely",
      policy: run.policy,
      dependsOnGroup: run.goal.kind === "group" || couplesGroup(run) || run.input.budget?.total !== undefined,
    },
    options: resolvedOptions(run),
  };
}

function couplingOf({ name, cost, gap, converged, rows }: Coupling): Explanation["coupling"] {
  return { name, cost: finite(cost), gap, converged, entries: rows.length };
}

/** Does a row's partner depend on the others, or on its place among them? */
function couplesGroup({ coupling, coupler, input }: Run): boolean {
  if (!coupler) return coupling === "joint";
  return coupler.group || (coupler === couplers.exact && !input.pairs);
}

/** The options a result speaks of, in its order, with what stands where one is not given. */
const RESOLVED = {
  coupling: null,
  value: "most-likely",
  policy: null,
  stop: "goal",
  prefer: "margin",
  values: null,
  objective: "edits",
  candidates: 32,
  seed: 0,
  alternatives: 0,
  front: 0,
  prune: false,
  budget: null,
  maxDistance: null,
  effort: null,
  attribution: null,
  epsilon: null,
  bins: null,
  limits: null,
  reuse: null,
  capped: null,
} satisfies Partial<Record<keyof ExplainInput, unknown>>;

function resolvedOptions({ input, policy, coupling, values }: Run): Readonly<Record<string, unknown>> {
  const { background, only, prune = policy === "greedy" } = input;
  const known: Partial<Record<string, unknown>> = { ...input, coupling, policy, prune, values };
  const entries = Object.entries({ ...RESOLVED, ...given({ background, only }) });
  return Object.fromEntries(entries.map(([name, standard]) => [name, plain(known[name] ?? standard)]));
}

/** Numbers that are not numbers are null in JSON. */
const finite = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value;

function explainRow(run: Run, findings: Findings, proposed: number, row: number, i: number): ExplainedRow {
  const { proposal, attributed, refined } = findings;
  const { constraints, metric, players } = run;
  const [x, q, z] = [rowOf(run.x, i), rowOf(proposal.q, i), rowOf(refined.z, i)];
  const problems = constraints.violations(x, z);
  if (problems.length > 0) {
    throw new ColaError(
      "INTERNAL",
      `explain: the plan of row ${row} breaks a constraint: ${problems.join("; ")}.`,
      { row, problems },
    );
  }
  const found = refined.rows[i]!;
  const phi = rowOf(attributed.attribution.values, i);
  const attributions = new Array<number>(run.x.cols).fill(0);
  players.forEach((k, p) => {
    attributions[k] = phi[p]!;
  });
  const reference = found.reference ?? proposal.source[i]!;
  const { relaxation, hint } = findings.relaxed.get(i) ?? {};
  const id = run.input.ids?.[row];
  const { plans, fewer, all } = findings.others[i]!;
  const { ranges, useless, front } = findings.alsoFound.get(i) ?? {};
  return {
    row,
    ...given({ id }),
    status: found.status,
    ...reasonOf(found, attributed.failures.get(i), hint),
    ...given({ relaxation }),
    x: cellsOf(run, x),
    edits: editsOf(
      run,
      x,
      z,
      attributions,
      found.edits.map((p) => players[p]!),
    ),
    ...(found.valid && found.edits.length > 0 ? { change: run.change(x, z) } : {}),
    ...given({ ranges, planShares: findings.shares.get(i), useless }),
    proposal: editsOf(run, x, q, attributions),
    alternatives: plans.map((plan) => otherPlan(run, x, plan, attributions)),
    ...given({ allAlternatives: all, fewerAlternatives: fewer }),
    ...(front
      ? {
          front: front.map(({ z: to, least }) => ({
            edits: editsOf(run, x, to, attributions),
            change: run.change(x, to),
            least,
          })),
        }
      : {}),
    reference: reference >= 0 ? reference : null,
    before: finite(found.before),
    after: finite(found.after),
    proposed: finite(proposed),
    margin: finite(found.slack),
    valid: found.valid,
    proof: found.proof ?? null,
    attributions,
    ...given({ typical: attributed.typical && cellsOf(run, attributed.typical[i]!) }),
    base: finite(attributed.attribution.base[i]),
    distance: { z: Math.sqrt(squaredDistance(metric, x, z)), q: Math.sqrt(squaredDistance(metric, x, q)) },
  };
}

function reasonOf(found: RefinedRow, failure?: string, hint?: string): { reason?: string } {
  const reason = found.reason ?? failure;
  if (reason === undefined) return {};
  return { reason: hint === undefined ? reason : `${reason} ${hint[0]!.toUpperCase()}${hint.slice(1)}` };
}

/** Another plan; the attributions of its edits are those of the row's own game. */
function otherPlan(run: Run, x: Float64Array, plan: Alternative, attributions: readonly number[]): Plan {
  const z = plan.z ?? borrowed(run, x, plan);
  return { edits: editsOf(run, x, z, attributions), change: run.change(x, z) };
}

/** x with the values that a plan takes from its reference. */
function borrowed(
  { players, r }: Run,
  x: Float64Array,
  { players: edited, reference }: Alternative,
): Float64Array {
  const z = x.slice();
  for (const p of edited) z[players[p]!] = r.data[reference * r.cols + players[p]!]!;
  return z;
}

/** Cells in which two rows differ, in `order` first (the order of selection), derived columns apart. */
function editsOf(
  { constraints, players }: Run,
  from: Float64Array,
  to: Float64Array,
  attributions: readonly number[],
  order: readonly number[] = players,
): Edit[] {
  return order
    .filter((k) => !constraints.same(k, from[k]!, to[k]!))
    .map((k) => {
      const feature = constraints.schema.features[k]!;
      return {
        feature: feature.name,
        from: decodeCell(feature, from[k]!),
        to: decodeCell(feature, to[k]!),
        attribution: attributions[k]!,
      };
    });
}

/** D(f(x), y*) → D(f(z), y*): the goal's divergence for `group`; W1 of scores to f(q) for `each`. */
export function effectReached(
  goal: Goal,
  { before: from, after: to, proposed }: Readonly<Record<"before" | "after" | "proposed", ArrayLike<number>>>,
  wanted?: ArrayLike<number>,
): Explanation["effect"] {
  const group = goal.kind === "group" ? goal : undefined;
  const name = group?.divergence ?? "w1";
  const on = group?.on ?? "score";
  const scale = (scores: ArrayLike<number>): ArrayLike<number> =>
    on === "label" ? labelsOf(scores, group?.threshold) : scores;
  const known = Array.from({ length: from.length }, (_, i) => i).filter((i) =>
    [from[i], to[i], proposed[i]].every(Number.isFinite),
  );
  if (known.length === 0) return { divergence: name, on, before: 0, after: 0, share: null };
  const desired = scale(wanted ?? known.map((i) => proposed[i]!));
  const before = divergences[name](scale(known.map((i) => from[i]!)), desired);
  const after = divergences[name](scale(known.map((i) => to[i]!)), desired);
  return { divergence: name, on, before, after, share: effectOf(before, after) };
}

export function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
