import { sealed } from "../src/digest.ts";
import type { Explanation } from "../src/explanation.ts";
import type { WorkOptions } from "../src/types.ts";
import { basisOf } from "./basis.ts";
import { groupsOf } from "./groups.ts";
import { answerOf, type Study } from "./study.ts";

/** What every door gives: the explanation with what was asked, what it stands on, and the digest of all it says. */
export async function answered(study: Study, made: Explanation, work: WorkOptions): Promise<Explanation> {
  return finished(study, answerOf(study, made), work);
}

/** The same of an explanation that says what was asked already. */
export async function finished(
  study: Study,
  explanation: Explanation,
  work: WorkOptions,
): Promise<Explanation> {
  const all = { ...explanation, basis: await basisOf(study) };
  const compared = study.options.by !== undefined && !work.signal?.aborted;
  return sealed(compared ? { ...all, groups: await groupsOf(study, all, work) } : all);
}
