import { compileConstraints } from "../data/constraints.ts";
import type { Task } from "../generate/contract.ts";
import { sigmoid } from "../model/link.ts";
import { stream } from "../num/random.ts";
import type { Feature, Matrix, Model, Schema, Target } from "../types.ts";

const FEATURES: readonly Feature[] = [
  { name: "income", kind: "numeric" },
  { name: "debt", kind: "numeric" },
  { name: "years", kind: "integer" },
  { name: "grade", kind: "ordinal", categories: ["low", "middle", "high"] },
  { name: "home", kind: "categorical", categories: ["rent", "family", "own"] },
  { name: "guarantor", kind: "boolean" },
];

const BOUND: Schema = {
  features: [
    { ...FEATURES[0]!, min: 0, max: 90, step: 0.5 },
    { ...FEATURES[1]!, min: 0, direction: "down" },
    { ...FEATURES[2]!, direction: "up", max: 30 },
    { ...FEATURES[3]!, transitions: { low: ["middle"], middle: ["low", "high"] } },
    { ...FEATURES[4]!, allowed: ["rent", "own"] },
    { ...FEATURES[5]!, immutable: true },
  ],
  rules: ["debt <= income", "not (home == 'own' and years < 2)"],
};

const WEIGHTS = [0.06, -0.08, 0.1, 0.7, 0.6, 0.5] as const;

/** A made-up merit, linear in the codes; `outputs` decides how it is told. */
function model(outputs: readonly string[]): Model {
  const merit = (rows: Matrix, i: number): number =>
    WEIGHTS.reduce((sum, w, k) => sum + w * rows.data[i * rows.cols + k]!, -6);
  const binary = outputs.length === 2;
  const sign = (output: number): number => (binary && output === 0 ? -1 : 1);
  return {
    outputs,
    predict: (rows, output = binary ? 1 : 0) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const m = sign(output) * merit(rows, i);
        return binary ? sigmoid(m) : m;
      }),
    gradient: (rows, output = binary ? 1 : 0) => ({
      ...rows,
      data: Float64Array.from(rows.data, (_, c) => {
        const s = sigmoid(merit(rows, Math.floor(c / rows.cols)));
        return sign(output) * WEIGHTS[c % rows.cols]! * (binary ? s * (1 - s) : 1);
      }),
    }),
  };
}

function rowsOf(count: number, name: string): Matrix {
  const random = stream(11, "checkGenerator", name);
  const data = new Float64Array(count * FEATURES.length);
  for (let i = 0; i < count; i++) {
    const income = Math.round(20 + 60 * random.next()) / 2;
    const debt = Math.round(income * random.next());
    data.set([2 * income, debt, 2 + random.int(15), random.int(3), random.int(3), random.int(2)], i * 6);
  }
  return { data, rows: count, cols: FEATURES.length };
}

function task(schema: Schema, outputs: readonly string[], target: Target): Task {
  return {
    model: model(outputs),
    x: rowsOf(8, "x"),
    references: rowsOf(80, "references"),
    constraints: compileConstraints(schema),
    target,
  };
}

/** Small tasks every generator should manage: free, bound by constraints and rules, and a range to hit. */
export function generatorTasks(): Readonly<Record<"free" | "bound" | "range", Task>> {
  return {
    free: task({ features: FEATURES }, ["refused", "granted"], { class: "granted" }),
    bound: task(BOUND, ["refused", "granted"], { class: "granted" }),
    range: task({ features: FEATURES }, ["merit"], { min: 0.2, max: 1 }),
  };
}

/** The task with no feature that may change. */
export function frozen(given: Task): Task {
  const features = given.constraints.schema.features.map((feature) => ({ ...feature, immutable: true }));
  return { ...given, constraints: compileConstraints({ features }) };
}
