import type { Checked, CheckName } from "../../study/check.ts";

/** What an explanation says of itself. */
const INSIDE: readonly CheckName[] = ["form", "content", "totals", "rows", "groups", "question"];
/** What it says of things beside it. */
const BESIDE: readonly CheckName[] = ["table", "cells", "model"];

/** `changed`: it is not as it was written; `other`: it is of another table or model than those beside it. */
export type VerdictOf = "holds" | "other" | "changed";

/** What the checks of an opened run come to: scores and proofs say something only of the model it was made with. */
export function verdictOf(checks: readonly Checked[]): VerdictOf {
  const wrong = (names: readonly CheckName[]): boolean =>
    checks.some(({ name, ok }) => ok === false && names.includes(name));
  if (wrong(INSIDE)) return "changed";
  if (wrong(["scores", "certificate"])) return wrong(["model"]) ? "other" : "changed";
  if (wrong(["changes", "reasons", "quality"])) return wrong(["table", "model"]) ? "other" : "changed";
  return wrong(BESIDE) ? "other" : "holds";
}
