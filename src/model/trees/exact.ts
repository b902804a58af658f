import type { ExactSearch, ExactStudy } from "../../exact/contract.ts";
import { leafSearch } from "../../exact/search.ts";
import { leavesOf } from "./leaves.ts";

/** Plans over all legal values for targets that are told by forests. */
export function exactTrees(study: ExactStudy): ExactSearch {
  return leafSearch(study, (way) => leavesOf(study, way));
}
