import { pshap } from "../src/attribute/pshap.ts";
import { uniform } from "../src/couple/uniform.ts";
import { metricCost, squaredDistance } from "../src/data/metric.ts";
import { ColaError } from "../src/errors.ts";
import { generate } from "../src/generate/registry.ts";
import { joint } from "../src/match/joint.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { matrix, rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { refine } from "../src/refine/refine.ts";
import { attribute } from "../src/run/attribute.ts";
import { openRun, type Run } from "../src/run/open.ts";
import { type Proposal, propose } from "../src/run/propose.ts";
import type { Attribution, Goal, Matrix, Target, WorkOptions } from "../src/types.ts";
import { Asked, listened } from "./asked.ts";
import type { Arena } from "./contest-setup.ts";
import type { Contestant, GoalName } from "./contestants.ts";
import { greedyOnProposal } from "./greedy-on-proposal.ts";
import { stopIfAborted } from "./queue.ts";

/** Rows the model may score for one row of a reference-free search. */
const ROW_LIMIT = 20_000;
/** Mixtures scored for one row that must reach a score, before its search settles for what it has. */
const SCORE_EFFORT = 1024;

/** Leaves the exact search looks at for one row. */
const EXACT_EFFORT = 2 ** 24;

/** Runs contestants on one arena; couplings and attributions are made once. */
export class Field {
  private readonly arena: Arena;
  private readonly seed: number;
  private readonly signal: Pick<WorkOptions, "signal">;
  private readonly made = new Map<string, Promise<unknown>>();

  constructor(arena: Arena, seed: number, { signal }: WorkOptions = {}) {
    this.arena = arena;
    this.seed = seed;
    this.signal = signal ? { signal } : {};
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = (this.made.get(name) as Promise<T> | undefined) ?? make();
    this.made.set(name, known);
    return known;
  }

  /** The target of each row: the class, or at least the score of its transport proposal. */
  goals(goal: GoalName): Promise<Target[]> {
    const { x, model, target, targetClass } = this.arena;
    return this.once(`goals ${goal}`, async () => {
      if (goal === "label") return Array.from({ length: x.rows }, () => target);
      const { proposal } = await this.proposed("transport");
      const scores = await model.predict(proposal.q, targetClass);
      return Array.from(scores, (score) => ({ output: targetClass, min: score }));
    });
  }

  /** A coupling and what it proposes; `asked`: the rows the model scored for it. */
  private proposed(coupling: string): Promise<{ run: Run; proposal: Proposal; asked: number }> {
    const { model, x, r, pairs, train, target, constraints } = this.arena;
    return this.once(`coupling ${coupling}`, async () => {
      const goal: Goal = { kind: "each", target };
      const known = coupling === "exact" ? { pairs } : {};
      const run = openRun({
        model,
        x,
        references: r,
        training: train,
        schema: constraints.schema,
        goal,
        coupling,
        seed: this.seed,
        ...this.signal,
        ...known,
      });
      const proposal = await propose(run);
      return { run, proposal, asked: run.work.modelRows };
    });
  }

  private async attribution(
    coupling: string,
    kind: "none" | "RB" | "p-SHAP",
  ): Promise<Pick<Attribution, "values" | "evaluations">> {
    const { x, r, model, train, targetClass } = this.arena;
    if (kind === "none") return { values: matrix(x.rows, x.cols), evaluations: 0 };
    if (kind === "RB") {
      return this.once("RB", async () => {
        const background = takeRows(train, stream(this.seed, "RB").sample(train.rows, r.rows));
        const few = { maxEvaluations: 258, tolerance: 0.05, exactPlayers: 10, maxEnumeration: 256 };
        const given = { output: targetClass, space: "auto" as const, ...few, ...this.signal };
        return pshap(model, x, background, uniform(x.rows, background.rows), given);
      });
    }
    return this.once(`p-SHAP ${coupling}`, async () => {
      const { run, proposal } = await this.proposed(coupling);
      return (await attribute(run, proposal)).attribution;
    });
  }

  /** The plans of a contestant, and the rows it asks of the model as if it were alone. */
  async play(contestant: Contestant, goal: GoalName): Promise<{ z: Matrix; evaluations: number }> {
    const asked = new Asked();
    const targets = await this.goals(goal);
    const parts = goal === "label" ? [targets[0]!] : targets;
    const rowsOf = (t: number): number[] => (goal === "label" ? targets.map((_, i) => i) : [t]);
    const z = { ...this.arena.x, data: this.arena.x.data.slice() };
    let evaluations = await this.askedBefore(contestant);
    for (let t = 0; t < parts.length; t++) {
      stopIfAborted(this.signal);
      const found = await this.part(contestant, rowsOf(t), parts[t]!, asked);
      rowsOf(t).forEach((i, at) => {
        z.data.set(rowOf(found.z, at), i * z.cols);
      });
      evaluations += found.evaluations;
    }
    // A generator begins anew for every target, but a row it has asked for is known by then.
    const counted = contestant.kind === "generate" || asked.count > 0;
    return { z, evaluations: counted ? asked.count : evaluations };
  }

  /** Rows the model scores for a contestant's coupling and attribution, as if it were alone. */
  private async askedBefore(contestant: Contestant): Promise<number> {
    if (contestant.kind !== "refine") return 0;
    const { asked } = await this.proposed(contestant.coupling);
    return asked + (await this.attribution(contestant.coupling, contestant.attribution)).evaluations;
  }

  private async part(
    contestant: Contestant,
    rows: number[],
    target: Target,
    asked: Asked,
  ): Promise<{ z: Matrix; evaluations: number }> {
    if (contestant.kind === "generate") return this.generated(contestant.generator, rows, target, asked);
    if (contestant.kind === "exact") return this.exactly(rows, target, asked);
    if (contestant.kind === "greedy on q") {
      const { run, proposal } = await this.proposed("transport");
      return greedyOnProposal(run, takeRows(proposal.q, rows), takeRows(run.x, rows), target);
    }
    if (contestant.kind === "joint") return this.jointly(rows, target, contestant.cap);
    const { run, proposal } = await this.proposed(contestant.coupling);
    const { values } = await this.attribution(contestant.coupling, contestant.attribution);
    const alone = rows.length === 1 && run.x.rows > 1;
    const matched = contestant.policy === "minimal" && proposal.matches;
    const paper =
      contestant.stop === "budget" ? await this.paperBudget(run, proposal, values, rows, target) : undefined;
    const { z, evaluations } = await refine({
      ...this.refining(run, proposal, values, rows, target),
      policy: contestant.policy,
      stop: contestant.stop,
      prune: contestant.stop === "goal" && contestant.policy !== "minimal",
      ...(alone ? { effort: SCORE_EFFORT } : {}),
      ...(paper ? { budget: { total: paper.total } } : {}),
      ...(matched
        ? { references: { rows: run.r, candidates: rows.map((i) => matched[i]!.candidates) } }
        : {}),
    });
    // The plan at the budget is on the curve that found the budget.
    return { z, evaluations: paper ? paper.evaluations : evaluations };
  }

  /** What any policy is to refine. */
  private refining(run: Run, proposal: Proposal, values: Matrix, rows: number[], target: Target) {
    return {
      ...this.signal,
      ...run.moves,
      model: run.model,
      x: takeRows(run.x, rows),
      q: takeRows(proposal.q, rows),
      goal: { kind: "each", target },
      attribution: takeRows(values, rows),
      seed: this.seed,
    } as const;
  }

  /** Fewest edits and least change over all legal values; a model without bounds is searched as `direct` does. */
  private async exactly(
    rows: number[],
    target: Target,
    asked: Asked,
  ): Promise<{ z: Matrix; evaluations: number }> {
    const { model, constraints, train, x } = this.arena;
    const reach = reachOf(model, target);
    const search = exactSearch({ model, constraints, reach, table: train });
    if (!search) return this.generated("direct", rows, target, asked);
    const z = takeRows(x, rows);
    let evaluations = 0;
    for (let t = 0; t < rows.length; t++) {
      const row = rowOf(x, rows[t]!);
      const plan = search.plan(row, { effort: EXACT_EFFORT });
      evaluations += plan.modelRows;
      if (plan.outcome === "found") z.data.set((search.written?.(plan, row) ?? plan).z, t * z.cols);
    }
    return { z, evaluations };
  }

  /** Reference and edits chosen together; references may be reused. */
  private async jointly(
    rows: number[],
    target: Target,
    cap: "transport" | "none",
  ): Promise<{ z: Matrix; evaluations: number }> {
    const { run, proposal } = await this.proposed("transport");
    const x = takeRows(run.x, rows);
    const alone = rows.length === 1 && run.x.rows > 1;
    const far = Math.sqrt(squaredDistance(run.metric, rowOf(run.x, rows[0]!), rowOf(proposal.q, rows[0]!)));
    const { plans, evaluations } = await joint(run.model, x, run.r, {
      ...this.signal,
      ...run.moves,
      goal: { kind: "each", target },
      cost: metricCost(run.metric, x, run.r),
      mode: "free",
      cap: alone && cap === "transport" ? far : cap,
    });
    const z = { ...x, data: x.data.slice() };
    plans.forEach(({ status, players, reference }, i) => {
      if (status !== "ok") return;
      for (const p of players) {
        for (const k of run.groups[p]!) z.data[i * z.cols + k] = rowOf(run.r, reference)[k]!;
      }
    });
    return { z: run.constraints.complete(z), evaluations };
  }

  /** C of paper sampling: the first at which as many rows are at the target as the proposal takes there. */
  private async paperBudget(
    run: Run,
    proposal: Proposal,
    values: Matrix,
    rows: number[],
    target: Target,
  ): Promise<{ total: number; evaluations: number }> {
    const { curve, evaluations } = await refine({
      ...this.refining(run, proposal, values, rows, target),
      policy: "sample",
      stop: "budget",
      prune: false,
    });
    const least = Math.min(...curve.map(({ D }) => D));
    return { total: curve.find(({ D }) => D <= least + 1e-9)!.C, evaluations };
  }

  private async generated(
    name: "nice" | "dice-random" | "direct",
    rows: number[],
    target: Target,
    asked: Asked,
  ): Promise<{ z: Matrix; evaluations: number }> {
    const { train, constraints, x } = this.arena;
    const model = listened(this.arena.model, asked);
    const own = takeRows(x, rows);
    const task = { model, x: own, references: train, constraints, target };
    const made = await generate(
      name as string,
      task,
      { limits: { modelRows: ROW_LIMIT * rows.length + train.rows }, ...this.signal },
      stream(this.seed, "contest", name),
    );
    if (!made.pairs) throw new ColaError("INTERNAL", `contest: ${name} gave no pairs.`);
    const z = { ...own, data: own.data.slice() };
    made.pairs.forEach((i, t) => {
      if (made.pairs!.indexOf(i) === t) z.data.set(rowOf(made.rows, t), i * z.cols);
    });
    return { z, evaluations: made.report.evaluations };
  }
}
