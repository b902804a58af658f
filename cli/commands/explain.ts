import { writeFileWhole } from "../../node/files.ts";
import { formatNumber } from "../../show/sentences.ts";
import { startWork } from "../../src/budget.ts";
import type { Explanation } from "../../src/explanation.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { WorkOptions } from "../../src/types.ts";
import { countAsked } from "../../study/asked.ts";
import { about, OPTIONS } from "../../study/options.ts";
import { type Among, generated, posed, rowsOf, type Study } from "../../study/study.ts";
import { checkNames, explainAndWrite } from "../explain-and-write.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { withStudy } from "../sources.ts";

/** From a table to plans: train or load a model, make counterfactuals, refine them, tell and write the result. */
export const explainCommand: CommandSpec = {
  name: "explain",
  summary: "from a table to the few edits that change the decision",
  options: [
    ...about("table", "constraints", "model", "goal", "rows", "method", "result", "run"),
    "workers",
    "saveSchema",
    "dryRun",
  ],
  examples: [
    "cola explain",
    "cola explain --data loans.csv --label granted --model forest --freeze age --target yes",
    "cola explain --dataset german --data-dir data --model forest",
    "cola explain --data loans.csv --model model.json --target 'score >= 0.7' --json",
    "cola explain --data loans.csv --model 'command:python score.py' --target 'score >= 0.7'",
  ],
  run: (given) =>
    withWork(given, async (work) => {
      checkNames(given);
      return withStudy(given, work, (study, among) => explainAll(study, work, among));
    }),
};

/** Explains the rows of a study and tells the result; `text` is what people read of it in place of the rows. */
export async function explainAll(
  study: Study,
  work: WorkOptions,
  among?: Among,
  text?: (explanation: Explanation) => string,
): Promise<number> {
  const { options: given, data } = study;
  if (given.saveSchema) writeFileWhole(given.saveSchema, `${JSON.stringify(data.schema, null, 2)}\n`);
  const asked = countAsked();
  const seeking = { ...work, ...asked.for("rows") };
  const own = study.own && (await posed(study, seeking, undefined, among));
  if (own && !given.dryRun) return explainAndWrite(study, own, work, asked, text);
  const rows = own ?? (await rowsOf(study, seeking, among));
  if (given.dryRun) return dryRun(study, rows.x.rows, own ? 0 : (rows.of ?? data.rows.rows), work);
  const made =
    rows.chosen.length === 0
      ? { references: data.rows }
      : await generated(study, rows, { ...work, ...asked.for("references") }).catch((error: unknown) => {
          if (!work.signal?.aborted) throw error;
          return { references: data.rows }; // Ctrl-C: the result says of every row that it was not reached
        });
  return explainAndWrite(study, { ...rows, ...made, notes: rows.rowNotes ?? [] }, work, asked, text);
}

/** Rows scored to see how long the model takes. */
const SAMPLE = 256;

/**
 * What the run would ask of the model at the least: every row is scored to find those that miss the target, and of
 * these the row, its plan and what is returned. What the search asks beyond that is known only to the search.
 */
async function dryRun(study: Study, rows: number, of: number, work: WorkOptions): Promise<number> {
  const { data, model, target, options: given } = study;
  const features = data.constraints.editable.reduce((sum, flag) => sum + flag, 0);
  const timed = Math.min(SAMPLE, Math.max(1, rows));
  const sample = takeRows(
    data.rows,
    Int32Array.from({ length: timed }, (_, i) => i),
  );
  const start = performance.now();
  await scorer(model.model, startWork("score", work)).score(sample);
  const secondsPerRow = (performance.now() - start) / 1000 / timed;
  const outputs = reachOf(model.model, target).outputs.length;
  const modelRowsAtLeast = of * outputs + 3 * rows * (given.effect === undefined ? outputs : 1);
  const plan = {
    source: given.references ? (given.data ?? "the query") : data.source,
    model: model.title,
    rows,
    editableFeatures: features,
    generator: study.own?.name ?? given.generator ?? OPTIONS.generator.default,
    modelRowsAtLeast,
    modelSecondsAtLeast: Number((modelRowsAtLeast * secondsPerRow).toPrecision(2)),
  };
  process.stdout.write(given.json ? `${JSON.stringify(plan)}\n` : dryText(plan, timed));
  return EXIT.ok;
}

function dryText(plan: Readonly<Record<string, string | number>>, timed: number): string {
  const shown = (name: string): string => {
    const value = plan[name]!;
    return typeof value === "number" ? formatNumber(value) : value;
  };
  return `${shown("source")}, ${shown("model")}: ${shown("rows")} rows would be explained, ${shown("editableFeatures")} features may change, counterfactuals by ${shown("generator")}.
The model would score at least ${shown("modelRowsAtLeast")} rows, in about ${shown("modelSecondsAtLeast")} s, as measured on ${timed} of them. The search for plans scores more, often many times as many; how many is not known before. --timeout bounds the run. Nothing was done.
`;
}
