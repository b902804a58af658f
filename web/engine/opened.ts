import { checkPaper } from "../../show/check-paper.ts";
import type { Locale } from "../../show/locales/contract.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import { startWork } from "../../src/budget.ts";
import { ColaError, isColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { flatten } from "../../src/flatten/flatten.ts";
import { scorer } from "../../src/model/scorer.ts";
import { matrix } from "../../src/num/matrix.ts";
import { savedBundle } from "../../src/read/readers.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Against } from "../../src/verify/against.ts";
import { digestOf, tableDigest } from "../../study/basis.ts";
import {
  type CheckedExplanation,
  type CheckName,
  type CheckParts,
  checkExplanation,
} from "../../study/check.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import type { Data, StudyModel } from "../../study/parts.ts";
import { type Opened, partsOf } from "./data.ts";
import type { GivenFile } from "./protocol.ts";
import type { Brought } from "./run.ts";
import type { PaperInfo } from "./told.ts";

/** What stands beside an opened run: the table and the model of the set-up, and a certificate. */
export interface Beside {
  readonly opened: Opened;
  /** null: no model was loaded, and none can be trained. */
  readonly brought: Pick<Brought, "model" | "encoding"> | null;
  readonly seed: number;
  readonly certificate?: GivenFile;
}

/** What an explanation says of itself: where this is wrong, it was changed. */
const INSIDE: readonly CheckName[] = ["form", "content", "totals", "rows", "question"];

/** A run that was changed after it was written is not shown as if it were whole. */
export async function insist(name: string, explanation: Explanation): Promise<Explanation> {
  const { checks } = await checkExplanation(explanation);
  const wrong = checks.filter(({ name: check, ok }) => ok === false && INSIDE.includes(check));
  if (wrong.length === 0) return explanation;
  throw new ColaError(
    "TABLE_INVALID",
    `${name} is not opened, because it is not as it was written: ${wrong.map(({ why }) => why).join("; ")}.`,
    { file: name },
  );
}

/** Holds an opened run against whatever of table, model and certificate is at hand. */
export async function checkedBeside(
  explanation: Explanation,
  beside: Beside,
  work: WorkOptions,
): Promise<CheckedExplanation> {
  const data = tableFor(explanation, beside);
  const same = data !== undefined && tableDigest(data.rows) === explanation.basis?.table.digest;
  const model = await modelFor(explanation, beside, same ? data : undefined, work);
  const parts: CheckParts = {
    ...(data ? { data } : {}),
    ...(model ? { model: { model: model.model, digest: digestOf(model), fitted: model.fitted } } : {}),
  };
  const { certificate } = beside;
  if (!certificate || !model) return checkExplanation(explanation, parts, work);
  const text = new TextDecoder().decode(certificate.bytes);
  const against = { ...againstModel(beside, model), ...(data ? againstTable(data) : {}) };
  return checkExplanation(explanation, { ...parts, certificate: { text, against } }, work);
}

/** The table of the set-up as the run reads it; the embedded one and one without the run's columns belong to other runs. */
function tableFor(explanation: Explanation, { opened }: Beside): Data | undefined {
  const { table, roles } = opened;
  const { schema, basis } = explanation;
  try {
    const data = dataOf({ ...(table ? { table } : {}), schema, ...partsOf(roles) });
    return table || tableDigest(data.rows) === basis?.table.digest ? data : undefined;
  } catch (error) {
    if (isColaError(error)) return undefined;
    throw error;
  }
}

/** A model from a file is asked over any rows; one that is trained needs the very table. */
async function modelFor(
  { schema, rows }: Explanation,
  { brought, seed }: Beside,
  table: Data | undefined,
  work: WorkOptions,
): Promise<StudyModel | undefined> {
  if (!brought) return undefined;
  const { model, encoding } = brought;
  if ("train" in model && !table?.labels) return undefined;
  const own = {
    names: schema.features.map(({ name }) => name),
    columns: schema.features.map((_, k) => rows.map(({ x }) => x[k] ?? null)),
    rows: rows.length,
  };
  const data = table ?? dataOf({ table: { source: "", table: own }, schema, options: {} });
  try {
    return await modelOf({ model, seed, ...(encoding ? { encoding } : {}) }, data, work);
  } catch (error) {
    if (isColaError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
}

/** The model as the checker of certificates reads it: from its file by a reader of its own, else by its scores. */
function againstModel({ brought }: Beside, { model, fitted }: StudyModel): Against {
  const source = brought!.model;
  const text =
    "bytes" in source ? textOf(source.bytes) : fitted?.encoder && savedBundle(fitted.model, fitted.encoder);
  const flat = text ? flatOf(text) : undefined;
  if (flat) return flat;
  const inner = model.encoding?.model ?? model;
  const ask = scorer(inner, startWork("check", {}));
  return {
    score: (rows, output) =>
      ask.score(matrix(rows.length, rows[0]!.length, Float64Array.from(rows.flat())), output),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function flatOf(text: string): Against | undefined {
  try {
    return flatten(text);
  } catch {
    return undefined;
  }
}

function againstTable({ schema, rows: { rows, cols, data }, ids }: Data): Pick<Against, "columns" | "ids"> {
  const column = (k: number): number[] => Array.from({ length: rows }, (_, i) => data[i * cols + k]!);
  return {
    columns: new Map(schema.features.map(({ name }, k) => [name, column(k)])),
    ids: ids ?? Array.from({ length: rows }, (_, i) => i),
  };
}

/** Says of a letter or a report whether the run shown gives it, word for word. */
export async function checkedPaper(
  { name, bytes }: GivenFile,
  explanation: Explanation | undefined,
  locales: readonly Locale[],
  codes: ReasonCodes,
): Promise<PaperInfo> {
  if (!explanation)
    throw new ColaError(
      "OPTION_INVALID",
      `${name} is checked against the run it was written from; open that run first.`,
    );
  const localeNamed = (tag: string): Locale => locales.find(({ lang }) => lang === tag) ?? locales[0]!;
  const text = new TextDecoder().decode(bytes);
  const checked = await checkPaper(text, { explanation, localeNamed, codes });
  if (!checked)
    throw new ColaError(
      "TABLE_INVALID",
      `${name} is neither a letter nor a report of this program; choose the file as it was written.`,
      { file: name },
    );
  const { kind, ok, why } = checked;
  return { name, kind, ok, ...(why === undefined ? {} : { why }) };
}
