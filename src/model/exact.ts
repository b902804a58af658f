import { columnsOf } from "../exact/columns.ts";
import type { Demand, ExactQuestion, ExactSearch, ExactStudy, ExactTarget, Way } from "../exact/contract.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import { invertLink } from "./link.ts";
import { edgeMargin, linkedBy, marginError } from "./rounding.ts";
import type { Condition } from "./target.ts";

/** The search over all legal values of models of one kind, which bring it along; undefined for targets beyond it. */
export function exactBy(
  question: ExactQuestion,
  search: (study: ExactStudy) => ExactSearch | undefined,
): ExactSearch | undefined {
  const { model, constraints, reach, minMargin = 0, table } = question;
  if (constraints.hasRules || constraints.hasDerived) return undefined;
  const encode = (rows: Matrix): Matrix => model.encoding?.encode(rows) ?? rows;
  const told = waysOf(model.encoding?.model ?? model, reach, minMargin);
  if (!told) return undefined;
  const sizes = sizesOf(encode(table));
  const cols = constraints.schema.features.length;
  return search({
    constraints,
    ...columnsOf(constraints, table),
    encode,
    groups: model.encoding?.groups ?? Array.from({ length: cols }, (_, k) => [k]),
    ways: told.map((way) => way.map((demand) => allowing(demand, sizes))),
    reaches: (z) => {
      const row = { data: z, rows: 1, cols };
      const scores = reach.outputs.map((o) => model.predict(row, o) as Float64Array);
      return reach.reached(reach.slack(scores, 0), minMargin);
    },
  });
}

/** The largest size of each encoded column, with room for values beyond the table's. */
function sizesOf({ data, cols }: Matrix): Float64Array {
  const sizes = new Float64Array(cols).fill(1);
  data.forEach((v, at) => {
    if (Math.abs(v) > sizes[at % cols]!) sizes[at % cols] = Math.abs(v);
  });
  return sizes.map((size) => 4 * size);
}

/**
 * The target as demands on margins. Each is necessary for the target, and the model itself is asked before anything
 * is called a plan. Two classes and ranges: the score's edge moved through the link. Contests between outputs and
 * softmax: differences of margins.
 */
function waysOf(model: Model, reach: ExactTarget, minMargin: number): readonly Way[] | undefined {
  const structures = model.outputs.map((_, o) => model.structure?.(o));
  const own = structures[reach.primary];
  if (!own || structures.some((s) => s && (s.kind !== own.kind || s.link !== own.link))) return undefined;
  const { conditions } = reach;
  if (conditions && own.link !== "softmax") {
    const linked = linkedBy([own]);
    return [
      conditions.map((c) => {
        const sure = invertLink(own.link, c.value + c.sign * (minMargin + SCORE));
        return demand(c.sign * edgeMargin(linked, c, minMargin), c.sign * sure, own, c.sign);
      }),
    ];
  }
  if (structures.includes(undefined)) return undefined;
  const all = structures as Structure[];
  if (conditions) return softmaxRange(all, conditions, minMargin);
  return contests(all, reach, minMargin);
}

/**
 * p_o ≥ v needs m_o − m_j ≥ ln v/(1 − v) for every other j. p_o ≤ v leaves (1 − v) to the K − 1 others, so that one of
 * them has m_j − m_o ≥ ln (1 − v)/((K − 1)·v): a way for each.
 */
function softmaxRange(
  all: readonly Structure[],
  conditions: readonly Condition[],
  minMargin: number,
): readonly Way[] {
  const o = conditions[0]!.output;
  const others = all.filter((_, j) => j !== o);
  const edges = (sign: number): number[] =>
    conditions
      .filter((c) => c.sign === sign)
      .map((c) => Math.max(TINY, c.value + sign * (minMargin - SCORE)));
  const least = edges(1).flatMap((v) =>
    others.map((other) => demand(invertLink("logistic", v), UNSURE, all[o]!, 1, other)),
  );
  const most = edges(-1).map((v) => Math.log(Math.max(0, 1 - v) / (others.length * v)));
  if (most.length === 0) return [least];
  return others.map((other) => [...least, ...most.map((edge) => demand(edge, UNSURE, other, 1, all[o]!))]);
}

/** Scores below this are none. */
const TINY = 1e-300;

/** One way for each output wanted: its margin above that of every output that is not. */
function contests(all: readonly Structure[], reach: ExactTarget, minMargin: number): readonly Way[] {
  const at = all.map(() => new Float64Array(1));
  const wanted = all.map((_, o) => {
    at.forEach((cell, t) => {
      cell[0] = t === o ? 1 : 0;
    });
    return reach.slack(at, 0) > 0;
  });
  // p_w − p_o ≥ δ leaves p_o ≤ (1 − δ)/2, so that p_w/p_o ≥ (1 + δ)/(1 − δ).
  const least = Math.max(0, minMargin - SCORE);
  const edge = all[0]!.link === "softmax" ? Math.log((1 + least) / (1 - least)) : least;
  const losers = all.filter((_, o) => !wanted[o]);
  const sure = all[0]!.link !== "softmax" ? minMargin + SCORE : minMargin > 0 ? UNSURE : 100 * SCORE;
  return all
    .filter((_, w) => wanted[w])
    .map((own) => losers.map((other) => demand(edge, sure, own, 1, other)));
}

/** What is this close to the edge of a score is asked of the model, which may round to float32. */
const SCORE = 2e-7;
/** Where sums of margins do not tell that the target is reached. */
const UNSURE = Number.POSITIVE_INFINITY;
/** Relative error granted to the search's own sums of gains and differences, far above what they lose. */
const ROUNDING = 1e-10;

/** sign·own − other ≥ edge, where another is given. */
function demand(edge: number, sure: number, own: Structure, sign: number, other?: Structure): Demand {
  const parts = [{ structure: own, sign }, ...(other ? [{ structure: other, sign: -1 }] : [])];
  return { parts, edge, sure, allowance: 0 };
}

/** The demand with what rounding may lose on either side of its edge, for columns of these sizes. */
function allowing(demand: Demand, sizes: Float64Array): Demand {
  const errors = demand.parts.map(
    ({ structure }) => marginError(structure, sizes) + ROUNDING * sizeOf(structure),
  );
  const allowance = errors.reduce((sum, error) => sum + error, ROUNDING);
  return { ...demand, sure: demand.sure + allowance, allowance };
}

/** What the search's own sums are made of at most; a linear one's are short. */
function sizeOf(structure: Structure): number {
  if (structure.kind === "linear") return 0;
  const { value, roots, base } = structure;
  return value.reduce((top, v) => Math.max(top, Math.abs(v)), 0) * roots.length + Math.abs(base);
}
