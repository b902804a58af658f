import type { Task } from "../generate/contract.ts";
import { generate } from "../generate/registry.ts";
import { stream } from "../num/random.ts";
import type { Goal, Matrix, Target, WorkOptions } from "../types.ts";
import type { ExplainInput } from "./input.ts";

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

/** What people choose about a run, in plain values: the command line and the server take the same. */
export interface Choices {
  readonly generator?: string;
  readonly coupling?: string;
  /** Rows the coupling `joint` may give one reference, or `free`; and that it goes no farther than transport. */
  readonly reuse?: string;
  readonly capped?: boolean;
  readonly policy?: string;
  /** What is least: the number of edits (default), or the sum of the costs the schema gives them. */
  readonly objective?: string;
  /** Edits over all rows together, and for each row. */
  readonly budget?: number;
  readonly perRow?: number;
  /** Share of the effect the group must reach; without it every row must reach the target. */
  readonly effect?: number;
  readonly alternatives?: number;
  readonly seed?: number;
}

/** Counterfactuals by the chosen generator; where it finds none, the rows it could borrow from. */
export async function referencesFor(
  task: Task,
  { generator = "knn", seed = 0 }: Choices,
  work: WorkOptions,
): Promise<{ readonly references: Matrix; readonly pairs?: ArrayLike<number> }> {
  const options = generator === "knn" ? { ...work, neighbours: NEIGHBOURS } : work;
  const made = await generate(generator, task, options, stream(seed, "generate"));
  if (made.rows.rows === 0) return { references: task.references };
  return { references: made.rows, ...(made.pairs ? { pairs: made.pairs } : {}) };
}

type Method = Pick<
  ExplainInput,
  "goal" | "seed" | "alternatives" | "coupling" | "reuse" | "capped" | "policy" | "objective" | "budget"
>;

/** The choices as `explain` takes them. */
export function methodOf(choices: Choices, target: Target): Method {
  const {
    coupling,
    reuse,
    capped,
    policy,
    objective,
    budget,
    perRow,
    effect,
    alternatives,
    seed = 0,
  } = choices;
  const goal: Goal = effect === undefined ? { kind: "each", target } : { kind: "group", level: effect };
  return {
    goal,
    seed,
    ...(alternatives ? { alternatives } : {}),
    ...(coupling ? { coupling } : {}),
    ...(reuse === undefined ? {} : { reuse: reuse === "free" ? reuse : Number(reuse) }),
    ...(capped === undefined ? {} : { capped }),
    ...(policy ? { policy } : {}),
    ...(objective === undefined ? {} : { objective: objective as "edits" | "cost" }),
    budget: {
      ...(budget === undefined ? {} : { total: budget }),
      ...(perRow === undefined ? {} : { perRow }),
    },
  };
}
