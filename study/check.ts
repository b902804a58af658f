import { startWork } from "../src/budget.ts";
import { compileConstraints } from "../src/data/constraints.ts";
import { checkSchema } from "../src/data/schema.ts";
import { contentDigest } from "../src/digest.ts";
import { isColaError, messageOf } from "../src/errors.ts";
import type { ExplainedRow, Explanation, Plan } from "../src/explanation.ts";
import { scorer } from "../src/model/scorer.ts";
import { slackOf } from "../src/model/slack.ts";
import { goalReach } from "../src/model/target.ts";
import { matrix, rowOf } from "../src/num/matrix.ts";
import { codesWith, NOTHING, rowFault, totalsFault } from "../src/row-fault.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";
import { upgradeExplanation } from "../src/upgrade.ts";
import type { Against } from "../src/verify/against.ts";
import { verify } from "../src/verify/verify.ts";
import { qualityOf, tableDigest } from "./basis.ts";
import { changeFault, questionFault, type RowFault, reasonsFault } from "./check-again.ts";
import { groupsFault } from "./groupings.ts";
import type { Data, StudyModel } from "./parts.ts";

/** What is looked at when an explanation is opened, in this order. */
const CHECKS = [
  "form",
  "content",
  "totals",
  "rows",
  "table",
  "cells",
  "model",
  "scores",
  "changes",
  "reasons",
  "quality",
  "certificate",
  "groups",
  "question",
] as const;
export type CheckName = (typeof CHECKS)[number];

/** One thing that was looked at; null: it could not be, because `why` was not at hand. */
export interface Checked {
  readonly name: CheckName;
  readonly ok: boolean | null;
  /** What does not match, in English; where it was not looked at, what it takes. */
  readonly why?: string;
}

export interface CheckedExplanation {
  /** Nothing that was looked at was wrong. */
  readonly ok: boolean;
  readonly checks: readonly Checked[];
}

/** What an explanation is checked against, as far as it is at hand. */
export interface CheckParts {
  /** The model over rows of codes of the explanation's schema, with its digest (`digestOf`). */
  readonly model?: {
    readonly model: Model;
    readonly digest?: string;
    readonly fitted?: StudyModel["fitted"] | undefined;
  };
  /** The table, read by the explanation's schema. */
  readonly data?: Pick<Data, "rows" | "ids" | "labels" | "classes">;
  readonly certificate?: { readonly text: string; readonly against: Against };
}

/**
 * Says of a stored explanation what matches: its form, the digest of its contents, counts, rows within themselves and the
 * constraints, groups compared, the table, the model by digest and by scoring every row and plan again, and a certificate's proofs.
 */
export async function checkExplanation(
  value: unknown,
  parts: CheckParts = {},
  work: WorkOptions = {},
): Promise<CheckedExplanation> {
  const checks: Checked[] = [];
  const look = async (name: CheckName, find: () => Found | Promise<Found>): Promise<void> => {
    const why = await Promise.resolve()
      .then(find)
      .catch((error: unknown) => {
        if (isColaError(error) && error.code === "ABORTED") throw error;
        return `it is damaged (${messageOf(error).slice(0, 200)})`;
      });
    const asked = typeof why === "object";
    checks.push({
      name,
      ok: asked ? null : why === undefined,
      ...(why === undefined ? {} : { why: asked ? why.needs : why }),
    });
  };
  let explanation: Explanation | undefined;
  await look("form", () => {
    explanation = upgradeExplanation(value);
    if (!explanation) return "it is not an explanation of version 1 or 2";
    checkSchema(explanation.schema);
    return /^[0-9a-f]{64}$/.test(explanation.runHash) ? undefined : "its run hash is none";
  });
  if (!explanation || checks[0]!.ok === false) return { ok: false, checks };
  const told = explanation;
  const { data, model, certificate } = parts;
  await look("content", () => contentFault(told));
  await look("totals", () => totalsFault(told));
  await look("rows", () => firstFault(told, rowFault(told)));
  await look("table", () => (data ? tableFault(told, data) : { needs: "the table" }));
  await look("cells", () => (data?.ids ? cellsFault(told, data) : { needs: "the table with its ids" }));
  await look("model", () => (model?.digest ? modelFault(told, model.digest) : { needs: "the model" }));
  await look("scores", () => (model ? scoresFault(told, model.model, work) : { needs: "the model" }));
  await look("changes", () =>
    data ? firstFault(told, changeFault(told, data.rows)) : { needs: "the table" },
  );
  await look("reasons", () =>
    model && data ? reasonsFound(told, model.model, data.rows, work) : { needs: "the model and the table" },
  );
  await look("quality", () => qualityFound(told, parts));
  await look("certificate", () =>
    certificate ? certificateFault(told, certificate) : { needs: "the certificate and the model's file" },
  );
  if (told.groups) await look("groups", () => groupsFault(told));
  await look("question", () => questionFault(told) ?? { needs: ANSWERED_AGAIN });
  return { ok: checks.every(({ ok }) => ok !== false), checks };
}

const ANSWERED_AGAIN =
  "the same request answered again: options, seed, version and run hash say what was asked, and are in no plan";

/** Nothing wrong, what is wrong, or what it takes to look. */
type Found = string | undefined | { readonly needs: string };

const named = ({ id, row }: ExplainedRow): string => String(id ?? row);

function contentFault(explanation: Explanation): Found {
  const { digest } = explanation;
  if (digest === undefined) return { needs: "a digest in it, which older versions did not write" };
  return contentDigest(explanation) === digest
    ? undefined
    : "it was changed after it was written: its digest is another";
}

/** The first rows at fault, by name. */
function firstFault({ rows }: Explanation, fault: RowFault): Found {
  const found = rows.flatMap((row) => {
    const why = fault(row);
    return why === undefined ? [] : [`${named(row)}: ${why}`];
  });
  const more = found.length > 3 ? `; and ${found.length - 3} more rows` : "";
  return found.length === 0 ? undefined : `${found.slice(0, 3).join("; ")}${more}`;
}

function tableFault({ basis }: Explanation, { rows }: Pick<Data, "rows">): Found {
  if (!basis) return { needs: "a digest of the table in it" };
  if (basis.table.digest === tableDigest(rows)) return undefined;
  return `the table is another: it has ${rows.rows} rows and another digest than the ${basis.table.rows} rows explained with`;
}

/** Every explained row stands in the table, cell by cell. */
function cellsFault(explanation: Explanation, { rows, ids = [] }: Pick<Data, "rows" | "ids">): Found {
  const places = new Map(ids.map((id, i) => [String(id), i]));
  return firstFault(explanation, (row) => {
    const at = row.id === undefined ? undefined : places.get(String(row.id));
    if (at === undefined) return "it is not in the table";
    const [own, there] = [codesWith(explanation.schema, row, NOTHING), rowOf(rows, at)];
    const k = explanation.schema.features.findIndex(
      (feature, c) => !feature.derived && !Object.is(own[c]! + 0, there[c]! + 0),
    );
    return k < 0 ? undefined : `${explanation.schema.features[k]!.name} is another in the table`;
  });
}

function modelFault({ basis }: Explanation, digest: string): Found {
  if (!basis) return { needs: "a digest of the model in it" };
  return basis.model.digest === digest
    ? undefined
    : "the model is another than the one explained: its digest differs";
}

/** The model gives every row and plan the score that is told, and every other plan and end of a range the goal. */
async function scoresFault(explanation: Explanation, model: Model, work: WorkOptions): Promise<Found> {
  const { schema, goal } = explanation;
  const rows = explanation.rows.filter(({ before }) => before !== null);
  if (rows.length === 0) return undefined;
  if (explanation.outputs.join("\n") !== model.outputs.join("\n"))
    return "the outputs of the model have other names";
  const reach = goalReach(model, goal);
  const ask = scorer(model, startWork("check", work));
  const more =
    goal.kind === "each" ? rows.flatMap((row) => othersOf(row).map((plan) => ({ row, plan }))) : [];
  const codes = matrixOf([
    ...rows.map((row) => codesWith(schema, row, NOTHING)),
    ...rows.map((row) => codesWith(schema, row, row)),
    ...more.map(({ row, plan }) => codesWith(schema, row, plan)),
  ]);
  const { shown, slack } = await slackOf(ask, compileConstraints(schema).complete(codes), reach, true);
  const place = new Map(rows.map((row, i) => [row, i]));
  const missed = new Set(
    more.filter((_, t) => !reach.reached(slack[2 * rows.length + t]!)).map(({ row }) => row),
  );
  return firstFault({ ...explanation, rows }, (row) => {
    const i = place.get(row)!;
    if (shown[i] !== row.before) return `the model scores it ${shown[i]}, not ${row.before}`;
    if (shown[rows.length + i] !== row.after)
      return `the model scores its plan ${shown[rows.length + i]}, not ${row.after}`;
    if (goal.kind === "each" && row.valid && !reach.reached(slack[rows.length + i]!, goal.minMargin))
      return "its plan does not reach the goal";
    if (goal.kind === "each" && row.edits.length > 0 && reach.reached(slack[i]!, goal.minMargin))
      return "it reaches the goal without its plan";
    return missed.has(row) ? "another plan, or an end of a range, does not reach the goal" : undefined;
  });
}

/** Reasons against real rows at the goal are computed again; those against references are not, which are not kept. */
async function reasonsFound(
  explanation: Explanation,
  model: Model,
  table: Matrix,
  work: WorkOptions,
): Promise<Found> {
  const fault = firstFault(explanation, await reasonsFault(explanation, model, table, work));
  const others = explanation.rows.some(({ typical, base }) => !typical && base !== null);
  return fault ?? (others ? { needs: "the references its reasons are measured against" } : undefined);
}

/** How often the model is right, counted again. */
async function qualityFound({ basis }: Explanation, { model, data }: CheckParts): Promise<Found> {
  const told = basis?.model.quality;
  if (!told) return { needs: "the quality of the model in it" };
  if (!model?.fitted || !data?.labels) return { needs: "the model and the table with its outcome" };
  const made = await qualityOf(data, { model: model.model, fitted: model.fitted });
  const same = (["accuracy", "auc", "rows"] as const).every((name) => told[name] === made?.[name]);
  return same ? undefined : "the model is right another share of the time";
}

/** Other plans of a row, and its plan with each number at the far end of its range. */
function othersOf({ valid, edits, ranges = [], alternatives, front = [], sturdy }: ExplainedRow): Plan[] {
  if (!valid) return [];
  const ends = ranges
    .filter(({ to }) => to !== null)
    .map(({ feature, to }) => ({
      edits: edits.map((edit) => (edit.feature === feature ? { ...edit, to } : edit)),
    }));
  return [...alternatives, ...front, ...(sturdy && sturdy.edits.length > 0 ? [sturdy] : []), ...ends];
}

function matrixOf(rows: readonly Float64Array[]): Matrix {
  const cols = rows[0]!.length;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    data.set(row, i * cols);
  });
  return matrix(rows.length, cols, data);
}

/** The certificate holds, and its rows and plans are those of the explanation. */
async function certificateFault(
  { rows, schema }: Explanation,
  { text, against }: NonNullable<CheckParts["certificate"]>,
): Promise<Found> {
  const verdict = await verify(text, against);
  if (!verdict.accepted) return `it is refused: ${verdict.fault}`;
  const certified = (
    JSON.parse(text) as { rows: { id: unknown; x: (number | null)[]; z: (number | null)[] }[] }
  ).rows;
  const known = new Map(rows.map((row) => [named(row), row]));
  const same = (codes: Float64Array, cells: readonly (number | null)[]): boolean =>
    cells.every((cell, k) => (cell === null ? Number.isNaN(codes[k]!) : codes[k] === cell));
  for (const { id, x, z } of certified) {
    const row = known.get(String(id));
    if (!row) return `it certifies ${String(id)}, who is not in the explanation`;
    if (!same(codesWith(schema, row, NOTHING), x) || !same(codesWith(schema, row, row), z))
      return `${String(id)} or its plan is another in the certificate`;
  }
  return undefined;
}
