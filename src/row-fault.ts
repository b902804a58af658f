import { compileConstraints } from "./data/constraints.ts";
import { encodeCell } from "./data/schema.ts";
import { type ExplainedRow, type Explanation, type Plan, totalsOf } from "./explanation.ts";
import { goalReach } from "./model/target.ts";
import { rowOf } from "./num/matrix.ts";
import type { Model, Schema } from "./types.ts";

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
  const constraints = compileConstraints(schema);
  const reach = goalReach({ outputs } as Model, goal);
  const place = new Map(schema.features.map((feature, k) => [feature.name, k]));
  const planFault = (row: ExplainedRow, plan: Plan): string | undefined => {
    for (const { feature, from, to } of plan.edits) {
      const k = place.get(feature);
      if (k === undefined) return `there is no feature ${feature} to edit`;
      if (from !== row.x[k]) return `${feature} is edited from ${from}, but is ${row.x[k]}`;
      if (to === from) return `${feature} is edited to the value it has`;
    }
    if (new Set(plan.edits.map(({ feature }) => feature)).size < plan.edits.length)
      return "a feature is edited twice";
    const [x, z] = [codesWith(schema, row, NOTHING), codesWith(schema, row, plan)];
    const whole = (codes: Float64Array): Float64Array =>
      rowOf(constraints.complete({ data: codes, rows: 1, cols: codes.length }), 0);
    return plan.edits.length === 0 ? undefined : constraints.violations(whole(x), whole(z))[0];
  };
  return (row) => {
    if (row.status === "invalid_input") return undefined;
    if (row.x.length !== schema.features.length || row.attributions.length !== schema.features.length)
      return "cells or attributions are missing";
    const { base, before, attributions } = row;
    const sum = attributions.reduce((all, phi) => all + phi, base ?? 0);
    const apart = before === null || base === null ? 0 : Math.abs(sum - before);
    if (attribution.space === "score" && apart > attribution.residual + 1e-6 * Math.max(1, Math.abs(sum)))
      return `its reasons add up to ${sum}, its score is ${before}`;
    for (const { feature, attribution: phi } of [...row.edits, ...row.proposal])
      if (place.has(feature) && phi !== attributions[place.get(feature)!])
        return `${feature} weighs ${phi} in an edit, ${attributions[place.get(feature)!]} among the reasons`;
    for (const plan of [
      row,
      ...row.alternatives,
      ...(row.front ?? []),
      ...(row.sturdy ? [row.sturdy] : []),
    ]) {
      const fault = planFault(row, plan);
      if (fault !== undefined) return fault;
    }
    if (goal.kind !== "each") return undefined;
    if ((row.status === "ok") !== row.valid && row.status !== "budget")
      return `it is ${row.valid ? "" : "not "}at the goal with status ${row.status}`;
    if (reach.conditions && row.after !== null) {
      const slack = reach.slack([Float64Array.of(row.after)], 0);
      if (reach.reached(slack, goal.minMargin) !== row.valid)
        return `a score of ${row.after} is ${row.valid ? "not " : ""}at the goal`;
    }
    const range = row.ranges?.find(
      ({ feature, from }) => row.edits.find((edit) => edit.feature === feature)?.to !== from,
    );
    if (range) return `the range of ${range.feature} does not start at its plan`;
    const { proof } = row;
    if (proof?.claim === "none exists" && row.valid) return "it has a plan that is said not to exist";
    if (
      proof?.claim === "optimal" &&
      proof.scope === "model" &&
      (proof.edits ?? row.edits.length) !== row.edits.length
    )
      return `${proof.edits} edits are proven, the plan has ${row.edits.length}`;
    const short =
      proof?.claim === "optimal" && proof.least === undefined
        ? [...row.alternatives, ...(row.front ?? [])].find(({ edits }) => edits.length < row.edits.length)
        : undefined;
    return short ? "another plan has fewer edits than the one proven smallest" : undefined;
  };
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
