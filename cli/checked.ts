import { readFileBytes } from "../node/files.ts";
import { readTableFile } from "../node/tables.ts";
import { checkPaper, paperKind } from "../show/check-paper.ts";
import { beginsLines, explanationOfLines, linesOf } from "../show/lines.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { upgradeExplanation } from "../src/upgrade.ts";
import type { Against } from "../src/verify/against.ts";
import { digestOf } from "../study/basis.ts";
import { type CheckedExplanation, type CheckParts, checkExplanation } from "../study/check.ts";
import { dataOf } from "../study/data.ts";
import type { Given } from "../study/options.ts";
import type { Data } from "../study/parts.ts";
import { readExplanation } from "./explanations.ts";
import { paint } from "./paint.ts";
import { readReasons } from "./results.ts";
import { loadModel, modelSource, tableOptions } from "./sources.ts";

/** What certificates and models are read as, by whom it is known. */
type AgainstOf = (text: string) => Promise<Against>;

/** What a checked file is, whether it holds, and how that is told. */
interface CheckedFile {
  readonly ok: boolean;
  readonly json: object;
  readonly text: string;
}

/** Checks an explanation, or a letter, report or card against its explanation; undefined for any other file. */
export async function checkFile(
  path: string,
  bytes: Uint8Array,
  given: Given,
  against: AgainstOf,
): Promise<CheckedFile | undefined> {
  const text = beginsLines(bytes) ? "" : new TextDecoder().decode(bytes);
  if (paperKind(text)) return checkedPaper(path, text, given);
  const value = parsed(bytes, text);
  const named = value as Partial<Explanation> | undefined;
  if (
    !named ||
    typeof named !== "object" ||
    !("schemaVersion" in named || "runHash" in named || "rows" in named) ||
    "format" in named
  )
    return undefined;
  const parts = await partsOf(value, given, against);
  const checked = await checkExplanation(value, parts);
  return { ok: checked.ok, json: checked, text: checkText(path, checked) };
}

function parsed(bytes: Uint8Array, text: string): unknown {
  try {
    return text === "" ? explanationOfLines(linesOf(bytes)) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function checkedPaper(path: string, text: string, given: Given): Promise<CheckedFile> {
  if (!given.explanation)
    throw new ColaError(
      "OPTION_INVALID",
      "verify: a letter, report or card is checked against the explanation it was written from; name it with --explanation.",
    );
  const explanation = readExplanation(given.explanation);
  const codes = readReasons(given.reasons, explanation.schema);
  const checked = (await checkPaper(text, { explanation, localeNamed, codes }))!;
  const ok = checked.ok
    ? `${paint.good("✔")} ${path} is the ${checked.kind} that ${given.explanation} gives, word for word\n`
    : `${paint.bad("✘")} ${path} is not the ${checked.kind} that ${given.explanation} gives: ${checked.why}\n`;
  return { ok: checked.ok, json: checked, text: ok };
}

/** Model, table and certificate as far as they are named, read by the schema of the explanation. */
async function partsOf(value: unknown, given: Given, against: AgainstOf): Promise<CheckParts> {
  const explanation = readable(value);
  if (!explanation) return {};
  const { schema } = explanation;
  const { id, label } = given;
  const own = {
    names: schema.features.map(({ name }) => name),
    columns: schema.features.map((_, k) => explanation.rows.map(({ x }) => x[k]!)),
    rows: explanation.rows.length,
  };
  const read = given.data ? await readTableFile(given.data, tableOptions(given)) : own;
  const data = dataOf({
    table: { source: given.data ?? "", table: read },
    schema,
    options: given.data
      ? { ...(id === undefined ? {} : { id }), ...(label === undefined ? {} : { label }) }
      : {},
  });
  const certificate = given.certificate && new TextDecoder().decode(readFileBytes(given.certificate));
  return {
    ...(given.data ? { data } : {}),
    ...(given.model ? { model: await openModel(given, data) } : {}),
    ...(certificate ? { certificate: { text: certificate, against: await against(certificate) } } : {}),
  };
}

function readable(value: unknown): Explanation | undefined {
  try {
    return upgradeExplanation(value);
  } catch {
    return undefined;
  }
}

async function openModel(given: Given, data: Data): Promise<NonNullable<CheckParts["model"]>> {
  const bound = await loadModel(given, await modelSource(given, {}), data, {});
  return { model: bound.model, digest: digestOf(bound), fitted: bound.fitted };
}

const TITLES: Readonly<Record<CheckedExplanation["checks"][number]["name"], string>> = {
  form: "it is an explanation",
  content: "contents are as they were written",
  totals: "counts are those of its rows",
  rows: "every row agrees with itself and the constraints",
  table: "the table is the one that was used",
  cells: "every row is in the table with these values",
  model: "the model is the one that was explained",
  scores: "the model gives rows and plans the scores stated",
  changes: "plans change as much as stated",
  reasons: "reasons weigh as much as stated",
  quality: "the model is right as often as stated",
  groups: "groups have the figures and gaps stated",
  certificate: "the certificate proves its plans",
  question: "the question is the one that was asked",
};

function checkText(path: string, { ok, checks }: CheckedExplanation): string {
  const line = ({ name, ok: fine, why }: CheckedExplanation["checks"][number]): string => {
    if (fine === null) return paint.dim(`– ${TITLES[name]}: not checked, it takes ${why}\n`);
    return fine
      ? `${paint.good("✔")} ${TITLES[name]}\n`
      : `${paint.bad("✘")} not true: ${TITLES[name]}: ${why}\n`;
  };
  return `${ok ? paint.good("✔") : paint.bad("✘")} ${path} ${ok ? "holds, as far as it was checked" : "does not hold"}\n${checks.map(line).join("")}`;
}
