import { sha256 } from "../../node/store/blobs.ts";
import { sweepMemory } from "../../node/sweep-memory.ts";
import type { Explanation } from "../../src/explanation.ts";
import { joinedBy, type Tally, tallyOf } from "../../src/run/merge.ts";
import type { Asking } from "../../src/run/open.ts";
import type { WorkOptions } from "../../src/types.ts";
import { answered } from "../../study/answer.ts";
import { createCache } from "../../study/cache.ts";
import {
  answerOf,
  explained,
  factualRows,
  type Posed,
  posed,
  questionOf,
  type Study,
} from "../../study/study.ts";
import { keepPlan, type Plan, readPlan } from "./plan.ts";
import type { Recipe } from "./recipe.ts";
import { type ComputeContext, createStudies, type OpenStudy, type Sizes } from "./studies.ts";

/** An explanation, and the digest of the model that made it. */
interface Made {
  readonly explanation: Explanation;
  readonly model: string;
}

type Opened = Awaited<ReturnType<OpenStudy>>;
type Watch = Omit<WorkOptions, "limits">;

/** Computes recipes: whole, or shard by shard. */
export interface Compute {
  whole(recipe: Recipe, watch: Watch): Promise<Made>;
  /** The whole where it has no more rows than `size`, or they cannot be explained apart; else how they are cut. */
  begin(recipe: Recipe, size: number, watch: Watch): Promise<Made | Plan>;
  /** The explanation of one shard, with the time that is left of the job's. */
  shard(recipe: Recipe, plan: Plan, number: number, work: WorkOptions): Promise<Explanation>;
  /** The question of a plan: what the parts are put together by. */
  question(recipe: Recipe, plan: Plan, watch: Watch): Promise<Question>;
}

/** A question that is open. */
interface Question {
  readonly study: Study;
  readonly asking: Asking;
}

export function createCompute(context: ComputeContext, limits: Sizes): Compute {
  const { blobs } = context;
  const openStudy = createStudies(context, limits);
  const questions = createCache<Question>(1);
  const within = async <T>(
    recipe: Recipe,
    watch: Watch,
    use: (study: Opened, left: WorkOptions) => Promise<T>,
  ): Promise<T> => {
    const left = timed(recipe, watch);
    const study = await openStudy(recipe, watch);
    try {
      return await use(study, left);
    } finally {
      study.close();
    }
  };
  const question = async (
    recipe: Recipe,
    plan: Plan,
    watch: Watch,
  ): Promise<Question & { close(): void }> => {
    // A model that is asked over the wire listens to one signal; any other serves all shards.
    const key = "url" in recipe.model ? undefined : JSON.stringify([recipe, plan]);
    const known = key === undefined ? undefined : questions.get(key);
    if (known) return { ...known, close: () => {} };
    const study = await openStudy(recipe, watch);
    const opened = { study, asking: await readPlan(blobs, study, plan) };
    sweepMemory(study.data.rows.data.length);
    if (key === undefined) return { ...opened, close: () => study.close() };
    questions.set(key, opened);
    return { ...opened, close: () => {} };
  };
  return {
    question,
    whole: (recipe, watch) =>
      within(recipe, watch, async (study, left) => finish(study, recipe, await asked(study, left), left)),
    begin: (recipe, size, watch) =>
      within(recipe, watch, async (study, left) => {
        const rows = await asked(study, left);
        sweepMemory(study.data.rows.data.length);
        const joint = joinedBy(questionOf(study, rows));
        return rows.x.rows <= size || joint
          ? finish(study, recipe, rows, left)
          : keepPlan(blobs, study, rows, size);
      }),
    async shard(recipe, plan, number, work) {
      const { study, asking, close } = await question(recipe, plan, work);
      try {
        const from = number * plan.size;
        return answerOf(study, await asking.part(from, Math.min(plan.rows, from + plan.size), work));
      } finally {
        close();
      }
    },
  };
}

/** The rows of a recipe with their counterfactuals. */
const asked = (study: Opened, left: WorkOptions): Promise<Posed> =>
  posed(study, left, study.beside && factualRows(study, study.beside));

async function finish(study: Study, recipe: Recipe, rows: Posed, left: WorkOptions): Promise<Made> {
  const made = await explained(study, rows, left);
  const explanation = await answered(study, made, left);
  return { explanation, model: identityOf(study, recipe, [tallyOf(made)]) };
}

/** One deadline for all of it: whoever reads `limits` gets what is left by then. */
function timed({ options }: Recipe, watch: Watch): WorkOptions {
  const end = performance.now() + options.timeout * 1000;
  return {
    ...watch,
    get limits() {
      return { timeMs: Math.max(1, Math.floor(end - performance.now())) };
    },
  };
}

/** What stands for a model in the audit trail: its weights, or, of one behind an address, what it answered. */
export function identityOf({ model }: Study, recipe: Recipe, tallies: readonly Tally[]): string {
  if (!("url" in recipe.model)) return model.digest;
  return sha256(JSON.stringify(tallies.map(({ before, after }) => [before, after])));
}
