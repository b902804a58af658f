import { protectedFeatures } from "../../src/data/protected.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { paperCode } from "../code.ts";
import { toldIn } from "../data-words.ts";
import { dateText } from "../date.ts";
import { type Facts, limitsOf, optionFacts, optionName, searchedFact, technicalFacts } from "../facts.ts";
import type { Locale } from "../locales/contract.ts";
import { en } from "../locales/en.ts";
import { basisFacts } from "../report/audit-panel.ts";
import { fill, formatNumber, goalSentence } from "../sentences.ts";
import { cardEvidence, type Evidence } from "./evidence.ts";
import { type CardFigure, cardFigures, figureTexts } from "./figures.ts";

export interface CardOptions {
  /** Day the card is of, as 2026-05-31: the library has no clock. */
  readonly date: string;
  readonly locale?: Locale;
}

/** A heading with sentences, and tables of facts or of more columns under it. */
export interface CardSection {
  readonly kind:
    | "identity"
    | "purpose"
    | "data"
    | "approach"
    | "limits"
    | "evidence"
    | "monitoring"
    | "repeat";
  readonly heading: string;
  readonly texts: readonly string[];
  readonly items: readonly string[];
  readonly tables: readonly CardTable[];
}

export interface CardTable {
  /** Empty where the first cell of each row names it. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a model-risk team files about a method and one run of it, before it is set as a page. */
export interface MethodCard {
  readonly lang: string;
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly CardSection[];
  readonly evidence: readonly Evidence[];
  readonly figures: readonly CardFigure[];
  readonly sign: readonly string[];
  readonly code: readonly [label: string, value: string];
  readonly made: string;
}

/**
 * The method card of an explanation, made from it alone: what it is about, purpose, data, method, limits, evidence, figures to
 * monitor, and how it is repeated, in the order in which model-risk documentation is filed.
 */
export function cardOf(given: Explanation, { date, locale: asked = en }: CardOptions): MethodCard {
  const { explanation, locale } = toldIn(given, asked);
  const { card, papers, words } = locale;
  const evidence = cardEvidence(explanation, locale);
  const figures = cardFigures(explanation);
  return {
    lang: locale.lang,
    title: card.title,
    lead: card.lead,
    sections: [
      identity(explanation, dateText(date, locale), locale),
      section("purpose", card.purpose, { texts: [card.purposeWhat, card.purposeFor, card.purposeNot] }),
      dataSection(explanation, locale),
      approach(explanation, locale),
      section("limits", card.limits, {
        items: [
          ...[words.limitCausal, words.limitPromise, words.limitReasons, words.limitScope, words.limitGroup],
          ...[card.limitProxy, card.limitModel, card.limitDigest],
        ],
      }),
      section("evidence", card.evidence, {
        texts: [card.evidenceNote],
        tables: [
          {
            heads: ["", card.check, card.result],
            rows: evidence.map(({ name, holds, text }) => [
              holds === null ? "–" : holds ? "✔" : "✘",
              name,
              text,
            ]),
          },
        ],
      }),
      section("monitoring", card.monitoring, {
        texts: [card.monitoringNote],
        tables: [
          {
            heads: [card.figure, card.value, card.interval, card.from],
            rows: figures.map((one) => figureTexts(one, locale)),
          },
        ],
      }),
      repeat(explanation, locale),
    ],
    evidence,
    figures,
    sign: [papers.auditDate, papers.letterSign, papers.letterSigner],
    code: [card.code, paperCode("card", explanation, date)],
    made: `${date} · ${locale.id} · cola-card · ${words.runHash} ${explanation.runHash}`,
  };
}

function section(
  kind: CardSection["kind"],
  heading: string,
  { texts = [], items = [], tables = [] }: Partial<CardSection>,
): CardSection {
  return { kind, heading, texts, items, tables: tables.filter(({ rows }) => rows.length > 0) };
}

const facts = (rows: Facts): CardTable => ({ heads: [], rows });

function identity(explanation: Explanation, date: string, locale: Locale): CardSection {
  const { card, words } = locale;
  const { goal, output, runHash } = explanation;
  return section("identity", card.identity, {
    tables: [
      facts([
        [card.method, fill(card.methodFact, { program: programOf(explanation) })],
        [card.date, date],
        [words.goal, goalSentence(goal, output, locale)],
        [words.output, output],
        ...basisFacts(explanation, locale),
        [words.runHash, runHash],
      ]),
    ],
  });
}

const programOf = ({ versions }: Explanation): string =>
  Object.entries(versions)
    .map((pair) => pair.join(" "))
    .join(", ");

function dataSection({ rows, schema, domains = [] }: Explanation, locale: Locale): CardSection {
  const { card, words } = locale;
  const number = (value: number): string => formatNumber(value, locale);
  const { features, rules = [] } = schema;
  const derived = features.filter((feature) => feature.derived).length;
  const locked = features.filter((feature) => feature.immutable && !feature.derived).length;
  const hidden = protectedFeatures(schema).map((feature) =>
    fill(feature.immutable ? card.protectedLocked : card.protectedFree, { feature: labelOf(feature) }),
  );
  const ends = domains.map(({ feature: name, from, to }) => {
    const feature = features.find((one) => one.name === name)!;
    const unit = feature.unit ? ` ${feature.unit}` : "";
    const told = { feature: labelOf(feature), from: number(from), to: `${number(to)}${unit}` };
    return fill(locale.proofDomain, told);
  });
  const explained = {
    rows: number(rows.length),
    whole: number(rows.filter(({ x }) => !x.includes(null)).length),
  };
  const counts = {
    all: number(features.length),
    free: number(features.length - locked - derived),
    locked: number(locked),
    derived: number(derived),
  };
  return section("data", card.data, {
    tables: [
      facts([
        [card.explained, fill(card.explainedFact, explained)],
        [card.features, fill(card.featuresFact, counts)],
        [card.protected, hidden.join("; ") || card.protectedNone],
        ...(ends.length > 0 ? [[card.ends, ends.join(locale.numbers.list)] as const] : []),
        ...(rules.length > 0 ? [[words.rules, rules.join(locale.numbers.list)] as const] : []),
      ]),
      {
        heads: [words.feature, words.kind, words.limits],
        rows: features.map((feature) => [
          labelOf(feature),
          words[`kind_${feature.kind}`],
          limitsOf(feature, locale),
        ]),
      },
    ],
  });
}

function approach(explanation: Explanation, locale: Locale): CardSection {
  const { card, words } = locale;
  const { goal, method } = explanation;
  return section("approach", card.approach, {
    texts: [
      goal.kind === "group" ? card.stepsGroup : card.steps,
      method.dependsOnGroup ? words.dependsOnGroup : words.dependsOnRow,
    ],
    tables: [
      facts([[words.searched, searchedFact(explanation, locale)], ...technicalFacts(explanation, locale)]),
      {
        heads: [words.optionsCaption, ""],
        rows: optionFacts(explanation, locale).map(([name, fact]) => [optionName(name, locale), fact]),
      },
    ],
  });
}

function repeat(explanation: Explanation, locale: Locale): CardSection {
  const { card, words } = locale;
  return section("repeat", card.repeat, {
    texts: [card.repeatNote],
    tables: [
      facts([
        [words.seed, String(explanation.seed)],
        [words.version, programOf(explanation)],
        [words.wording, locale.id],
      ]),
    ],
  });
}
