import { startWork } from "../budget.ts";
import type { Constraints } from "../data/constraints.ts";
import { ColaError } from "../errors.ts";
import { scorer } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import { reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols, rowOf } from "../num/matrix.ts";
import type { Matrix, ModelLike, RowStatus, Target, WorkOptions } from "../types.ts";
import { isOutOfBudget } from "./ask.ts";
import type { Generated } from "./contract.ts";
import { bytesKey } from "./distinct.ts";
import { type GivenRows, type GivenSource, readSource } from "./given/source.ts";

/** The task the counterfactuals were made for, as far as it is known. */
export interface GivenTask {
  readonly constraints: Constraints;
  /** Factual rows. Default: those of the source. */
  readonly x?: Matrix;
  /** With both, every row is scored again. */
  readonly model?: ModelLike;
  readonly target?: Target;
}

/** Somebody else's counterfactuals: all rows of the source, and what is known of each. */
export interface Given extends Generated {
  /** The factual rows, of the task or the source; undefined where neither has any. */
  readonly x: Matrix | undefined;
  /** Rows of x the source speaks of, those without a counterfactual included; undefined where it does not say. */
  readonly factuals?: Int32Array;
}

/**
 * Counterfactuals somebody else made, as table rows: from a table, a CARLA frame, a DiCE file or Alibi
 * explanations. Any number of rows, with the pairs where the source knows them. Unlike the generators it returns
 * every row it was given: a factual row is `ok` when one of its rows is a legal edit of it and, where a model
 * and a target are given, at the target; `details` names the rows that are not.
 */
export async function given(task: GivenTask, source: GivenSource, options: WorkOptions = {}): Promise<Given> {
  const work = startWork("generate: given", options);
  work.check();
  const read = readSource(task.constraints, source);
  const x = task.x ?? read.x;
  if (x) {
    checkMatrix("given", "x", x);
    checkSameCols("given", x, read.rows, "x and the counterfactuals");
  }
  const own = task.x && read.x ? placesIn(read.x, task.x) : undefined;
  const pairs = pairsIn(read, own, x);
  const factuals =
    pairs && (own ?? Int32Array.from({ length: read.x?.rows ?? read.factuals ?? 0 }, (_, i) => i));
  checkGaps(task.constraints, read.rows, pairs, x);
  const rows = task.constraints.complete(read.rows);
  if (x && pairs && source.format === "table" && source.pairs === "aligned") {
    checkAligned(task.constraints, rows, pairs, x);
  }
  const scored = await reachedRows(task, rows, options);
  const problems = Array.from({ length: rows.rows }, (_, t) =>
    pairs && x ? task.constraints.violations(rowOf(x, pairs[t]!), rowOf(rows, t)) : [],
  );
  const good = problems.map((list, t) => list.length === 0 && scored.at?.[t] !== 0);
  const judged = owners(x?.rows ?? 0, rows.rows, pairs).map((mine) => judge(mine, good, problems, scored));
  return {
    rows,
    x,
    ...(pairs ? { pairs } : {}),
    ...(factuals ? { factuals } : {}),
    report: {
      name: "given",
      status: judged.map(({ status }) => status),
      reasons: judged.map(({ reason }) => reason),
      evaluations: scored.evaluations,
      details: {
        format: source.format,
        rows: rows.rows,
        atTarget: scored.at ? scored.at.reduce((sum, v) => sum + v, 0) : null,
        notAtTarget: scored.at ? [...scored.at.keys()].filter((t) => scored.at![t] === 0) : [],
        illegal: problems.flatMap((list, t) => (list.length > 0 ? [{ row: t, problems: list }] : [])),
        ...(read.labels ? { labels: read.labels } : {}),
      },
    },
  };
}

/** Pairs as indices of x; the source's own factual rows are found in x by their content. */
function pairsIn(
  read: GivenRows,
  own: Int32Array | undefined,
  x: Matrix | undefined,
): Int32Array | undefined {
  const n = read.x?.rows ?? x?.rows;
  if (read.factuals !== undefined && n !== undefined && read.factuals !== n) {
    throw new ColaError(
      "PAIRS_INVALID",
      `given: the counterfactuals are those of ${read.factuals} rows, but x has ${n}; give the rows they were made for, in the same order and number, or say which belongs to which.`,
      { counterfactuals: read.factuals, rows: n },
    );
  }
  return read.pairs?.map((i, t) => {
    if (n === undefined || i < n) return own ? own[i]! : i;
    throw new ColaError(
      "PAIRS_INVALID",
      `given: counterfactual ${t} is said to belong to row ${i}, but there are ${n} rows, counted from 0.`,
      { row: t, pair: i, rows: n },
    );
  });
}

/** The source's factual rows among those of x; DiCE writes the numbers of its own as float32. */
function placesIn(rows: Matrix, x: Matrix): Int32Array {
  const [exact, rounded] = [placesBy(x, bytesKey), placesBy(x, float32Key)];
  return Int32Array.from({ length: rows.rows }, (_, t) => {
    const i = exact(rowOf(rows, t)) ?? rounded(rowOf(rows, t));
    if (i !== undefined) return i;
    throw new ColaError(
      "PAIRS_INVALID",
      `given: factual row ${t} of the source is not among the rows of x; give the rows the counterfactuals were made for, or leave x out to take those of the source.`,
      { row: t },
    );
  });
}

const float32Key = (row: Float64Array): string => bytesKey(row.map(Math.fround));

/** The place of a row among those of x; of several alike, one after the other. */
function placesBy(
  x: Matrix,
  keyOf: (row: Float64Array) => string,
): (row: Float64Array) => number | undefined {
  const places = new Map<string, number[]>();
  for (let i = 0; i < x.rows; i++) {
    const key = keyOf(rowOf(x, i));
    places.set(key, [...(places.get(key) ?? []), i]);
  }
  return (row) => {
    const found = places.get(keyOf(row));
    return found && found.length > 1 ? found.shift() : found?.[0];
  };
}

/** A gap is a value only where the factual row has it too, or where the schema lets a value go missing. */
function checkGaps(
  { schema }: Constraints,
  rows: Matrix,
  pairs: Int32Array | undefined,
  x: Matrix | undefined,
): void {
  const gapIn = (i: number, k: number): boolean => Number.isNaN(x!.data[i * x!.cols + k]!);
  const anywhere = schema.features.map(
    (_, k) => x && Array.from({ length: x.rows }, (__, i) => i).some((i) => gapIn(i, k)),
  );
  for (let c = 0; c < rows.data.length; c++) {
    const [t, k] = [Math.floor(c / rows.cols), c % rows.cols];
    const feature = schema.features[k]!;
    if (!Number.isNaN(rows.data[c]!) || feature.derived || feature.editMissing) continue;
    if (x && pairs ? gapIn(pairs[t]!, k) : anywhere[k]) continue;
    throw new ColaError(
      "VALUE_INVALID",
      `given: ${feature.name} of counterfactual ${t} is missing (NaN or empty), but its factual row has a value; fill the cell in, drop the row, or let the schema say editMissing: true.`,
      { row: t, feature: feature.name },
    );
  }
}

/** Immutable features differ: the rows are in another order, or they are not counterfactuals of these rows. */
function checkAligned({ schema, same }: Constraints, rows: Matrix, pairs: Int32Array, x: Matrix): void {
  for (let c = 0; c < rows.data.length; c++) {
    const [t, k] = [Math.floor(c / rows.cols), c % rows.cols];
    const feature = schema.features[k]!;
    if (!feature.immutable || same(k, rows.data[c]!, x.data[pairs[t]! * x.cols + k]!)) continue;
    throw new ColaError(
      "PAIRS_INVALID",
      `given: ${feature.name} may never change, but differs between counterfactual ${t} and its factual row; put the rows in the order of x, say which belongs to which, or leave \`pairs\` out.`,
      { row: t, feature: feature.name },
    );
  }
}

interface Scored {
  /** 1 at the target, 0 not; undefined when that cannot be told. */
  readonly at: Uint8Array | undefined;
  readonly evaluations: number;
  readonly limit: string | undefined;
}

async function reachedRows(
  { model, target }: GivenTask,
  rows: Matrix,
  options: WorkOptions,
): Promise<Scored> {
  if (!model || !target || rows.rows === 0) return { at: undefined, evaluations: 0, limit: undefined };
  const work = startWork("generate: given: score", options);
  const scores = scorer(model, work);
  const reach = reachOf(scores.model, target);
  try {
    const { slack } = await slackOf(scores, rows, reach);
    const at = Uint8Array.from(slack, (own) => Number(reach.reached(own)));
    return { at, evaluations: work.modelRows, limit: undefined };
  } catch (error) {
    if (!isOutOfBudget(error)) throw error;
    return { at: new Uint8Array(rows.rows), evaluations: work.modelRows, limit: error.message };
  }
}

/** Counterfactuals of each of n factual rows; all m of them where that is not known. */
function owners(n: number, m: number, pairs: Int32Array | undefined): readonly (readonly number[])[] {
  const all = Array.from({ length: m }, (_, t) => t);
  const mine = Array.from({ length: n }, (): number[] => (pairs ? [] : all));
  pairs?.forEach((i, t) => {
    mine[i]?.push(t);
  });
  return mine;
}

/** What became of a factual row with these counterfactuals. */
function judge(
  mine: readonly number[],
  good: readonly boolean[],
  problems: readonly (readonly string[])[],
  { at, limit }: Scored,
): { status: RowStatus; reason: string } {
  if (mine.some((t) => good[t])) return { status: "ok", reason: "" };
  if (mine.length === 0) return { status: "infeasible", reason: "the source has no counterfactual for it" };
  if (limit !== undefined) return { status: "budget", reason: limit };
  const there = mine.find((t) => at?.[t] !== 0);
  if (there !== undefined) return { status: "infeasible", reason: problems[there]!.join("; ") };
  return { status: "infeasible", reason: `none of its ${mine.length} counterfactuals is at the target` };
}
