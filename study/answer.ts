import { sealed } from "../src/digest.ts";
import type { Explanation } from "../src/explanation.ts";
import { basisOf } from "./basis.ts";
import { answerOf, type Study } from "./study.ts";

/** What every door gives: the explanation with what was asked, what it stands on, and the digest of all it says. */
export async function answered(study: Study, made: Explanation): Promise<Explanation> {
  return finished(study, answerOf(study, made));
}

/** The same of an explanation that says what was asked already. */
export async function finished(study: Study, told: Explanation): Promise<Explanation> {
  return sealed({ ...told, basis: await basisOf(study) });
}
