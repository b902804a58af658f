import { startWork } from "../../src/budget.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import { referencesFor } from "../../src/run/choices.ts";
import type { Matrix, Model, Schema, Target } from "../../src/types.ts";
import { type Data, embeddedData, readFile, withOutcomes } from "./data.ts";
import { ownReferences, readOwn } from "./given.ts";
import { bound, type Fitted, trained } from "./model.ts";
import type { Lent } from "./protocol.ts";
import { choicesOf, type Finished, targetOf } from "./run.ts";

/** Two machines may round differently, not more: ONNX computes in single precision, here and there by other code. */
const SAME = 1e-5;

/**
 * A run that was made elsewhere, with its table and model: questions about it are answered here as if it had been
 * made here. The model is trained again (the same seed gives the same model) and must score the people as the run says.
 */
export async function finishedOf(lent: Lent, explanation: Explanation): Promise<Finished> {
  const { schema, goal } = explanation;
  const settings = { ...lent.settings, overlay: {} };
  const data = await dataOf(lent, schema);
  const fitted = await fittedOf(lent, data);
  const constraints = compileConstraints(schema);
  const model = bound(fitted, schema, constraints);
  const target = targetOf(settings.target, model);
  const x = peopleOf(explanation);
  await checkScores(explanation, model, target, x);
  const task = { model, x, references: data.rows, constraints, target };
  const make = async () => {
    const { counterfactuals } = lent;
    if (!counterfactuals) return referencesFor(task, choicesOf(settings), {});
    const { own } = await readOwn(counterfactuals);
    return ownReferences(own, data, constraints, x.rows);
  };
  let made: ReturnType<typeof make> | undefined;
  return {
    explanation,
    settings,
    fitted,
    model,
    schema,
    constraints,
    target,
    goal,
    training: data.rows,
    x,
    made: () => {
      made ??= make();
      return made;
    },
  };
}

async function dataOf({ table, roles }: Lent, schema: Schema): Promise<Data> {
  if (!table) {
    const data = embeddedData();
    return { ...data, schema, rows: tableToMatrix(schema, data.table) };
  }
  const read = await readFile(table);
  return withOutcomes({
    source: table.name,
    table: read,
    schema,
    rows: tableToMatrix(schema, read),
    notes: [],
    roles,
  });
}

async function fittedOf({ model, settings }: Lent, data: Data): Promise<Fitted> {
  if (!model) return trained(settings.model, data, settings.seed, {});
  const { readModel } = await import("./read-model.ts");
  return readModel(model);
}

function peopleOf({ schema, rows }: Explanation): Matrix {
  const names = schema.features.map(({ name }) => name);
  const columns = names.map((_, k) => rows.map((row) => row.x[k] ?? null));
  return tableToMatrix(schema, { names, columns, rows: rows.length });
}

async function checkScores({ rows }: Explanation, model: Model, target: Target, x: Matrix): Promise<void> {
  const { model: asked, output } = goalScore(model, reachOf(model, target));
  const scores = await scorer(asked, startWork("score", {})).score(x, output);
  const differs = rows.some(
    ({ before }, i) =>
      before !== null && !(Math.abs(before - scores[i]!) <= SAME * Math.max(1, Math.abs(before))),
  );
  if (!differs) return;
  throw new ColaError(
    "OPTION_INVALID",
    "The model made in this page scores these people differently from the run, so questions about it cannot be answered here. Run it in this page.",
  );
}
