import { compileConstraints } from "./data/constraints.ts";
import { encodeCell } from "./data/schema.ts";
import { type ExplainedRow, type Explanation, type Plan, totalsOf } from "./explanation.ts";
import { goalReach } from "./model/target.ts";
import { rowOf } from "./num/matrix.ts";
import type { EachGoal, Model, Reach, Schema } from "./types.ts";

/** Codes of a row with a plan's edits; derived features follow. */
export function codesWith({ features }: Schema, { row, x }: ExplainedRow, { edits }: Plan): Float64Array {
  const to = new Map(edits.map((edit) => [edit.feature, edit.to]));
  return Float64Array.from(features, (feature, k) =>
    encodeCell(feature, to.has(feature.name) ? to.get(feature.name)! : x[k], row),
  );
}

/** The plan that leaves a row as it is. */
export const NOTHING: Plan = { edits: [] };

/** What a row says of itself: edits start from its cells and are legal, its status, margin and ranges agree with them. */
export function rowFault({
  schema,
  goal,
  outputs,
  attribution,
}: Explanation): (row: ExplainedRow) => string | undefined {
  const planFault = planFaultBy(schema);
  const reasonsFault = reasonsFaultBy(schema, attribution);
  const reach = goalReach({ outputs } as Model, goal);
  return (row) => {
    if (row.status === "invalid_input") return undefined;
    if (row.x.length !== schema.features.length || row.attributions.length !== schema.features.length)
      return "cells or attributions are missing";
    const ofReasons = reasonsFault(row);
    if (ofReasons !== undefined) return ofReasons;
    const sturdy = row.sturdy ? [row.sturdy] : [];
    for (const plan of [row, ...row.alternatives, ...(row.front ?? []), ...sturdy]) {
      const fault = planFault(row, plan);
      if (fault !== undefined) return fault;
    }
    return goal.kind === "each" ? (goalFault(row, goal, reach) ?? proofFault(row)) : undefined;
  };
}

/** Do reasons add up to the score, and are they the same wherever they are told? */
function reasonsFaultBy({ features }: Schema, { space, residual }: Explanation["attribution"]) {
  const place = new Map(features.map((feature, k) => [feature.name, k]));
  return ({ base, before, attributions, edits, proposal }: ExplainedRow): string | undefined => {
    const sum = attributions.reduce((all, phi) => all + phi, base ?? 0);
    const apart = before === null || base === null ? 0 : Math.abs(sum - before);
    if (space === "score" && apart > residual + 1e-6 * Math.max(1, Math.abs(sum)))
      return `its reasons add up to ${sum}, its score is ${before}`;
    for (const { feature, attribution: phi } of [...edits, ...proposal])
      if (place.has(feature) && phi !== attributions[place.get(feature)!])
        return `${feature} weighs ${phi} in an edit, ${attributions[place.get(feature)!]} among the reasons`;
    return undefined;
  };
}

/** Do edits start from the row's cells, and are they legal? */
function planFaultBy(schema: Schema): (row: ExplainedRow, plan: Plan) => string | undefined {
  const constraints = compileConstraints(schema);
  const place = new Map(schema.features.map((feature, k) => [feature.name, k]));
  const whole = (codes: Float64Array): Float64Array =>
    rowOf(constraints.complete({ data: codes, rows: 1, cols: codes.length }), 0);
  return (row, plan) => {
    for (const { feature, from, to } of plan.edits) {
      const k = place.get(feature);
      if (k === undefined) return `there is no feature ${feature} to edit`;
      if (from !== row.x[k]) return `${feature} is edited from ${from}, but is ${row.x[k]}`;
      if (to === from) return `${feature} is edited to the value it has`;
    }
    if (new Set(plan.edits.map(({ feature }) => feature)).size < plan.edits.length)
      return "a feature is edited twice";
    const [x, z] = [codesWith(schema, row, NOTHING), codesWith(schema, row, plan)];
    return plan.edits.length === 0 ? undefined : constraints.violations(whole(x), whole(z))[0];
  };
}

/** Does the status agree with the score after the plan? */
function goalFault(row: ExplainedRow, { minMargin }: EachGoal, reach: Reach): string | undefined {
  if ((row.status === "ok") !== row.valid && row.status !== "budget")
    return `it is ${row.valid ? "" : "not "}at the goal with status ${row.status}`;
  if (!reach.conditions || row.after === null) return undefined;
  const slack = reach.slack([Float64Array.of(row.after)], 0);
  return reach.reached(slack, minMargin) === row.valid
    ? undefined
    : `a score of ${row.after} is ${row.valid ? "not " : ""}at the goal`;
}

/** Do ranges and proof agree with the plan? */
function proofFault({ ranges, edits, proof, valid, alternatives, front = [] }: ExplainedRow) {
  const range = ranges?.find(
    ({ feature, from }) => edits.find((edit) => edit.feature === feature)?.to !== from,
  );
  if (range) return `the range of ${range.feature} does not start at its plan`;
  if (proof?.claim === "none exists" && valid) return "it has a plan that is said not to exist";
  if (proof?.claim !== "optimal") return undefined;
  if (proof.scope === "model" && (proof.edits ?? edits.length) !== edits.length)
    return `${proof.edits} edits are proven, the plan has ${edits.length}`;
  const short =
    proof.least === undefined && [...alternatives, ...front].some((plan) => plan.edits.length < edits.length);
  return short ? "another plan has fewer edits than the one proven smallest" : undefined;
}

/** Counts that are not those of the rows. */
export function totalsFault({ totals, rows }: Explanation): string | undefined {
  const counted = totalsOf(rows);
  const wrong = (Object.keys(counted) as (keyof typeof counted)[]).filter(
    (key) => totals[key] !== counted[key],
  );
  return wrong.length === 0
    ? undefined
    : wrong.map((key) => `${key} is said to be ${totals[key]}, counted are ${counted[key]}`).join("; ");
}
