import { expect } from "vitest";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { asModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model, Schema, Target } from "../../src/types.ts";
import { plainTask } from "./generate.ts";

/** Every returned row is at the target, a legal edit of its factual row, and belongs to a row that is ok. */
export async function checkFound(task: Task, { rows, pairs, report }: Generated): Promise<void> {
  const model = asModel(task.model);
  const reach = reachOf(model, task.target);
  const scores = await Promise.all(reach.outputs.map((output) => model.predict(rows, output)));
  for (let t = 0; t < rows.rows; t++) {
    expect(reach.reached(reach.slack(scores, t))).toBe(true);
    expect(task.constraints.violations(rowOf(task.x, pairs![t]!), rowOf(rows, t))).toEqual([]);
  }
  const ok = report.status.flatMap((status, i) => (status === "ok" ? [i] : []));
  expect([...new Set(pairs)].sort((a, b) => a - b)).toEqual(ok);
}

const SCHEMA: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "integer" },
    { name: "c", kind: "categorical", categories: ["u", "v", "w"] },
  ],
};

function table(rows: number, seed: number): Matrix {
  const source = stream(seed, "group test");
  return fromRows(Array.from({ length: rows }, () => [source.next() * 4, source.int(8), source.int(3)]));
}

const softmax: Model = {
  outputs: ["red", "green", "blue"],
  predict: (rows, output = 0) =>
    Float64Array.from({ length: rows.rows }, (_, i) => {
      const [a, b, c] = rowOf(rows, i) as unknown as [number, number, number];
      const e = [a, b / 2, 3 * Number(c === 2)].map(Math.exp);
      return e[output]! / (e[0]! + e[1]! + e[2]!);
    }),
};

/** Three classes over a number, a whole number and levels. */
export function softmaxTask(target: Target): Task {
  const task = plainTask(SCHEMA, table(20, 1), table(120, 2), () => 0);
  return { ...task, model: softmax, target };
}

/** A score on a line, to be brought into a range. */
export function rangeTask(target: Target): Task {
  const score = (row: Float64Array): number => 2 * row[0]! + row[1]! + (row[2] === 2 ? 3 : 0);
  return { ...plainTask(SCHEMA, table(20, 3), table(120, 4), score), target };
}
