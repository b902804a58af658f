import { unfinished } from "../refine/finish.ts";
import type { Findings } from "./assemble.ts";
import { rowByRow } from "./attribute.ts";
import type { Run } from "./contract.ts";

/** What is found when no row of the call can be explained. */
export async function noFindings(run: Run): Promise<Findings> {
  return {
    proposal: { q: run.x, source: new Int32Array(0) },
    attributed: await rowByRow(run, () => Promise.reject()),
    refined: unfinished(run, run.policy, ""),
    others: [],
    relaxed: new Map(),
    wanted: {},
    alsoFound: new Map(),
    shares: new Map(),
  };
}
