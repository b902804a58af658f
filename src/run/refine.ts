import type { Constraints } from "../data/constraints.ts";
import type { ColaError } from "../errors.ts";
import type { Refined, RefineOptions } from "../refine/contract.ts";
import { unfinished } from "../refine/finish.ts";
import { refineKernel } from "../refine/refine.ts";
import type { Attributed } from "./attribute.ts";
import type { Run } from "./contract.ts";
import type { Desired } from "./desired.ts";
import { given } from "./plain.ts";
import { keysOf, type Proposal } from "./propose.ts";
import { stageOptions } from "./run.ts";

/** Lines 6–16 of Algorithm 1, with what the earlier stages found. A run stopped before keeps x as it is. */
export async function refineRun(
  run: Run,
  proposal: Proposal,
  { attribution }: Attributed,
  wanted: Desired,
): Promise<Refined> {
  const { goal, input } = run;
  const options = {
    ...stageOptions(run),
    ...run.moves,
    model: run.model,
    x: run.x,
    q: proposal.q,
    goal,
    policy: run.policy,
    attribution,
    seed: run.seed,
    ids: keysOf(run),
    domain: domainIn(run.constraints),
    ...given({
      sources: proposal.partly ? undefined : proposal.source,
      desired: wanted.scores,
      budget: input.budget,
      stop: input.stop,
      prune: input.prune,
      references: run.policy === "minimal" ? searched(run, proposal.matches) : undefined,
    }),
  };
  const stopped: ColaError | undefined = proposal.stopped ?? wanted.stopped;
  return stopped ? unfinished(options, run.policy, stopped.message) : refineKernel(options, run.reach);
}

/** What a feature may become; one that may not be edited stays what it is. */
function domainIn({ domain, editable, schema }: Constraints): NonNullable<RefineOptions["domain"]> {
  return (k, from) =>
    editable[k]
      ? { ...domain(k, from), missing: schema.features[k]!.missing ?? [] }
      : { values: [], min: from, max: from };
}

function searched({ r }: Run, matches: Proposal["matches"]): RefineOptions["references"] | undefined {
  return matches && { rows: r, candidates: matches.map((match) => match.candidates), plans: matches };
}
