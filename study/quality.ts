import { startWork } from "../src/budget.ts";
import { ColaError } from "../src/errors.ts";
import { scorer } from "../src/model/scorer.ts";
import type { WorkOptions } from "../src/types.ts";
import type { Data, StudyModel } from "./parts.ts";

/** How well scores tell the rows of a class from the others. */
export interface Quality {
  readonly rows: number;
  readonly class: string;
  /** Share of the rows whose outcome the model calls; of a score alone: called above 0.5. */
  readonly accuracy: number;
  /** Area under the curve of `roc`: shares of the others and of the class with at least such a score. */
  readonly auc: number;
  readonly roc: readonly (readonly [others: number, own: number])[];
  /** As many rows each, by their score: the mean score and the share of the class. */
  readonly bins: readonly { readonly score: number; readonly share: number; readonly rows: number }[];
}

const BINS = 10;
const POINTS = 100;

/** The model's scores of a class (the last one, where none is named) beside the known outcomes of the table. */
export async function qualityOf(
  { rows, labels, classes }: Data,
  { model }: Pick<StudyModel, "model">,
  name: string | undefined,
  work: WorkOptions,
): Promise<Quality> {
  if (!labels || !classes)
    throw new ColaError(
      "OPTION_INVALID",
      "quality: the table has no known outcome to compare the scores with; choose the column that has it (options.label).",
    );
  const at = Math.max(0, name === undefined ? classes.length - 1 : classes.indexOf(name));
  const outputs = outputsOf(model.outputs, classes);
  const ask = scorer(model, startWork("score", work));
  const scores: Float64Array[] = [];
  for (const output of outputs) scores.push(await ask.score(rows, output));
  const own = scores[outputs.length === 1 ? 0 : at]!;
  const called = (i: number): number => {
    if (outputs.length === 1) return own[i]! > 0.5 ? classes.length - 1 : 0;
    let best = 0;
    for (let c = 1; c < scores.length; c++) if (scores[c]![i]! > scores[best]![i]!) best = c;
    return best;
  };
  let right = 0;
  for (let i = 0; i < rows.rows; i++) right += Number(called(i) === labels[i]);
  const order = Array.from(own.keys()).sort((a, b) => own[b]! - own[a]!);
  return {
    rows: rows.rows,
    class: classes[at]!,
    accuracy: right / rows.rows,
    ...curveOf(order, own, (i) => labels[i] === at),
    bins: binsOf(order, own, (i) => labels[i] === at),
  };
}

/** Outputs in the order of the classes: by name, else as they come; of one output, that one. */
function outputsOf(outputs: readonly string[], classes: readonly string[]): number[] {
  if (outputs.length === 1) return [0];
  const named = classes.map((name) => outputs.indexOf(name));
  if (named.every((at) => at >= 0)) return named;
  if (outputs.length === classes.length) return classes.map((_, c) => c);
  throw new ColaError(
    "OPTION_INVALID",
    `quality: the model's outputs ${outputs.join(", ")} are not the outcomes ${classes.join(", ")} of the table; name the outputs so.`,
  );
}

function curveOf(order: readonly number[], scores: Float64Array, isOwn: (i: number) => boolean) {
  const all = order.filter(isOwn).length;
  const others = order.length - all;
  const roc: [number, number][] = [[0, 0]];
  let [own, other, auc] = [0, 0, 0];
  let [lastOwn, lastOther] = [0, 0];
  order.forEach((i, k) => {
    if (isOwn(i)) own++;
    else other++;
    const next = order[k + 1];
    if (next !== undefined && scores[next] === scores[i]) return;
    auc += ((other - lastOther) * (own + lastOwn)) / 2;
    [lastOwn, lastOther] = [own, other];
    roc.push([other / Math.max(1, others), own / Math.max(1, all)]);
  });
  const step = Math.max(1, Math.ceil(roc.length / POINTS));
  return {
    auc: auc / Math.max(1, all * others),
    roc: roc.filter((_, k) => k % step === 0 || k === roc.length - 1),
  };
}

function binsOf(order: readonly number[], scores: Float64Array, isOwn: (i: number) => boolean) {
  const bins = Math.min(BINS, order.length);
  return Array.from({ length: bins }, (_, b) => {
    const some = order.slice(
      Math.floor((b * order.length) / bins),
      Math.floor(((b + 1) * order.length) / bins),
    );
    const sum = (of: (i: number) => number): number => some.reduce((total, i) => total + of(i), 0);
    return {
      score: sum((i) => scores[i]!) / some.length,
      share: sum((i) => Number(isOwn(i))) / some.length,
      rows: some.length,
    };
  }).reverse();
}
