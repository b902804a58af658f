import { decodeCell, encodeCell } from "../data/schema.ts";
import { isLimit } from "../errors.ts";
import type { PlanSearch } from "../exact/plan.ts";
import type { ExplainedRow, Explanation, SturdyPlan, Survival } from "../explanation.ts";
import { asModel } from "../model/contract.ts";
import { exactSearch } from "../model/exact-search.ts";
import { scorerKernel } from "../model/scorer.ts";
import { goalReach, shownScores } from "../model/target.ts";
import { rowOf } from "../num/matrix.ts";
import { wilson } from "../num/stats.ts";
import type { Matrix, Model, ModelLike, Proof, Reach } from "../types.ts";
import type { Run, Sturdy } from "./contract.ts";
import { limitsOf } from "./exact.ts";

interface Member {
  readonly model: Model;
  readonly reach: Reach;
}

/** Models that a second plan of every row must convince too, and further ones that say how often plans hold. */
export function sturdyWith(also: readonly ModelLike[], judges: readonly ModelLike[] = []): Sturdy {
  return {
    also,
    judges,
    open: (parts) => {
      const opened = openOthers(parts, also, judges);
      return opened && ((run, explanation) => withSturdy(run, opened, explanation));
    },
  };
}

interface Others {
  readonly also: readonly Member[];
  readonly judges: readonly Member[];
  readonly search: PlanSearch | undefined;
  /** Where there is none over all models: searches of the first model alone for ever more than its target. */
  readonly beyond: readonly PlanSearch[];
}

/** How far past the target these go. */
const MARGINS = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];

/** Undefined where no other models are given, or the goal is a group's. */
function openOthers(
  { given, model, goal, reach, constraints }: Parameters<Sturdy["open"]>[0],
  also: readonly ModelLike[],
  judges: readonly ModelLike[],
): Others | undefined {
  const { training, references, usual } = given;
  if (goal.kind !== "each" || also.length + judges.length === 0) return undefined;
  const members = (models: readonly ModelLike[]): Member[] =>
    models.map((one) => ({ model: asModel(one), reach: goalReach(asModel(one), goal) }));
  const others = members(also);
  const { minMargin = 0 } = goal;
  const plain = { model, reach, constraints, table: training ?? references, ...(usual ? { usual } : {}) };
  const search = also.length > 0 ? exactSearch({ ...plain, minMargin, also: others }) : undefined;
  const margins = also.length > 0 && !search ? MARGINS : [];
  const beyond = margins.flatMap((more) => exactSearch({ ...plain, minMargin: minMargin + more }) ?? []);
  return { also: others, judges: members(judges), search, beyond };
}

/** The explanation with a plan for each row that the other models accept too, and how often plans hold in further ones. */
async function withSturdy(run: Run, sturdy: Others, explanation: Explanation): Promise<Explanation> {
  const rows = [...explanation.rows];
  const work = run.work.stage("sturdy");
  try {
    for (const [r, row] of rows.entries()) {
      const at = run.good.indexOf(row.row);
      if (at < 0 || row.status === "budget" || row.status === "model_error") continue;
      rows[r] = await withSecond(run, sturdy, row, rowOf(run.x, at));
      if (work.due()) await work.pause(r + 1, rows.length);
    }
  } catch (error) {
    // What a limit leaves undone, the rows do not have.
    if (!isLimit(error)) throw error;
  }
  return Object.freeze({ ...explanation, rows: Object.freeze(rows) });
}

async function withSecond(
  run: Run,
  sturdy: Others,
  row: ExplainedRow,
  x: Float64Array,
): Promise<ExplainedRow> {
  const { features } = run.constraints.schema;
  const first = x.slice();
  for (const { feature, to } of row.edits) {
    const k = features.findIndex(({ name }) => name === feature);
    first[k] = encodeCell(features[k]!, to, row.row);
  }
  const smallest = run.constraints.complete({ data: first, rows: 1, cols: first.length }).data;
  const survival =
    row.valid && row.edits.length > 0 ? await survivalOf(run, sturdy.judges, smallest) : undefined;
  const second = sturdy.also.length > 0 ? await secondPlan(run, sturdy, row, x, smallest) : undefined;
  return Object.freeze({
    ...row,
    ...(survival ? { survival } : {}),
    ...(second ? { sturdy: second } : {}),
  });
}

async function secondPlan(
  run: Run,
  sturdy: Others,
  row: ExplainedRow,
  x: Float64Array,
  smallest: Float64Array,
): Promise<SturdyPlan | undefined> {
  const work = run.work.stage("sturdy");
  const limits = limitsOf(run, x);
  const exact = sturdy.search?.plan(x, { ...limits, pulse: () => work.check() });
  if (exact) work.charge(exact.modelRows);
  const found = exact?.outcome === "found" ? sturdy.search!.written(exact, x, limits.within) : undefined;
  // What is borrowed may be odder than the row.
  if (exact?.outcome === "none" || (!found && run.input.usual)) return undefined;
  const z = found?.z ?? (await borrowedPlan(run, sturdy, x, smallest));
  if (!z) return undefined;
  const { features } = run.constraints.schema;
  const edits = run.players
    .filter((k) => !run.constraints.same(k, x[k]!, z[k]!))
    .map((k) => ({
      feature: features[k]!.name,
      from: decodeCell(features[k]!, x[k]!),
      to: decodeCell(features[k]!, z[k]!),
      attribution: row.attributions[k]!,
    }));
  if (edits.length === 0) return undefined;
  const one = { data: z, rows: 1, cols: z.length };
  const scores = await Promise.all(
    [run, ...sturdy.also].map(
      async (member) => shownScores(member.reach, await scoresOf(run, member, one))[0]!,
    ),
  );
  const survival = await survivalOf(run, sturdy.judges, z);
  const least = found?.least ? ({ change: "least" } as const) : {};
  const proof: Proof | null = found?.fewest
    ? { claim: "optimal", edits: edits.length, scope: "model", ...least }
    : null;
  return {
    edits,
    change: run.change(x, z),
    after: scores[0]!,
    scores: scores.slice(1),
    proof,
    ...(survival ? { survival } : {}),
  };
}

async function scoresOf(run: Run, { model, reach }: Member, rows: Matrix): Promise<Float64Array[]> {
  const ask = scorerKernel(model, run.work.stage("sturdy"));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push((await ask.scoreEach(rows, output)).scores);
  return scores;
}

/** Which rows reach the target of a model. */
async function reached(run: Run, member: Member, rows: Matrix): Promise<boolean[]> {
  const scores = await scoresOf(run, member, rows);
  const margin = run.goal.kind === "each" ? (run.goal.minMargin ?? 0) : 0;
  return Array.from({ length: rows.rows }, (_, i) =>
    member.reach.reached(member.reach.slack(scores, i), margin),
  );
}

/** The share of models for which a row is at the target, with Wilson's 95 % interval. */
async function survivalOf(
  run: Run,
  judges: readonly Member[],
  z: Float64Array,
): Promise<Survival | undefined> {
  if (judges.length === 0) return undefined;
  let holds = 0;
  for (const judge of judges) {
    if ((await reached(run, judge, { data: z, rows: 1, cols: z.length }))[0]) holds++;
  }
  return { share: holds / judges.length, ...wilson(holds, judges.length), models: judges.length };
}

/** References tried for one row, the nearest that all models accept. */
const NEAREST = 16;

/**
 * Where there is no search over all models: the smallest plan where all accept it; else that of fewest edits among a plan
 * of the first model past its target, and values of one reference, given back one by one as long as all accept.
 */
async function borrowedPlan(
  run: Run,
  { also, beyond }: Others,
  x: Float64Array,
  smallest: Float64Array,
): Promise<Float64Array | undefined> {
  const members = [run, ...also];
  const { within = () => true, maxEdits = x.length } = limitsOf(run, x);
  const accepted = async (rows: readonly Float64Array[]): Promise<boolean[]> => {
    const data = new Float64Array(rows.length * x.length);
    for (const [i, row] of rows.entries()) data.set(row, i * x.length);
    const all = run.constraints.complete({ data, rows: rows.length, cols: x.length });
    const legal = run.constraints.legal(all);
    const each = await Promise.all(members.map((member) => reached(run, member, all)));
    return rows.map((_, i) => legal[i] === 1 && within(rowOf(all, i)) && each.every((fits) => fits[i]));
  };
  const size = (z: Float64Array): number =>
    run.players.filter((k) => !run.constraints.same(k, x[k]!, z[k]!)).length;
  if (size(smallest) > 0 && (await accepted([smallest]))[0]) return smallest;
  let best: Float64Array | undefined;
  for (const search of beyond) {
    const { outcome, z } = search.plan(x);
    if (outcome !== "found" || !(await accepted([z]))[0]) continue;
    best = z;
    break;
  }
  const far = Float64Array.from({ length: run.r.rows }, (_, j) => run.moves.distance!(x, rowOf(run.r, j)));
  const order = Int32Array.from(far.keys()).sort((a, b) => far[a]! - far[b]! || a - b);
  const starts = Array.from(order, (j) =>
    x.map((v, k) =>
      run.players.includes(k) && run.constraints.allows(k, v, rowOf(run.r, j)[k]!) ? rowOf(run.r, j)[k]! : v,
    ),
  );
  const fits = starts.length > 0 ? await accepted(starts) : [];
  for (const start of starts.filter((_, j) => fits[j]).slice(0, NEAREST)) {
    let z = start;
    for (;;) {
      const fewer = run.players
        .filter((k) => !run.constraints.same(k, x[k]!, z[k]!))
        .map((k) => z.with(k, x[k]!));
      const ok = fewer.length > 0 ? await accepted(fewer) : [];
      const next = fewer.find((_, t) => ok[t]);
      if (!next) break;
      z = next;
    }
    if (!best || size(z) < size(best)) best = z;
  }
  if (!best || size(best) > maxEdits) return undefined;
  return run.constraints.complete({ data: best, rows: 1, cols: best.length }).data;
}
