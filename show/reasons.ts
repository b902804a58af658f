import { labelOf } from "../src/data/schema.ts";
import type { ExplainedRow } from "../src/explanation.ts";
import type { Cell, Feature, Schema } from "../src/types.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";
import { fill, formatCell } from "./sentences.ts";

/** The user's own wording of a reason, e.g. a code of an adverse-action sheet. */
export interface ReasonCode {
  readonly code: string;
  /** Said instead of our sentence. */
  readonly text?: string;
}

/** Feature name → code. */
export type ReasonCodes = Readonly<Record<string, ReasonCode>>;

/** Why a row scores as it does: never what to do about it. */
export interface Reason {
  readonly feature: string;
  readonly text: string;
  readonly code?: string;
  /** φ of the feature. */
  readonly attribution: number;
  /** Part of what pulls the row away from its references that this feature carries. */
  readonly share: number;
  /** The text names the value of a case it is compared with. */
  readonly compared: boolean;
  /** May the feature be an action? Immutable and derived features can be reasons only. */
  readonly changeable: boolean;
}

export interface ReasonOptions {
  readonly codes?: ReasonCodes;
  /** At most this many. Default 4. */
  readonly max?: number;
  /** Features that carry less than this share are not principal. Default 0.01. */
  readonly minShare?: number;
  readonly locale?: Locale;
}

/**
 * The features that carry most of f(x) − Σ_j p_j f(r_j), largest |φ| first: those whose φ has the sign of the
 * sum, i.e. that pull the row away from the references it is compared with. Features with the other sign speak
 * for the row and are not reasons; a row that needs no change has none.
 */
export function principalReasons(
  schema: Schema,
  row: Pick<ExplainedRow, "x" | "attributions" | "typical" | "proposal" | "edits" | "valid">,
  options: ReasonOptions = {},
): Reason[] {
  const { codes = {}, max = 4, minShare = 0.01, locale = en } = options;
  if (row.valid && row.edits.length === 0) return [];
  const away = Math.sign(row.attributions.reduce((sum, phi) => sum + phi, 0));
  const pulls = row.attributions
    .map((phi, k) => ({ phi, k }))
    .filter(({ phi }) => phi !== 0 && Math.sign(phi) === away)
    .sort((a, b) => Math.abs(b.phi) - Math.abs(a.phi) || a.k - b.k);
  const all = pulls.reduce((sum, { phi }) => sum + Math.abs(phi), 0);
  return pulls
    .map(({ phi, k }) => {
      const feature = schema.features[k]!;
      const code = Object.hasOwn(codes, feature.name) ? codes[feature.name] : undefined;
      const other = otherValue(row, feature, k);
      return {
        feature: feature.name,
        text: code?.text ?? reasonText(feature, row.x[k]!, other, row.typical !== undefined, locale),
        compared: code?.text === undefined && other !== undefined,
        ...(code ? { code: code.code } : {}),
        attribution: phi,
        share: Math.abs(phi) / all,
        changeable: !feature.immutable && !feature.derived,
      };
    })
    .filter((reason) => reason.share >= minShare)
    .slice(0, max);
}

/** What the value is compared with: what is typical of the rows at the target, or the value of the reference. */
function otherValue(
  { x, typical, proposal }: Pick<ExplainedRow, "x" | "typical" | "proposal">,
  feature: Feature,
  k: number,
): Cell | undefined {
  if (!typical) return proposal.find((edit) => edit.feature === feature.name)?.to;
  const other = typical[k]!;
  return other === null || other === x[k] ? undefined : other;
}

function reasonText(
  feature: Feature,
  value: Cell,
  other: Cell | undefined,
  typical: boolean,
  locale: Locale,
): string {
  const text = (cell: Cell): string =>
    formatCell(cell, locale) + (feature.unit && cell !== null ? ` ${feature.unit}` : "");
  const values = { feature: labelOf(feature), value: text(value) };
  if (other === undefined) return fill(locale.reason, values);
  return fill(typical ? locale.reasonTypical : locale.reasonAgainst, { ...values, other: text(other) });
}

/** Wordings that name no factor of the decision. */
const VAGUE =
  /(?<![\p{L}\p{N}])(?:(?:insufficient|low|failed|internal|minimum) (?:score|scoring|points|standards?|criteria)|(?:internal|company|bank|our) polic(?:y|ies)|polic(?:y|ies)|other|misc(?:ellaneous)?|various|general reasons?|n\/a|(?:intern|unser|geschäftlich)e?[nrs]? (?:richtlinien?|vorgaben?|regeln?|kriterien|standards|gründen?|geschäftspolitik)|geschäftspolitik|(?:zu )?(?:niedrige|geringe|ungenügende|unzureichende|schlechte|mangelnde|negative|fehlende)[nrs]? (?:scores?|scorewerte?s?|punktzahl|bewertung|bonität|kreditwürdigkeit)|bonitätsgründen?|sonstige[rns]?|verschiedene[rns]?|diverse[rns]?|allgemeine gründe|ohne angabe)(?![\p{L}\p{N}])/iu;

/** The codes whose text says nothing a person could check or answer: "internal policy", "low score", "other". */
export function vagueReasons(codes: ReasonCodes): { feature: string; text: string }[] {
  return Object.entries(codes).flatMap(([feature, { text }]) =>
    text !== undefined && (text.trim() === "" || VAGUE.test(text)) ? [{ feature, text }] : [],
  );
}
