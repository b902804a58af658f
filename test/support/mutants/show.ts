import { explanationTables } from "../../../show/export.ts";
import { editBars } from "../../../show/figures/bars.ts";
import { principalReasons } from "../../../show/reasons.ts";
import { escapeHtml, Html } from "../../../show/report/html.ts";
import { waterfallSteps } from "../../../show/steps.ts";
import type { OneHotGroup } from "../../../src/data/one-hot.ts";

/** Draws the largest bars and forgets the others. */
export const dropsTheRest: typeof waterfallSteps = (row, most = 9) => {
  const found = waterfallSteps(row, most);
  return found && { ...found, steps: found.steps.filter((step) => step.features.length === 1) };
};

/** Starts every bar at the references' score. */
export const startsAtTheBase: typeof waterfallSteps = (row, most) => {
  const found = waterfallSteps(row, most);
  return (
    found && {
      ...found,
      steps: found.steps.map((step) => ({ ...step, from: found.base, to: found.base + step.phi })),
    }
  );
};

/** Takes the edits of q and of z together for the whole: 1 of 2 becomes 33 %. */
export const countsTwice: typeof editBars = (explanation, maxRows, locale) =>
  editBars(explanation, maxRows, locale).map((bar) => ({
    ...bar,
    share: bar.kept / (2 * bar.kept + bar.unneeded),
  }));

/** Averages the shares of rows instead of counting their edits together. */
export const averagesShares: typeof editBars = (explanation, maxRows, locale) =>
  editBars(explanation, maxRows, locale).map((bar) => ({ ...bar, share: (bar.share + 0.5) / 2 }));

/** Ranks by size alone, so that what speaks for the row becomes a reason against it. */
export const ignoresTheSign: typeof principalReasons = (schema, row, options) =>
  principalReasons(schema, { ...row, attributions: row.attributions.map(Math.abs) }, options);

/** Names every feature that pulls. */
export const namesAll: typeof principalReasons = (schema, row, options) =>
  principalReasons(schema, row, { ...options, max: schema.features.length });

/** Trusts whatever has no angle bracket in front. */
export function escapesOnce(strings: TemplateStringsArray, ...parts: readonly string[]): Html {
  const told = parts.map((part) => (part.startsWith("<") ? escapeHtml(part) : part));
  return new Html(strings.map((text, i) => text + (told[i] ?? "")).join(""));
}

/** Writes q where the plan should be. */
export const exportsTheProposal: typeof explanationTables = (explanation) => {
  const tables = explanationTables(explanation);
  return { ...tables, z: { ...tables.q, names: tables.z.names } };
};

/** Writes the columns of a feature in another order than its levels. */
export const readsOtherLevels: typeof explanationTables = (explanation, options) => {
  const groups = explanation.options["indicators"] as readonly OneHotGroup[];
  const indicators = groups.map((group) => ({ ...group, levels: [...group.levels].reverse() }));
  return explanationTables({ ...explanation, options: { ...explanation.options, indicators } }, options);
};
