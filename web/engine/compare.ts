import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { ExplainInput } from "../../src/run/contract.ts";
import type { Matrix, WorkOptions } from "../../src/types.ts";
import { comparedOf } from "../state/compared.ts";
import { methods } from "./methods.ts";
import type { Compared } from "./protocol.ts";
import type { Finished } from "./run.ts";

/** Points of a curve sent to the page. */
const POINTS = 240;
/** Rows of the table a person is compared with. */
const BACKGROUND = 16;

/** One method of the comparison on the run's people, model and goal. */
export async function compareWith(run: Finished, id: string, work: WorkOptions): Promise<Compared> {
  const method = methods.find((one) => one.id === id);
  if (!method) throw new ColaError("NAME_UNKNOWN", `compare: there is no method ${JSON.stringify(id)}.`);
  const { references, pairs } = oneEach(run.x, await run.made());
  const { explanation, study } = run;
  const { goal } = explanation;
  const group = goal.kind === "group";
  const input: ExplainInput = {
    ...work,
    model: study.model.model,
    x: run.x,
    schema: study.data.schema,
    goal,
    training: study.data.rows,
    references,
    ...(pairs ? { pairs } : {}),
    coupling: group && method.coupling === "match" ? "transport" : method.coupling,
    policy: method.policy,
    ...(method.value ? { value: method.value } : {}),
    ...(method.background ? { background: BACKGROUND } : {}),
    ids: explanation.rows.map((row) => row.id ?? row.row),
    seed: explanation.seed,
  };
  const { curve, ...figures } = comparedOf(id, await explain(input));
  const step = Math.max(1, Math.ceil(curve.length / POINTS));
  return { ...figures, curve: curve.filter((_, i) => i % step === 0 || i === curve.length - 1) };
}

/** The first counterfactual made for each person; all of them where it is not known for whom they were made. */
function oneEach(
  x: Matrix,
  { references, pairs }: Awaited<ReturnType<Finished["made"]>>,
): { references: Matrix; pairs?: Int32Array } {
  if (!pairs) return { references };
  const first = new Int32Array(x.rows).fill(-1);
  for (let j = references.rows - 1; j >= 0; j--) first[pairs[j]!] = j;
  const rows = Array.from(first.keys()).filter((i) => first[i]! >= 0);
  if (rows.length < x.rows) return { references };
  return { references: takeRows(references, first), pairs: Int32Array.from(rows) };
}
