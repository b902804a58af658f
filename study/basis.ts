import { startWork } from "../src/budget.ts";
import type { Basis } from "../src/explanation.ts";
import { scorer } from "../src/model/scorer.ts";
import { takeRows } from "../src/num/matrix.ts";
import { Sha256 } from "../src/num/sha256.ts";
import { rocAuc } from "../src/num/stats.ts";
import type { Matrix } from "../src/types.ts";
import type { Data, StudyModel } from "./parts.ts";

/** Rows of the table on which the model's accuracy is counted, spread evenly over it. */
const MOST_ROWS = 5000;

/** SHA-256 of a table's rows as codes of its schema. */
export function tableDigest({ rows, cols, data }: Matrix): string {
  return new Sha256().numbers([rows, cols]).numbers(data).hex();
}

/** SHA-256 of the model by itself: of its weights, or of how it is called. */
export const digestOf = ({ fitted, digest }: StudyModel): string => fitted?.digest ?? digest;

/** What an explanation stands on: table and model by digest, and how often the model is right where outcomes are known. */
export async function basisOf({
  data,
  model,
}: {
  readonly data: Data;
  readonly model: StudyModel;
}): Promise<Basis> {
  const quality = await qualityOf(data, model);
  return {
    table: { rows: data.rows.rows, digest: tableDigest(data.rows) },
    model: { digest: digestOf(model), ...(quality ? { quality } : {}) },
  };
}

/** A model that is called is not asked for more rows than its plans need, and one that names other classes not at all. */
export async function qualityOf(
  { rows, labels, classes }: Pick<Data, "rows" | "labels" | "classes">,
  { model, fitted }: Pick<StudyModel, "model" | "fitted">,
): Promise<Basis["model"]["quality"] | undefined> {
  if (!labels || !classes || !fitted) return undefined;
  const place = model.outputs.map((name) => classes.indexOf(name));
  if (place.length < 2 || place.includes(-1)) return undefined;
  const count = Math.min(rows.rows, MOST_ROWS);
  const chosen = Array.from({ length: count }, (_, t) => Math.floor((t * rows.rows) / count));
  const some = takeRows(rows, chosen);
  const ask = scorer(model, startWork("score", {}));
  const scores: Float64Array[] = [];
  for (const o of model.outputs.keys()) scores.push(await ask.score(some, o));
  const known = chosen.map((i) => labels[i]!);
  const right = known.filter((label, i) => {
    const best = scores.reduce((top, own, o) => (own[i]! > scores[top]![i]! ? o : top), 0);
    return place[best] === label;
  }).length;
  const auc =
    place.length === 2
      ? rocAuc(
          known.map((label) => (label === place[1] ? 1 : 0)),
          scores[1]!,
        )
      : Number.NaN;
  const trained = fitted.trained ? { trained: true as const } : {};
  return { accuracy: right / count, ...(Number.isFinite(auc) ? { auc } : {}), rows: count, ...trained };
}
