import { changeOf } from "../exact/change.ts";
import { columnsOf } from "../exact/columns.ts";
import type { Demand, ExactStudy, Way } from "../exact/contract.ts";
import { withDigits } from "../exact/digits.ts";
import type { ExactSearch, PlanSearch } from "../exact/plan.ts";
import type { Condition, ExactQuestion, Matrix, Reach, Structure } from "../types.ts";
import { calibratedTarget, type Edge } from "./calibrated-target.ts";
import { isPromise } from "./contract.ts";
import { answersOf, type Inside, type Insides } from "./exact-answers.ts";
import { invertLink } from "./link.ts";
import { placed } from "./placed.ts";
import { edgeMargin, linkedBy, marginError } from "./rounding.ts";
import { joined, MOST_WAYS, membersOf, together, usualDemand } from "./several.ts";
import { wantedOutputs } from "./target.ts";

/** The search over all legal values of models of one kind, which bring it along; undefined for targets beyond it. */
export function exactBy(
  question: ExactQuestion,
  search: (study: ExactStudy) => ExactSearch | undefined,
): PlanSearch | undefined {
  if (question.also || question.usual) return exactSeveral(question, search);
  return exactWith(question, STRUCTURES, search);
}

/** The same for plans that other models accept too, or that are no odder than their row. */
function exactSeveral(
  question: ExactQuestion,
  search: (study: ExactStudy) => ExactSearch | undefined,
): PlanSearch | undefined {
  const { constraints, minMargin = 0, table } = question;
  const cols = constraints.schema.features.length;
  const members = membersOf(question);
  const inside = joined(members.map(({ model }) => model));
  const { encode, groups = Array.from({ length: cols }, (_, k) => [k]) } = inside;
  const first = { data: table.data.slice(0, cols), rows: 1, cols };
  const later = members.some(({ model, reach }) => isPromise(model.predict(first, reach.primary)));
  const each = members.map(({ reach }, m) => {
    const model = inside.models[m]!;
    return waysOf(
      model.outputs.map((_, o) => model.structure?.(o)),
      reach,
      minMargin,
    );
  });
  const ways = later || each.includes(undefined) ? [] : together(each as (readonly Way[])[]);
  if (ways.length === 0 || ways.length > MOST_WAYS) return undefined;
  const kinds = new Set(ways.flat().flatMap(({ parts }) => parts.map(({ structure }) => structure.kind)));
  if (kinds.size > 1 || (question.usual && !kinds.has("trees"))) return undefined;
  const sizes = sizesOf(encode(constraints.complete(table)));
  const change = changeOf(constraints, table, question.change);
  const usual = question.usual && usualDemand(question.usual, inside, cols);
  const error = (part: Structure): number => STRUCTURES.error(part, sizes);
  const study: ExactStudy = {
    constraints,
    ...columnsOf(constraints, table),
    ...(change ? { change } : {}),
    costs: Float64Array.from(constraints.schema.features, ({ cost = 1 }) => cost),
    encode: usual?.encode ?? encode,
    groups: usual?.groups ?? groups,
    ways: ways.map((way) => [
      ...way.map((demand) => allowing(demand, error)),
      ...(usual ? [usual.demand] : []),
    ]),
    reaches: (z, x) => {
      const row = { data: z, rows: 1, cols };
      if (usual && !usual.keeps(z, x)) return false;
      return members.every(({ model, reach }) => {
        const scores = reach.outputs.map((o) => model.predict(row, o) as Float64Array);
        return reach.reached(reach.slack(scores, 0), minMargin);
      });
    },
  };
  return withAnswers(question, withDigits(search(study), study));
}

const STRUCTURES: Insides<Structure> = {
  of: (model, output) => model.structure?.(output),
  margins: (structure, rows) => structure.kernels.margins(structure, rows),
  error: (structure, sizes) => marginError(structure, sizes) + ROUNDING * sizeOf(structure),
};

/** `exactBy` of models with another inside than a structure. */
export function exactWith<M extends Inside>(
  question: ExactQuestion,
  insides: Insides<M>,
  search: (study: ExactStudy<M>) => ExactSearch | undefined,
): PlanSearch | undefined {
  if (question.also || question.usual) return undefined;
  const { model, constraints, reach, minMargin = 0, table } = question;
  const { calibration } = model;
  const scored = calibration?.model ?? model;
  const inside = scored.encoding ?? scored.completed;
  const encode = (rows: Matrix): Matrix => inside?.encode(rows) ?? rows;
  const inner = inside?.model ?? scored;
  const asked = calibration ? calibratedTarget(reach, calibration, minMargin) : reach;
  const ways =
    asked &&
    waysOf(
      inner.outputs.map((_, o) => insides.of(inner, o)),
      asked,
      calibration ? 0 : minMargin,
    );
  const answers = answersOf(question, insides, encode);
  if (!ways || !answers) return undefined;
  const sizes = sizesOf(encode(constraints.complete(table)));
  const change = changeOf(constraints, table, question.change);
  const cols = constraints.schema.features.length;
  const study: ExactStudy<M> = {
    constraints,
    ...columnsOf(constraints, table),
    ...(change ? { change } : {}),
    costs: Float64Array.from(constraints.schema.features, ({ cost = 1 }) => cost),
    encode,
    groups: inside?.groups ?? Array.from({ length: cols }, (_, k) => [k]),
    ways: ways.map((way) => way.map((demand) => allowing(demand, (part) => insides.error(part, sizes)))),
    reaches: answers.reaches,
  };
  return withAnswers(question, withDigits(answers.claims(search(study), study), study));
}

/** A search whose plans are put to the model. */
function withAnswers(
  question: ExactQuestion,
  search: Omit<PlanSearch, "placed"> | undefined,
): PlanSearch | undefined {
  return search && { ...search, placed: (known, plans, work) => placed(question, known, plans, work) };
}

/** The largest size of each encoded column, with room for values beyond the table's. */
function sizesOf({ data, cols }: Matrix): Float64Array {
  const sizes = new Float64Array(cols).fill(1);
  data.forEach((v, at) => {
    if (Math.abs(v) > sizes[at % cols]!) sizes[at % cols] = Math.abs(v);
  });
  return sizes.map((size) => 4 * size);
}

/** A target, on the model's own scale. */
type Asked = Pick<Reach, "outputs" | "primary"> &
  Partial<Pick<Reach, "slack">> & { readonly conditions?: readonly (Condition & Partial<Edge>)[] };

/**
 * The target as demands on margins. Each is necessary for the target, and the model itself is asked before anything
 * is called a plan. Two classes and ranges: the score's edge moved through the link. Contests between outputs and
 * softmax: differences of margins.
 */
function waysOf<M extends Inside>(
  structures: readonly (M | undefined)[],
  reach: Asked,
  minMargin: number,
): readonly Way<M>[] | undefined {
  const own = structures[reach.primary];
  if (!own || structures.some((s) => s && (s.kind !== own.kind || s.link !== own.link))) return undefined;
  const { conditions } = reach;
  if (conditions && own.link !== "softmax") {
    const linked = linkedBy([own]);
    return [
      conditions.map((c) => {
        const sure = invertLink(own.link, (c.sure ?? c.value) + c.sign * (minMargin + SCORE));
        const edge = Number.isFinite(c.value) ? edgeMargin(linked, c, minMargin) : c.value;
        return demand(c.sign * edge, c.sign * sure, own, c.sign);
      }),
    ];
  }
  if (structures.includes(undefined)) return undefined;
  const all = structures as M[];
  if (conditions) return softmaxRange(all, conditions, minMargin);
  return reach.slack && contests(all, reach.slack, minMargin);
}

/**
 * p_o ≥ v needs m_o − m_j ≥ ln v/(1 − v) for every other j. p_o ≤ v leaves (1 − v) to the K − 1 others, so that one of
 * them has m_j − m_o ≥ ln (1 − v)/((K − 1)·v): a way for each.
 */
function softmaxRange<M extends Inside>(
  all: readonly M[],
  conditions: readonly Condition[],
  minMargin: number,
): readonly Way<M>[] {
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

/** The least score that an edge may have. */
const TINY = 1e-300;

/** One way for each output wanted: its margin above that of every output that is not. */
function contests<M extends Inside>(
  all: readonly M[],
  slack: Reach["slack"],
  minMargin: number,
): readonly Way<M>[] {
  const wanted = wantedOutputs(slack, all.length);
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
function demand<M>(edge: number, sure: number, own: M, sign: number, other?: M): Demand<M> {
  const parts = [{ structure: own, sign }, ...(other ? [{ structure: other, sign: -1 }] : [])];
  return { parts, edge, sure, allowance: 0 };
}

/** The demand with what rounding may lose on either side of its edge, for columns of these sizes. */
function allowing<M>(demand: Demand<M>, errorOf: (inside: M) => number): Demand<M> {
  const allowance = demand.parts.reduce((sum, { structure }) => sum + errorOf(structure), ROUNDING);
  return { ...demand, sure: demand.sure + allowance, allowance };
}

/** What the search's own sums are made of at most; a linear one's are short. */
function sizeOf(structure: Structure): number {
  if (structure.kind === "linear") return 0;
  const { value, roots, base } = structure;
  return value.reduce((top, v) => Math.max(top, Math.abs(v)), 0) * roots.length + Math.abs(base);
}
