import { writeArrow, writeArrowNumbers } from "../../formats/arrow.ts";
import { diceJson } from "../../show/dice-json.ts";
import { explanationTables } from "../../show/export.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { reportHtml } from "../../show/report/report.ts";
import { pshap } from "../../src/attribute/pshap.ts";
import { startWork } from "../../src/budget.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import { matrix, takeRows } from "../../src/num/matrix.ts";
import type { WorkOptions } from "../../src/types.ts";
import { finished } from "../../study/answer.ts";
import { countAsked } from "../../study/asked.ts";
import { linesOf } from "../../study/lines.ts";
import { ownRows } from "../../study/own.ts";
import { savedStudy } from "../../study/saved.ts";
import {
  amongOf,
  factualRows,
  openedOf,
  type Posed,
  posed,
  questionOf,
  type Study,
  withAsked,
} from "../../study/study.ts";
import { coupledBy } from "../pairing.ts";
import { explainInShards } from "../shards.ts";
import { dayOf } from "../today.ts";
import type { Frame } from "./frames.ts";
import { type Opened, ownPart, partOf, sentences, tablePart } from "./studies.ts";

/** What a request is answered with, beside its id and type. */
export type Answer = Readonly<Record<string, unknown>> & Pick<Frame, "parts">;

/** The study of an opened table, which needs its model by now. */
export function studyIn({ study }: Opened): Study {
  if (study) return study;
  throw new ColaError("BRIDGE_INVALID", 'bridge: this study has no model yet; send "model" first.');
}

/** The scores of all outputs. */
export async function scoreRows(opened: Opened, frame: Frame, work: WorkOptions): Promise<Answer> {
  const study = studyIn(opened);
  const { model } = study.model;
  const { rows } = amongOf(study, tablePart(frame, "rows"));
  const ask = scorer(model, startWork("score", work));
  const scores = matrix(rows.rows, model.outputs.length, new Float64Array(rows.rows * model.outputs.length));
  for (const o of model.outputs.keys()) {
    const column = await ask.score(rows, o);
    column.forEach((score, i) => {
      scores.data[i * scores.cols + o] = score;
    });
  }
  return { parts: { scores: writeArrowNumbers(model.outputs, scores) } };
}

/** The plans of all rows of the frame, from generated counterfactuals or from those that came along. */
export async function explainRows(of: Opened, frame: Frame, work: WorkOptions): Promise<Answer> {
  const own = frame.parts?.["counterfactuals"] ? ownPart(frame) : undefined;
  const study = own ? { ...studyIn(of), own } : studyIn(of);
  const rows = factualRows(study, tablePart(frame, "rows"));
  const asked = await posed(study, work, rows).catch((error: unknown): Posed => {
    if (!work.signal?.aborted) throw error;
    return { ...rows, references: study.data.rows, notes: [] }; // every row is told as not reached
  });
  const { limits: _, ...watch } = work;
  const input = { ...watch, ...questionOf(study, asked) };
  const opened = openedOf(study, asked.references);
  const found = await explainInShards({ ...study.options, out: "-" }, { opened, input }, work, countAsked());
  const explanation = await finished(study, withAsked(study, found.explanation), work);
  if (!found.stopped && explanation.rows.every(({ before }) => before === null))
    await scorer(study.model.model, startWork("score", work)).score(takeRows(asked.x, [0])); // tells why
  const { z, edits, reasons } = explanationTables(explanation, { locale: localeOf(study.options.locale) });
  return {
    done: found.done,
    stopped: found.stopped,
    chosen: asked.chosen,
    notes: sentences([...study.notes, ...asked.notes], study.options),
    parts: {
      explanation: Buffer.from(JSON.stringify(explanation)),
      plans: writeArrow(z),
      edits: writeArrow(edits),
      reasons: writeArrow(reasons),
    },
  };
}

/** What `cola pipe` prints of the rows: one line of JSON each, the same whatever rows are asked together. */
export async function rowLines(opened: Opened, frame: Frame, work: WorkOptions): Promise<Answer> {
  const lines = await linesOf(studyIn(opened), tablePart(frame, "rows"), work);
  return { parts: { lines: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")) } };
}

/** The study as a file for `cola pipe`. */
export async function saveStudy(opened: Opened): Promise<Answer> {
  return { parts: { study: Buffer.from(savedStudy(studyIn(opened))) } };
}

const localeOf = (name: unknown) => localeNamed(typeof name === "string" ? name : "en");

/** φ of rows against coupled references. */
export async function attributeRows(opened: Opened, frame: Frame, work: WorkOptions): Promise<Answer> {
  const study = studyIn(opened);
  const { data, target, options } = study;
  const among = { ...data, ...amongOf(study, tablePart(frame, "rows")) };
  const others = await ownRows(ownPart(frame), among);
  const coupling = await coupledBy(couplingOf(frame, others), data, others, options.seed ?? 0, work);
  const { model, output } = goalScore(study.model.model, reachOf(study.model.model, target));
  const seed = options.seed ?? 0;
  const phi = await pshap(model, others.x, others.references, coupling, { ...work, output, seed });
  const { values, base, exact, space, residual } = phi;
  const names = data.schema.features.map((feature) => feature.name);
  return {
    exact,
    space,
    residual,
    chosen: others.chosen,
    parts: {
      values: writeArrowNumbers(names, values),
      base: writeArrowNumbers(["base"], matrix(base.length, 1, base)),
    },
  };
}

function couplingOf({ coupling }: Frame, { pairs }: { readonly pairs?: unknown }): string {
  return typeof coupling === "string" ? coupling : pairs ? "exact" : "transport";
}

/** Which counterfactual belongs to which row, by distance alone. */
export async function coupleRows(
  { data, options }: Opened,
  frame: Frame,
  work: WorkOptions,
): Promise<Answer> {
  const rows = amongOf({ data, options }, tablePart(frame, "rows"));
  const others = await ownRows(ownPart(frame), { ...data, ...rows });
  const made = await coupledBy(couplingOf(frame, others), data, others, options.seed ?? 0, work);
  const entries = new Float64Array(made.rows.length * 3);
  made.rows.forEach((i, e) => {
    entries.set([others.chosen[i]!, made.cols[e]!, made.mass[e]!], 3 * e);
  });
  const { name, cost, gap, converged, iterations } = made;
  return {
    ...{ name, cost, gap, converged, iterations },
    parts: { entries: writeArrowNumbers(["row", "reference", "mass"], matrix(made.rows.length, 3, entries)) },
  };
}

/** An explanation as a page that needs nothing else, or as DiCE writes counterfactuals. */
export async function render(frame: Frame): Promise<Answer> {
  const explanation = JSON.parse(new TextDecoder().decode(partOf(frame, "explanation"))) as Explanation;
  const { format = "html" } = frame;
  if (format === "html") {
    const html = await reportHtml(explanation, { locale: localeOf(frame["locale"]), date: dayOf(undefined) });
    return { parts: { file: Buffer.from(html) } };
  }
  if (format === "dice") return { parts: { file: Buffer.from(JSON.stringify(diceJson(explanation))) } };
  throw new ColaError(
    "NAME_UNKNOWN",
    `bridge: there is no format ${JSON.stringify(format)}; html and dice are there.`,
  );
}
