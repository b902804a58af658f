import { squaredDistance } from "../src/data/metric.ts";
import type { ExplainedRow, Explanation, Plan } from "../src/explanation.ts";
import { matrix, rowOf } from "../src/num/matrix.ts";
import { codesWith, NOTHING } from "../src/row-fault.ts";
import { attribute } from "../src/run/attribute.ts";
import { open } from "../src/run/open.ts";
import { nearestReasons } from "../src/run/reasons.ts";
import { cellsOf } from "../src/run/unexplained.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";

/** Why a row is at fault, if it is. */
export type RowFault = (row: ExplainedRow) => string | undefined;

const close = (told: number | null | undefined, made: number): boolean =>
  told !== null && told !== undefined && Math.abs(told - made) <= 1e-9 * Math.max(1, Math.abs(made));

/** How much plans change and how far they go, counted again on the table: in its units, by its metric. */
export function changeFault({ schema }: Explanation, table: Matrix): RowFault {
  const model: Model = { outputs: ["score"], predict: (rows) => new Float64Array(rows.rows) };
  const { setup } = open({ model, references: table, training: table, schema });
  const whole = (row: ExplainedRow, plan: Plan): Float64Array => {
    const codes = codesWith(schema, row, plan);
    return rowOf(setup.constraints.complete(matrix(1, codes.length, codes)), 0);
  };
  return (row) => {
    if (row.status === "invalid_input") return undefined;
    const x = whole(row, NOTHING);
    const plans = [row, ...row.alternatives, ...(row.front ?? []), ...(row.sturdy ? [row.sturdy] : [])];
    for (const plan of plans) {
      const made = setup.change(x, whole(row, plan));
      if (plan.edits.length > 0 && plan.change !== undefined && !close(plan.change, made))
        return `a plan changes ${made}, not ${plan.change}`;
    }
    const [z, q] = [row, { edits: row.proposal }].map((plan) =>
      Math.sqrt(squaredDistance(setup.metric, x, whole(row, plan))),
    );
    return close(row.distance.z, z!) && close(row.distance.q, q!) ? undefined : "a distance is another";
  };
}

/** Reasons against real rows at the goal, computed again from model and table; undefined where they are others. */
export async function reasonsFault(
  explanation: Explanation,
  model: Model,
  table: Matrix,
  work: WorkOptions,
): Promise<RowFault> {
  const { schema, goal, seed, options } = explanation;
  const rows = explanation.rows.filter(({ typical }) => typical);
  if (rows.length === 0) return () => undefined;
  const cells = rows.map((row) => codesWith(schema, row, NOTHING));
  const x = matrix(rows.length, schema.features.length, Float64Array.from(cells.flatMap((row) => [...row])));
  const attribution = options["attribution"] as object | null;
  const asked = { goal, seed, ...(attribution ? { attribution } : {}) };
  const opened = open({ model, references: table, training: table, schema, reasons: nearestReasons }, asked);
  const ids = rows.map(({ id, row }) => id ?? row);
  const run = opened.question({ x, ids }).run(work);
  const made = await attribute(run, { q: x, source: new Int32Array(0) });
  const place = new Map(rows.map((row, i) => [row, i]));
  return (row) => {
    const i = place.get(row);
    if (i === undefined) return undefined;
    const phi = new Float64Array(schema.features.length);
    run.players.forEach((k, p) => {
      phi[k] = made.attribution.values.data[i * run.players.length + p]!;
    });
    const k = row.attributions.findIndex((one, at) => !close(one, phi[at]!));
    if (k >= 0) return `the reason ${schema.features[k]!.name} weighs ${phi[k]}, not ${row.attributions[k]}`;
    if (!close(row.base, made.attribution.base[i]!)) return "the score that reasons start from is another";
    const typical = cellsOf(run, made.typical![i]!);
    const other = typical.findIndex((cell, at) => cell !== row.typical![at]);
    return other < 0
      ? undefined
      : `typical of ${schema.features[other]!.name} is ${typical[other]}, not ${row.typical![other]}`;
  };
}

/** What an explanation says of the question that it answers agrees with itself. */
export function questionFault({ seed, options, method, versions }: Explanation): string | undefined {
  const told: readonly (readonly [string, unknown, unknown])[] = [
    ["seed", options["seed"], seed],
    ["coupling", options["coupling"], method.coupling],
    ["policy", options["policy"], method.policy],
    ["value", options["value"], method.value],
  ];
  const wrong = told.find(([, option, said]) => option !== undefined && option !== said);
  if (wrong) return `its ${wrong[0]} is ${String(wrong[2])} in one place and ${String(wrong[1])} in another`;
  return /^\d+\.\d+\.\d+/.test(versions["cola-xai"] ?? "") ? undefined : "its version is none";
}
