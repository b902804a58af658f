export { en } from "./locales/en.ts";
export {
  directionOf,
  formatCell,
  formatNumber,
  type Locale,
  planSentences,
  proofSentence,
  sentence,
} from "./sentences.ts";
export { curveText, explanationText, type Paint, summaryText, type TextOptions } from "./text.ts";
