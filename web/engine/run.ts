import { type Constraints, compileConstraints } from "../../src/data/constraints.ts";
import { withConstraints } from "../../src/data/overlay.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { parseTarget } from "../../src/data/target-text.ts";
import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { generate } from "../../src/generate/registry.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Goal, Matrix, Model, Schema, Table, Target, WorkOptions } from "../../src/types.ts";
import type { Data } from "./data.ts";
import { bound, type Fitted } from "./model.ts";
import type { Settings } from "./protocol.ts";

/** Neighbours the default generator offers each row to borrow from, as on the command line. */
const NEIGHBOURS = 16;

/** A run with everything that later questions about it need. */
export interface Finished {
  readonly explanation: Explanation;
  readonly settings: Settings;
  readonly fitted: Fitted;
  readonly model: Model;
  readonly schema: Schema;
  readonly constraints: Constraints;
  readonly target: Target;
  readonly goal: Goal;
  readonly training: Matrix;
  readonly chosen: readonly number[];
  readonly x: Matrix;
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Data, model, generator, Algorithm 1: the path of `cola explain`. */
export async function runAll(
  data: Data,
  fitted: Fitted,
  settings: Settings,
  given: Table | undefined,
  work: WorkOptions,
): Promise<Finished> {
  const schema = withConstraints(data.schema, settings.overlay);
  const constraints = compileConstraints(schema);
  const model = bound(fitted, schema, constraints);
  const target = targetOf(settings.target, model);
  const chosen = await rowsShortOf(model, data.rows, target, settings.rows, work);
  if (chosen.length === 0) {
    throw new ColaError(
      "INPUT_EMPTY",
      "Everybody reaches the target already; there is nothing to explain. Choose another target or other data.",
    );
  }
  const x = takeRows(data.rows, chosen);
  const made = await referencesOf(data, { model, schema, constraints, target, x }, settings, given, work);
  const goal: Goal =
    settings.goal === "each" ? { kind: "each", target } : { kind: "group", level: settings.effect };
  const parts = { settings, fitted, model, schema, constraints, target, goal, chosen, x, ...made };
  const ready = { ...parts, training: data.rows };
  const explanation = await explain({
    ...work,
    ...methodOf(settings, goal),
    model,
    x,
    schema,
    goal,
    training: data.rows,
    references: made.references,
    ...(made.pairs ? { pairs: made.pairs } : {}),
    ids: idsOf(data, chosen),
    seed: settings.seed,
  });
  return { ...ready, explanation };
}

function methodOf(settings: Settings, goal: Goal) {
  const { coupling, policy, alternatives, perRow } = settings;
  return {
    ...(coupling ? { coupling } : {}),
    ...(policy && !(policy === "minimal" && goal.kind === "group") ? { policy } : {}),
    ...(alternatives > 0 ? { alternatives } : {}),
    ...(perRow === null ? {} : { budget: { perRow } }),
  };
}

export function idsOf({ ids }: Data, chosen: readonly number[]) {
  return ids ? chosen.map((i) => ids[i]!) : chosen;
}

function targetOf(text: string, model: Model): Target {
  if (text.trim() !== "") return parseTarget(text.trim(), model.outputs);
  return model.outputs.length === 1 ? { above: 0.5 } : { class: model.outputs.at(-1)! };
}

interface Task {
  readonly model: Model;
  readonly schema: Schema;
  readonly constraints: Constraints;
  readonly target: Target;
  readonly x: Matrix;
}

/** Counterfactuals of a file, of a generator, or all rows where a generator finds none. */
async function referencesOf(
  data: Data,
  { model, schema, constraints, target, x }: Task,
  { generator, seed }: Settings,
  given: Table | undefined,
  work: WorkOptions,
): Promise<{ references: Matrix; pairs?: ArrayLike<number> }> {
  if (generator === "given") {
    if (!given) throw new ColaError("OPTION_INVALID", "Load a file with your counterfactuals first.");
    return { references: tableToMatrix(schema, given) };
  }
  const options = generator === "knn" ? { ...work, neighbours: NEIGHBOURS } : work;
  const task = { model, x, references: data.rows, constraints, target };
  const made = await generate(generator, task, options, stream(seed, "generate"));
  if (made.rows.rows === 0) return { references: data.rows };
  return { references: made.rows, ...(made.pairs ? { pairs: made.pairs } : {}) };
}
