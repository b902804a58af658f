import { startWork } from "../../src/budget.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import type { Matrix } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import { generated, posed, type References, type Rows, type Study, studyOf } from "../../study/study.ts";
import { partsOf, readFile } from "./data.ts";
import { named } from "./model-files.ts";
import type { JobInputs } from "./protocol.ts";
import { openModelFile, openOwn } from "./read.ts";
import { type Finished, optionsOf } from "./run.ts";

/** Two machines may round differently, not more: ONNX computes in single precision, here and there by other code. */
const SAME = 1e-5;

/**
 * A run that was made elsewhere, with its table and model: questions about it are answered here as if it had been
 * made here. The model is trained again (the same seed gives the same model) and must score the people as the run says.
 */
export async function finishedOf(jobInputs: JobInputs, explanation: Explanation): Promise<Finished> {
  const { table, roles, settings, counterfactuals } = jobInputs;
  const { schema } = explanation;
  const data = dataOf({
    ...(table ? { table: { source: table.name, table: await readFile(table, roles) } } : {}),
    schema,
    ...partsOf(roles),
  });
  const { encoding, outputs } = jobInputs;
  const opened = jobInputs.model ? await openModelFile(jobInputs.model) : undefined;
  const file = opened && outputs ? await named({ source: opened }, outputs) : opened;
  const parts = { model: file ?? { train: settings.model }, seed: settings.seed };
  const model = await modelOf({ ...parts, ...(encoding ? { encoding } : {}) }, data, {});
  const own = counterfactuals ? await openOwn(counterfactuals) : undefined;
  const study = studyOf(data, model, optionsOf(settings, roles), own);
  const rows = peopleOf(explanation);
  await checkScores(explanation, study, rows.x);
  let made: Promise<References> | undefined;
  return {
    explanation,
    study,
    x: rows.x,
    made: () => {
      made ??= own ? posed(study, {}) : generated(study, rows, {});
      return made;
    },
  };
}

function peopleOf({ schema, rows }: Explanation): Rows {
  const names = schema.features.map(({ name }) => name);
  const columns = names.map((_, k) => rows.map((row) => row.x[k] ?? null));
  const x = tableToMatrix(schema, { names, columns, rows: rows.length });
  return { x, chosen: rows.map(({ row }) => row), ids: rows.map(({ id, row }) => id ?? row) };
}

async function checkScores({ rows }: Explanation, { model, target }: Study, x: Matrix): Promise<void> {
  const { model: asked, output } = goalScore(model.model, reachOf(model.model, target));
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
