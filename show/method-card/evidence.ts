import { labelOf } from "../../src/data/schema.ts";
import { contentDigest } from "../../src/digest.ts";
import type { Explanation } from "../../src/explanation.ts";
import { rowFault, totalsFault } from "../../src/row-fault.ts";
import { couplingFact, residualText } from "../facts.ts";
import { idText } from "../figures/labels.ts";
import type { Locale } from "../locales/contract.ts";
import { qualityText, scopeTexts } from "../report/audit-panel.ts";
import { savedBy } from "../saved.ts";
import { fill, formatFixed, formatNumber, percent } from "../sentences.ts";

/** One thing that was looked at; `holds` null: it was not, in this run. */
export interface Evidence {
  readonly name: string;
  readonly holds: boolean | null;
  readonly text: string;
}

/** What a run shows of the method, checked again here as far as the explanation alone allows. */
export function cardEvidence(explanation: Explanation, locale: Locale): Evidence[] {
  const { card } = locale;
  const one = (name: string, holds: boolean | null, text: string): Evidence => ({ name, holds, text });
  const { coupling, basis } = explanation;
  const number = (value: number): string => formatNumber(value, locale);
  const scopes = explanation.rows.some(({ proof }) => proof) ? scopeTexts(explanation, locale) : [];
  const saved = savedBy(explanation);
  const against = explanation.totals.editsProposed > 0;
  const reasons = explanation.rows.some(({ attributions }) => attributions.some((phi) => phi !== 0));
  const additive = fill(card.additiveFact, {
    how: explanation.attribution.exact ? locale.words.exact : locale.words.sampled,
    residual: residualText(explanation, locale),
  });
  const fewer = { edits: number(saved.edits), proposed: number(saved.proposed), rows: number(saved.rows) };
  return [
    contents(explanation, locale),
    rowsWithin(explanation, locale),
    rescored(explanation, locale),
    one(card.scopes, scopes.length > 0 || null, scopes.join("; ") || card.scopesNone),
    ranges(explanation, locale),
    one(card.additive, reasons || null, reasons ? additive : card.additiveNone),
    ...(coupling ? [one(card.coupling, coupling.converged, couplingFact(coupling, locale))] : []),
    ...(against ? [one(card.fewer, saved.edits <= saved.proposed, fill(card.fewerFact, fewer))] : []),
    survival(explanation, locale),
    usual(explanation, locale),
    quality(basis?.model.quality, locale),
    groups(explanation, locale),
  ];
}

/** Rows that a model was trained on are not evidence of how it does on others. */
function quality(
  found: NonNullable<Explanation["basis"]>["model"]["quality"] | undefined,
  locale: Locale,
): Evidence {
  const holds = found && !found.trained ? true : null;
  return { name: locale.card.quality, holds, text: qualityText(found, locale) };
}

function contents(explanation: Explanation, { card }: Locale): Evidence {
  const { digest } = explanation;
  if (digest === undefined) return { name: card.content, holds: null, text: card.contentOpen };
  const holds = contentDigest(explanation) === digest;
  return { name: card.content, holds, text: holds ? card.contentHolds : card.contentFails };
}

function rowsWithin(explanation: Explanation, locale: Locale): Evidence {
  const { card } = locale;
  const fault = rowFault(explanation);
  const found = explanation.rows.flatMap((row) => {
    const why = fault(row);
    return why === undefined ? [] : [{ row, why }];
  });
  const rows = formatNumber(explanation.rows.length, locale);
  if (found.length > 0) {
    const { row, why } = found[0]!;
    const first = { first: idText(row.id ?? row.row, locale), why };
    const text = fill(card.rowsFail, { count: formatNumber(found.length, locale), rows, ...first });
    return { name: card.rows, holds: false, text };
  }
  const counts = totalsFault(explanation) === undefined;
  return { name: card.rows, holds: counts, text: counts ? fill(card.rowsHold, { rows }) : card.totalsFail };
}

function rescored({ goal, rows, effect }: Explanation, locale: Locale): Evidence {
  const { card } = locale;
  const planned = rows.filter(({ edits, after }) => edits.length > 0 && after !== null);
  if (planned.length === 0) return { name: card.rescored, holds: null, text: card.rescoredNone };
  if (goal.kind === "group") {
    const holds = rows.some(({ valid }) => valid);
    const text = fill(card.rescoredGroup, { share: effect.share === null ? "–" : percent(effect.share) });
    return { name: card.rescored, holds, text };
  }
  const good = planned.filter(({ valid }) => valid).length;
  const text = fill(good === planned.length ? card.rescoredAll : card.rescoredSome, {
    plans: formatNumber(planned.length, locale),
    good: formatNumber(good, locale),
    bad: formatNumber(planned.length - good, locale),
  });
  return { name: card.rescored, holds: planned.every(({ valid, status }) => valid || status !== "ok"), text };
}

function ranges({ rows }: Explanation, locale: Locale): Evidence {
  const { card } = locale;
  const all = rows.flatMap((row) => row.ranges ?? []);
  if (all.length === 0) return { name: card.ranges, holds: null, text: card.rangesNone };
  const certified = all.filter(({ known }) => known === "certified").length;
  const text = fill(card.rangesFact, {
    certified: formatNumber(certified, locale),
    tested: formatNumber(all.length - certified, locale),
  });
  return { name: card.ranges, holds: true, text };
}

function survival({ rows }: Explanation, locale: Locale): Evidence {
  const { card } = locale;
  const judged = rows.flatMap((row) => (row.survival ? [row.survival.models] : []));
  if (judged.length === 0) return { name: card.survival, holds: null, text: card.survivalNone };
  const text = fill(card.survivalFact, {
    rows: formatNumber(judged.length, locale),
    models: formatNumber(Math.max(...judged), locale),
  });
  return { name: card.survival, holds: true, text };
}

function usual({ realism = [] }: Explanation, locale: Locale): Evidence {
  const { card } = locale;
  const own = realism.find(({ kind }) => kind === "plan");
  if (!own) return { name: card.usual, holds: null, text: card.usualNone };
  const text = fill(card.usualFact, {
    unusual: formatNumber(own.unusual, locale),
    values: formatNumber(own.values, locale),
    broken: formatNumber(own.rulesBroken, locale),
  });
  return { name: card.usual, holds: own.rulesBroken === 0, text };
}

/** The most telling gap, where groups were compared. */
function groups({ groups: audit, schema }: Explanation, locale: Locale): Evidence {
  const { card, papers } = locale;
  if (!audit) return { name: card.groups, holds: null, text: card.groupsNone };
  const gap = audit.gaps.find(({ difference }) => difference > 0);
  const confined = formatNumber(audit.confined?.length ?? 0, locale);
  if (!gap) return { name: card.groups, holds: true, text: fill(card.groupsNoGap, { confined }) };
  const feature = schema.features.find(({ name }) => name === gap.attribute);
  const text = fill(card.groupsFact, {
    attribute: feature ? labelOf(feature) : gap.attribute,
    measure: papers[`groups_${gap.measure}`],
    most: gap.most,
    least: gap.least,
    holm: formatFixed(gap.holm, 3, locale),
    confined,
  });
  return { name: card.groups, holds: gap.holm >= 0.05, text };
}
