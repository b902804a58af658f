import type { PlanSearch } from "../../exact/plan.ts";
import { leafSearch } from "../../exact/search.ts";
import type { ExactQuestion } from "../../types.ts";
import { exactBy } from "../exact.ts";
import { leavesOf } from "./leaves.ts";

/** Plans over all legal values for targets that are told by forests. */
export function exactTrees(question: ExactQuestion): PlanSearch | undefined {
  return exactBy(question, (study) => leafSearch(study, (way) => leavesOf(study, way)));
}
