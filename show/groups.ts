import { labelOf } from "../src/data/schema.ts";
import type { Explanation } from "../src/explanation.ts";
import { type GroupFigures, MEASURES, type Measured, type MeasureName } from "../src/group-audit.ts";
import { dataWord, toldIn } from "./data-words.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";
import { ruleText } from "./rule-text.ts";
import { fill, formatFixed, formatNumber, percent } from "./sentences.ts";

/** A table in words: a caption, heads, and rows of cells. */
export interface ToldTable {
  readonly caption: string;
  readonly note: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The comparison of groups as tables, which page, report and terminal set each in its way. */
export function groupTables({ groups, schema }: Explanation, locale: Locale = en): ToldTable[] {
  if (!groups) return [];
  const { papers } = locale;
  const label = (name: string): string => {
    const feature = schema.features.find((one) => one.name === name);
    return feature ? labelOf(feature) : name;
  };
  const measures = MEASURES.map((name) => papers[`groups_${name}`]);
  const figures = groups.attributes.map(({ name, groups: own, unknown = 0 }) => ({
    caption: fill(papers.groupsBy, { attribute: label(name) }),
    note: [
      fill(papers.groupsNote, { draws: formatNumber(groups.draws, locale) }),
      ...(unknown > 0 ? [fill(papers.groupsUnknown, { count: formatNumber(unknown, locale) })] : []),
    ].join(" "),
    heads: [papers.groupsGroup, papers.groupsRows, ...measures, papers.groupsFeatures],
    rows: own.map((group) => figureRow(group, label, locale)),
  }));
  const gaps = {
    caption: papers.groupsGaps,
    note: papers.groupsGapsNote,
    heads: [
      ...[papers.groupsMeasure, papers.groupsMost, papers.groupsLeast],
      ...[papers.groupsDifference, papers.groupsP, papers.groupsHolm],
    ],
    rows: groups.gaps
      .filter(({ difference }) => difference > 0)
      .map(({ attribute, measure, most, least, difference, p, holm }) => [
        `${papers[`groups_${measure}`]} (${label(attribute)})`,
        dataWord(most, locale),
        dataWord(least, locale),
        amount(measure, difference, locale),
        formatFixed(p, 3, locale),
        formatFixed(holm, 3, locale),
      ]),
  };
  const rules = {
    caption: papers.groupsRules,
    note: papers.groupsRulesNote,
    heads: [papers.groupsGroup, papers.groupsMethod, papers.groupsCoverage, papers.groupsRule],
    rows: groups.rules.map(({ attribute, group, generator, coverage, rules: told }) => [
      `${label(attribute)} ${dataWord(group, locale)}`,
      generator === "ares" ? "AReS" : "GLOBE-CE",
      percent(coverage),
      told.map((rule) => ruleText(rule, schema, locale)).join(" · ") || "–",
    ]),
  };
  return [...figures, gaps, rules].filter((table) => table.rows.length > 0);
}

/** Conditions under which nobody has a plan, as sentences. */
export function confinedTexts({ groups, schema }: Explanation, locale: Locale = en): string[] {
  if (!groups) return [];
  const { papers, words } = locale;
  const { confined } = groups;
  if (confined === null) return [papers.groupsConfinedUnknown];
  if (confined.length === 0) return [papers.groupsConfinedNone];
  return confined.map(({ where, rows }) => {
    const told = where.map(({ feature: name, level, from, to }) => {
      const feature = schema.features.find((one) => one.name === name)!;
      const ends = [
        ...(from === undefined ? [] : [`≥ ${formatNumber(from, locale)}`]),
        ...(to === undefined ? [] : [`< ${formatNumber(to, locale)}`]),
      ];
      return `${labelOf(feature)} ${level === undefined ? ends.join(locale.numbers.list) : dataWord(String(level), locale)}`;
    });
    const said = told.length < 2 ? told.join("") : fill(papers.and, { list: told[0]!, last: told[1]! });
    return fill(papers.groupsConfinedRows, { where: said, count: formatNumber(rows, locale) || words.rows });
  });
}

const isShare = (measure: MeasureName): boolean => measure !== "edits" && measure !== "change";

const amount = (measure: MeasureName, value: number, locale: Locale): string =>
  isShare(measure) ? percent(value) : formatFixed(value, 2, locale);

function figureRow(group: GroupFigures, label: (name: string) => string, locale: Locale): string[] {
  const told = (name: MeasureName, figure: Measured | null): string =>
    figure && (figure.low === null || figure.high === null)
      ? amount(name, figure.value, locale)
      : figure
        ? fill(locale.papers.groupsRange, {
            value: amount(name, figure.value, locale),
            from: amount(name, figure.low!, locale),
            to: amount(name, figure.high!, locale),
          })
        : "–";
  const features = group.features.map(({ feature, share }) => `${label(feature)} ${percent(share)}`);
  return [
    dataWord(group.group, locale),
    formatNumber(group.rows, locale),
    ...MEASURES.map((name) => told(name, group[name])),
    features.join(locale.numbers.list) || "–",
  ];
}

/** The comparison in a terminal: each table with its groups one below the other. */
export function groupsText(given: Explanation, asked: Locale = en): string {
  const { explanation, locale } = toldIn(given, asked);
  const { papers } = locale;
  const tables = groupTables(explanation, locale).map(({ caption, note, heads, rows }) =>
    [
      caption,
      ...rows.flatMap((row) => [
        `  ${row[0]}`,
        ...row.slice(1).map((cell, c) => `    ${heads[c + 1]}: ${cell}`),
      ]),
      `  (${note})`,
    ].join("\n"),
  );
  const confined = [
    papers.groupsConfined,
    ...confinedTexts(explanation, locale).map((text) => `  ${text}`),
  ].join("\n");
  return `${[papers.groupsTitle, ...tables, confined].join("\n\n")}\n`;
}
