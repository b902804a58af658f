import { squaredDistance } from "../data/metric.ts";
import { decodeCell, hasLevels } from "../data/schema.ts";
import { isLimit } from "../errors.ts";
import { isGap } from "../exact/change.ts";
import { type Legal, legalNumbers } from "../exact/legal.ts";
import { curveOf } from "../exact/told.ts";
import type { SafeValues } from "../explanation.ts";
import { direct } from "../generate/direct.ts";
import { placed } from "../model/placed.ts";
import { scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import { stream } from "../num/random.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import type { Matrix, Proof } from "../types.ts";
import type { GridSearch, Run, Searched } from "./contract.ts";
import { limitsOf } from "./exact.ts";
import { given } from "./plain.ts";
import { stageOptions } from "./run.ts";
import { answered, editedIn, settled, type TriedRange, triedRanges, type Way } from "./settling.ts";

/** Values tried of each number, and plans of them that are settled. */
const VALUES = 32;
const SETTLED = 3;
/** Counterfactuals taken from the search over the grid. */
const COUNT = 24;
/** The beam where as many edits as there are may only change less. */
const NARROW = { beam: 6, branch: 3 };
/** Edits tried where there is no plan to improve on. */
const MOST_EDITS = 4;

/** One row that is not at the target, and where its plans start from. */
interface RowSearch {
  readonly i: number;
  readonly way: Way;
  /** The edits of the plan there is, and the most that a better one may have. */
  readonly own: number | undefined;
  readonly most: number;
  readonly starts: Float64Array[];
  /** Were all single edits tried? */
  single: boolean;
}

/**
 * Plans of models without bounds: every single edit to one of up to 32 values of each feature, more edits by beam search
 * as long as they are fewer than references need, then back towards x as far as the model agrees.
 */
export const gridSearch: GridSearch = { values: VALUES, search: searched };

async function searched(run: Run, borrowed: Refined): Promise<Searched> {
  const nothing = { refined: borrowed, alsoFound: new Map() };
  const { limits, objective } = run.input;
  const tasks = tasksOf(run, borrowed);
  // Costs are not searched by, and a limit of model rows leaves none for what was not asked for.
  const searches = run.values === "least" && objective !== "cost" && limits?.modelRows === undefined;
  if (tasks.length === 0 || !searches) return nothing;
  try {
    await start(run, tasks);
    const plans = await plansOf(run, tasks);
    const { z, scored } = await placed(
      { ...run, minMargin: minMargin(run) },
      borrowed.z,
      new Map(plans.map(({ task, plan }) => [task.i, { z: plan }])),
      run.work.stage("exact"),
    );
    const kept = plans.filter(({ task }) => scored.has(task.i));
    const ranges = await rangesOf(run, kept);
    const rows = borrowed.rows.slice();
    for (const { task, plan } of kept) {
      const row = rows[task.i]!;
      rows[task.i] = { ...planOf(run, row, task, plan), ...scored.get(task.i)! };
    }
    const alsoFound = new Map(kept.map(({ task }, t) => [task.i, { ranges: ranges[t]! }]));
    return { refined: { ...borrowed, z, rows, curve: curveOf(rows) }, alsoFound };
  } catch (error) {
    if (!isLimit(error)) throw error;
    return nothing;
  }
}

const minMargin = ({ goal }: Run): number => (goal.kind === "each" ? (goal.minMargin ?? 0) : 0);

/** Rows that a better plan is looked for, with the plans they have. */
function tasksOf(run: Run, { rows, z }: Refined): RowSearch[] {
  const { constraints, x } = run;
  const legal = legalOf(run);
  const { perRow = Number.POSITIVE_INFINITY } = run.input.budget ?? {};
  return rows.flatMap((row, i): RowSearch[] => {
    if (row.status === "model_error" || (row.valid && row.edits.length === 0)) return [];
    const own = rowOf(x, i);
    const change = (to: Float64Array): number => run.change(own, to);
    const way = { x: own, legal, same: constraints.same, change, players: run.players };
    const edits = row.valid ? row.edits.length : undefined;
    const most = Math.min(perRow, edits ?? MOST_EDITS);
    return [{ i, way, own: edits, most, starts: row.valid ? [rowOf(z, i).slice()] : [], single: false }];
  });
}

/** Adds the plans of fewest edits on the grid. */
async function start(run: Run, tasks: readonly RowSearch[]): Promise<void> {
  const { goal, model, constraints, metric, given: all } = run;
  if (goal.kind !== "each") return;
  const references = legalRows(run, all.training ?? all.references);
  const shared = {
    model,
    references,
    constraints,
    metric,
    target: goal.target,
    minMargin: goal.minMargin ?? 0,
  };
  const grow = async (own: readonly RowSearch[], maxEdits: number, beam: object): Promise<RowSearch[]> => {
    if (own.length === 0) return [];
    const settings = {
      values: VALUES,
      count: COUNT,
      maxEdits,
      diversityWeight: 0,
      ...beam,
      ...stageOptions(run),
    };
    const x = takeRows(
      run.x,
      own.map(({ i }) => i),
    );
    const { rows, pairs, report } = await direct({ ...shared, x }, settings, stream(run.seed, "grid"));
    own.forEach((task, t) => {
      const status = report.status[t]!;
      task.single ||= status === "ok" || status === "infeasible";
      const { within = () => true } = limitsOf(run, task.way.x);
      pairs!.forEach((of, j) => {
        if (of === t && within(rowOf(rows, j))) task.starts.push(rowOf(rows, j).slice());
      });
    });
    return own.filter((task, t) => report.status[t] === "infeasible" && task.most > maxEdits);
  };
  // Sizes one after the other, so that no nearer plan of more edits takes the place of one of fewer.
  for (let maxEdits = 1, left = [...tasks]; left.length > 0; maxEdits++) {
    const nearer = left.filter(({ own }) => maxEdits > 1 && own === maxEdits);
    const fewer = left.filter((task) => !nearer.includes(task));
    left = [...(await grow(fewer, maxEdits, {})), ...(await grow(nearer, maxEdits, NARROW))];
  }
}

/** Is one plan better than another: by edits, then change; by change alone where that is asked for? */
function better(run: Run, { way }: RowSearch, a: Float64Array, b: Float64Array): number {
  const change = way.change(a) - way.change(b);
  if (run.input.objective === "change") return change;
  return editedIn(way, a).length - editedIn(way, b).length || change;
}

/** The best plan of each row once the most promising of its starts are settled. */
async function plansOf(
  run: Run,
  tasks: readonly RowSearch[],
): Promise<{ task: RowSearch; plan: Float64Array }[]> {
  const started = tasks.flatMap((task) =>
    promising(run, task).map((from) => ({ task, asking: settled(task.way, from) })),
  );
  const plans = await answered(
    started.map(({ asking }) => asking),
    run.x.cols,
    (rows, owners) => accepted(run, rows, (i) => started[owners[i]!]!.task),
  );
  return tasks.flatMap((task) => {
    const own = plans.filter((_, p) => started[p]!.task === task);
    if (own.length === 0) return [];
    const plan = own.reduce((best, one) => (better(run, task, one, best) < 0 ? one : best));
    return [{ task, plan: run.constraints.complete({ data: plan, rows: 1, cols: plan.length }).data }];
  });
}

/** Starts of different features first, the best of each; never without the plan there is. */
function promising(run: Run, task: RowSearch): Float64Array[] {
  const seen = new Set<string>();
  const sorted = task.starts.toSorted((a, b) => better(run, task, a, b));
  const fresh = sorted.filter((z) => {
    const key = editedIn(task.way, z)
      .map((k) => `${k}${z[k]! > task.way.x[k]!}`)
      .join();
    return !seen.has(key) && seen.add(key);
  });
  const least = fresh.length > 0 ? editedIn(task.way, fresh[0]!).length : 0;
  const fewest =
    run.input.objective === "change" ? fresh : fresh.filter((z) => editedIn(task.way, z).length === least);
  return fewest.slice(0, SETTLED);
}

/** Which rows are plans. */
async function accepted(run: Run, asked: Matrix, taskOf: (row: number) => RowSearch): Promise<boolean[]> {
  const rows = run.constraints.complete(asked);
  const legal = run.constraints.hasRules ? run.constraints.legal(rows) : undefined;
  const ask = scorerKernel(run.model, run.work.stage("grid"));
  const open = Array.from({ length: rows.rows }, (_, i) => i).filter((i) => {
    const { within = () => true } = limitsOf(run, taskOf(i).way.x);
    return legal?.[i] !== 0 && within(rowOf(rows, i));
  });
  const fits = new Array<boolean>(rows.rows).fill(false);
  if (open.length === 0) return fits;
  const { slack } = await slackOf(ask, takeRows(rows, open), run.reach);
  const margin = minMargin(run);
  open.forEach((i, t) => {
    fits[i] = run.reach.reached(slack[t]!, margin);
  });
  return fits;
}

async function rangesOf(
  run: Run,
  plans: readonly { task: RowSearch; plan: Float64Array }[],
): Promise<SafeValues[][]> {
  const found = await answered(
    plans.map(({ task, plan }) => triedRanges(task.way, plan)),
    run.x.cols,
    (rows, owners) => accepted(run, rows, (i) => plans[owners[i]!]!.task),
  );
  return found.map((ranges) => ranges.map((range) => safeValues(run, range)));
}

function safeValues({ constraints }: Run, { feature: k, from, to, open }: TriedRange): SafeValues {
  const feature = constraints.schema.features[k]!;
  return {
    feature: feature.name,
    from: decodeCell(feature, from),
    to: decodeCell(feature, to),
    open,
    known: "tested",
  };
}

/** The row with its plan, without the scores. */
function planOf(run: Run, row: RefinedRow, task: RowSearch, z: Float64Array): RefinedRow {
  const { way } = task;
  const edited = editedIn(way, z);
  const { proof: before, reason: _, ...rest } = row;
  const proof =
    proofOf(run, row, task, edited.length) ?? (row.edits.length === edited.length ? before : undefined);
  return {
    ...rest,
    status: "ok",
    edits: edited.map((k) => run.players.indexOf(k)),
    valid: true,
    distance: Math.sqrt(squaredDistance(run.metric, way.x, z)),
    cost: edited.reduce((sum, k) => sum + (run.constraints.schema.features[k]!.cost ?? 1), 0),
    reference: -1,
    ...given({ proof }),
  };
}

/** What the grid proves of a plan of so many edits. */
function proofOf(run: Run, row: RefinedRow, { single }: RowSearch, edits: number): Proof | undefined {
  if (run.input.objective === "change") return undefined;
  if (edits === 1) return { claim: "optimal", edits, scope: "model" };
  const known = row.valid && row.edits.length === edits && row.proof?.claim === "optimal";
  if (!single || (known && edits > 2)) return undefined;
  const grid = { values: VALUES, edits: 1 };
  return { claim: edits === 2 ? "optimal" : "at least", edits: 2, scope: "grid", grid };
}

/** The legal numbers of each feature; undefined for levels. */
function legalOf(run: Run): readonly (Legal | undefined)[] {
  const columns = { constraints: run.constraints, ...run.columns() };
  return run.constraints.schema.features.map((feature, k) =>
    hasLevels(feature) ? undefined : legalNumbers(columns, k),
  );
}

/** References as the search over the grid takes them: legal values alone, and two rows of the ends of what is permitted. */
function legalRows(run: Run, { data, rows, cols }: Matrix): Matrix {
  const { features } = run.constraints.schema;
  const legal = legalOf(run);
  const [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const near = Array.from(data, (v, c) => {
    const [own, value] = [legal[c % cols], run.constraints.nearest(c % cols, v)];
    if (!own || isGap(features[c % cols]!, value)) return value;
    // The step nearest to the end of a column may lie beyond it.
    const [low, high] = [own.above(least), own.below(most)];
    return value < low ? low : value > high ? high : value;
  });
  if (rows === 0) return { data, rows, cols };
  const ends = [least, most].flatMap((end) =>
    legal.map((own, k) => (end < 0 ? own?.above(end) : own?.below(end)) ?? near[k]!),
  );
  return { data: Float64Array.from([...near, ...ends]), rows: rows + 2, cols };
}
