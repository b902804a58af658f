/** A heading with what is said under it. */
export interface LetterPart {
  readonly kind: "decision" | "reasons" | "plan" | "others" | "sturdy" | "limits";
  readonly heading: string;
  readonly before: readonly string[];
  readonly items: readonly string[];
  readonly after: readonly string[];
}
