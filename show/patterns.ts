import { levelsOf } from "../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation } from "../src/explanation.ts";
import { median } from "../src/num/stats.ts";
import type { Feature } from "../src/types.ts";
import type { Locale } from "./locales/contract.ts";
import { directionOf, formatCell, formatNumber } from "./sentences.ts";

/** In how many rows a feature is edited, and in which direction. rows = up + down + other. */
export interface FeaturePattern {
  /** Position in the schema. */
  readonly k: number;
  readonly rows: number;
  readonly up: number;
  readonly down: number;
  /** Changes without an order: categories, yes/no, to or from missing. */
  readonly other: number;
  readonly edits: readonly Edit[];
}

/** Features that are edited at all, most often first, ties in schema order. */
export function featurePatterns(
  explanation: Pick<Explanation, "schema" | "rows">,
  of: "edits" | "proposal" = "edits",
): FeaturePattern[] {
  const { features } = explanation.schema;
  const byName = new Map(features.map((f) => [f.name, [] as Edit[]]));
  for (const row of explanation.rows) for (const edit of row[of]) byName.get(edit.feature)!.push(edit);
  return features
    .map((feature, k) => patternOf(feature, k, byName.get(feature.name)!))
    .filter((pattern) => pattern.rows > 0)
    .sort((a, b) => b.rows - a.rows || a.k - b.k);
}

function patternOf(feature: Feature, k: number, edits: readonly Edit[]): FeaturePattern {
  const signs = edits.map((edit) => directionOf(feature, edit));
  const count = (sign: number): number => signs.filter((s) => s === sign).length;
  return { k, rows: edits.length, up: count(1), down: count(-1), other: count(0), edits };
}

/** The median change of a number, or the commonest change of levels with how often it happens. */
export function typicalChange(feature: Feature, edits: readonly Edit[], locale: Locale): string {
  const steps = edits.flatMap(({ from, to }) =>
    typeof from === "number" && typeof to === "number" ? [to - from] : [],
  );
  if (levelsOf(feature).length === 0 && steps.length > 0) {
    const middle = median(steps);
    const unit = feature.unit ? ` ${feature.unit}` : "";
    return `${middle > 0 ? "+" : middle < 0 ? "−" : ""}${formatNumber(Math.abs(middle), locale)}${unit}`;
  }
  const counts = new Map<string, number>();
  for (const { from, to } of edits) {
    const text = `${formatCell(from, locale)} → ${formatCell(to, locale)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [text, times] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ["–", 0];
  return times > 1 ? `${text} (${formatNumber(times, locale)}×)` : text;
}

/** Sets of features edited together, and the rows that do so. */
export interface PlanPattern {
  /** Positions in the schema, ascending. */
  readonly features: readonly number[];
  readonly rows: readonly ExplainedRow[];
}

/** The different plans by the features they touch, commonest first, then smallest. */
export function planPatterns({ schema, rows }: Pick<Explanation, "schema" | "rows">): PlanPattern[] {
  const position = new Map(schema.features.map((f, k) => [f.name, k]));
  const groups = new Map<string, { features: number[]; rows: ExplainedRow[] }>();
  for (const row of rows) {
    if (row.edits.length === 0) continue;
    const features = row.edits.map((edit) => position.get(edit.feature)!).sort((a, b) => a - b);
    const key = features.join(",");
    const group = groups.get(key) ?? { features, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => b.rows.length - a.rows.length || a.features.length - b.features.length,
  );
}
