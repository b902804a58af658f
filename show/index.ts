export { type CheckedPaper, checkPaper, type PaperParts, paperKind } from "./check-paper.ts";
export { type DiceJson, type DiceJsonOptions, diceJson } from "./dice-json.ts";
export { type ExplanationTables, explanationTables, type TableOptions } from "./export.ts";
export type { Figure, FigureOptions, FigureSpec } from "./figures/contract.ts";
export { type FigureName, figure, figures } from "./figures/registry.ts";
export { renderSvg } from "./figures/svg.ts";
export { confinedTexts, groupsText, groupTables, type ToldTable } from "./groups.ts";
export { letterCode, typedCode } from "./letter/code.ts";
export { letterHtml } from "./letter/html.ts";
export { type Letter, type LetterOptions, letterOf, rowCalled } from "./letter/letter.ts";
export type { LetterPart } from "./letter/part.ts";
export { letterText } from "./letter/text.ts";
export type { Locale } from "./locales/contract.ts";
export { de } from "./locales/de.ts";
export { en } from "./locales/en.ts";
export type { Words } from "./locales/en-words.ts";
export { localeNamed, locales } from "./locales/registry.ts";
export {
  type CardOptions,
  type CardSection,
  type CardTable,
  cardOf,
  type MethodCard,
} from "./method-card/card.ts";
export type { Evidence } from "./method-card/evidence.ts";
export type { CardFigure } from "./method-card/figures.ts";
export { cardHtml } from "./method-card/html.ts";
export { cardMarkdown } from "./method-card/markdown.ts";
export {
  type FeaturePattern,
  featurePatterns,
  type PlanPattern,
  planPatterns,
  typicalChange,
} from "./patterns.ts";
export {
  principalReasons,
  type Reason,
  type ReasonCode,
  type ReasonCodes,
  type ReasonOptions,
  vagueReasons,
} from "./reasons.ts";
export { type ReportOptions, reportHtml } from "./report/report.ts";
export {
  directionOf,
  edgesOf,
  formatCell,
  formatNumber,
  formatScore,
  goalSentence,
  percent,
  planSentences,
  proofSentence,
  sentence,
} from "./sentences.ts";
export { type Step, type Waterfall, waterfallSteps } from "./steps.ts";
export { curveText, explanationText, type Paint, summaryText, type TextOptions } from "./text.ts";
