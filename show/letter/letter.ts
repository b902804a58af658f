import { protectedFeatures } from "../../src/data/protected.ts";
import { ColaError } from "../../src/errors.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { toldIn } from "../data-words.ts";
import { dateText } from "../date.ts";
import { idText } from "../figures/labels.ts";
import type { Locale } from "../locales/contract.ts";
import { en } from "../locales/en.ts";
import { principalReasons, type Reason, type ReasonCodes, vagueReasons } from "../reasons.ts";
import { capital, fill } from "../sentences.ts";
import { letterBasis } from "./basis.ts";
import { letterCode } from "./code.ts";
import { decisionPart } from "./decision.ts";
import type { LetterPart } from "./part.ts";
import { limitsPart, othersPart, planPart, sturdyPart } from "./plan.ts";

export interface LetterOptions {
  /** Day the letter is of, as 2026-05-31: the library has no clock. */
  readonly date: string;
  readonly locale?: Locale;
  /** Who writes: one line above all else. */
  readonly sender?: string;
  /** The writer's own reason codes by feature. */
  readonly codes?: ReasonCodes;
}

/** A letter as its parts, before it is set as a page or as plain text. */
export interface Letter {
  readonly lang: string;
  readonly title: string;
  readonly sender: string;
  readonly about: readonly [label: string, value: string];
  readonly date: readonly [label: string, value: string, iso: string];
  readonly parts: readonly LetterPart[];
  readonly sign: readonly [signature: string, name: string];
  /** Label, code, what it fits; run and wording stand beside it. */
  readonly code: readonly [label: string, value: string, note: string];
  /** What the letter stands on, for whoever reviews it: table, model, its quality, every option. */
  readonly basis: readonly string[];
  readonly made: string;
}

/**
 * What a refused person is told of one row: the decision, its principal reasons (at most four, each naming a factor, as
 * 12 CFR 1002.9 asks), the plan, and what is not promised. Throws LETTER_REFUSED where there is nothing to tell, or where a
 * protected attribute is among the reasons or in the plan.
 */
export function letterOf(given: Explanation, row: ExplainedRow, options: LetterOptions): Letter {
  const { date, codes = {} } = options;
  const { explanation, locale } = toldIn(given, options.locale ?? en);
  const sender = options.sender?.trim() ?? "";
  const { schema } = explanation;
  const { papers } = locale;
  const name = idText(row.id ?? row.row, locale);
  checkLetterApplies(explanation, row, name);
  const reasons = specificReasons(explanation, row, name, codes, locale);
  const hidden = new Set(protectedFeatures(schema).map((feature) => feature.name));
  return {
    lang: locale.lang,
    title: papers.letterTitle,
    sender,
    about: [papers.letterAbout, name],
    date: [papers.letterDate, dateText(date, locale), date],
    parts: [
      decisionPart(explanation, row, locale),
      reasonsPart(row, reasons, locale),
      planPart(explanation, row, locale),
      othersPart(explanation, row, hidden, locale),
      sturdyPart(explanation, row, hidden, locale),
      limitsPart(row, locale),
    ].filter((part) => part !== undefined),
    sign: [papers.letterSign, papers.letterSigner],
    basis: letterBasis(explanation, hidden, locale),
    code: [papers.letterCode, letterCode(explanation, row, date, sender), papers.letterCodeNote],
    made: `${date} · ${locale.id} · ${locale.words.runHash} ${explanation.runHash}`,
  };
}

/** The row that a person is called by: its id, or its number where rows have none. */
export function rowCalled({ rows }: Pick<Explanation, "rows">, id: string): ExplainedRow {
  const found = rows.filter((row) => String(row.id ?? row.row) === id);
  if (found.length === 1) return found[0]!;
  const some = rows.slice(0, 5).map((row) => String(row.id ?? row.row));
  throw new ColaError(
    "OPTION_INVALID",
    found.length > 1
      ? `options.id: ${found.length} rows are called ${JSON.stringify(id)}, and a letter is for one; give them ids of their own and explain them again.`
      : `options.id: there is no ${JSON.stringify(id)} in the explanation, whose rows are ${some.join(", ")}${rows.length > 5 ? ", …" : ""}; name one of them.`,
    { id },
  );
}

/** Is there a refusal of this very row, and was the row read and scored? */
function checkLetterApplies({ goal }: Explanation, row: ExplainedRow, name: string): void {
  const why =
    goal.kind === "group"
      ? "the goal is the group's, which refuses nobody; explain with the goal for each row (without options.effect)"
      : row.before === null || row.status === "model_error" || row.status === "invalid_input"
        ? `the row has no score (status ${row.status}); correct it and explain it again`
        : row.status === "budget"
          ? "the search was cut short, so that what it found may not be all; explain the row again with more time or effort"
          : row.valid && row.edits.length === 0
            ? "the row reaches the target already; nothing was refused"
            : undefined;
  if (why !== undefined) throw refused(name, why, { row: row.row, status: row.status });
}

const refused = (name: string, why: string, details: Readonly<Record<string, unknown>>): ColaError =>
  new ColaError("LETTER_REFUSED", `letter: no letter for ${name}: ${why}.`, details);

/** The principal reasons, each of them a factor that a person may be told. */
function specificReasons(
  explanation: Explanation,
  row: ExplainedRow,
  name: string,
  codes: ReasonCodes,
  locale: Locale,
): Reason[] {
  const { schema } = explanation;
  const reasons = principalReasons(schema, row, { codes, locale });
  checkCompared(explanation, row, name);
  if (reasons.length === 0) throw refused(name, whyNoReasons(explanation, row), { row: row.row });
  const vague = vagueReasons(
    Object.fromEntries(reasons.map(({ feature, text }) => [feature, { code: "", text }])),
  );
  if (vague.length > 0) {
    const told = vague.map(({ feature, text }) => `${feature} (${JSON.stringify(text)})`).join(", ");
    throw refused(name, `the wording of ${told} names no factor of the decision; say what it is`, { vague });
  }
  const hidden = protectedFeatures(schema).map((feature) => feature.name);
  const among = reasons.map(({ feature }) => feature).filter((feature) => hidden.includes(feature));
  const planned = row.edits.map(({ feature }) => feature).filter((feature) => hidden.includes(feature));
  if (among.length > 0)
    throw refused(
      name,
      `${among.join(", ")} ${among.length === 1 ? "looks like a protected attribute and is" : "look like protected attributes and are"} among the principal reasons, so that the decision may be unlawful; have the model reviewed, and decide the case without it`,
      { protected: among },
    );
  if (planned.length === 0) return reasons;
  throw refused(
    name,
    `the plan changes ${planned.join(", ")}, which nobody may be asked to change; freeze it and explain the row again`,
    { protected: planned },
  );
}

/** Reasons against references that keep what nobody may change say nothing of what is kept: it may still weigh. */
function checkCompared({ schema, options }: Explanation, row: ExplainedRow, name: string): void {
  if (row.typical || row.base === null || options["background"] !== undefined) return;
  const held = schema.features
    .filter(({ immutable, direction, transitions }) => immutable || direction || transitions)
    .map((feature) => feature.name);
  if (held.length === 0) return;
  throw refused(
    name,
    `its reasons were measured against references that keep ${held.join(", ")} as the constraints say, and cannot show whether that weighed; explain it again for the goal of each row, with options.values least or near, without options that choose among references (coupling, policy, value, prefer, stop, prune, reuse, capped, a total budget) and without counterfactuals of your own`,
    { held },
  );
}

function whyNoReasons({ options }: Explanation, { base }: ExplainedRow): string {
  if (options["only"] === "plans") return "no reasons are known; explain it again without options.only";
  return base === null
    ? "no reasons are known, since no row of the table reaches the goal that the case could be compared with; give a table in which some do"
    : "no fact of the case weighs against the goal when it is compared with cases that reach it; have the model reviewed";
}

function reasonsPart({ typical }: ExplainedRow, reasons: readonly Reason[], locale: Locale): LetterPart {
  const { papers } = locale;
  const count = String(reasons.length);
  const compared = reasons.some(({ compared: other }) => other);
  return {
    kind: "reasons",
    heading: fill(papers.letterReasons, { count }),
    before: [fill(papers.letterReasonsNote, { count })],
    items: reasons.map(({ code, text }) =>
      code === undefined ? capital(text) : `[${code}] ${capital(text)}`,
    ),
    after: compared ? [typical ? papers.letterTypical : papers.letterCompared] : [],
  };
}
