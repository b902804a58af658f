import { type Constraints, compileConstraints } from "../../src/data/constraints.ts";
import { withConstraints } from "../../src/data/overlay.ts";
import { parseTarget } from "../../src/data/target-text.ts";
import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { type Choices, methodOf, referencesFor } from "../../src/run/choices.ts";
import type { Goal, Matrix, Model, Schema, Target, WorkOptions } from "../../src/types.ts";
import type { Data } from "./data.ts";
import { type Own, ownReferences } from "./given.ts";
import { bound, type Fitted } from "./model.ts";
import type { Settings } from "./protocol.ts";

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
  readonly x: Matrix;
  /** The counterfactuals; made again where the run was made elsewhere. */
  readonly made: () => Promise<Made>;
}

interface Made {
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Data, model, generator, Algorithm 1: the path of `cola explain`. */
export async function runAll(
  data: Data,
  fitted: Fitted,
  settings: Settings,
  given: Own | undefined,
  work: WorkOptions,
): Promise<Finished> {
  const schema = withConstraints(data.schema, settings.overlay);
  const constraints = compileConstraints(schema);
  const model = bound(fitted, schema, constraints);
  const target = targetOf(settings.target, model);
  const own =
    settings.generator === "given" ? await ownOf(given, data, constraints, settings.rows) : undefined;
  const chosen = own?.chosen ?? (await rowsShortOf(model, data.rows, target, settings.rows, work));
  if (chosen.length === 0) {
    throw new ColaError(
      "INPUT_EMPTY",
      "Everybody reaches the target already; there is nothing to explain. Choose another target or other data.",
    );
  }
  const x = takeRows(data.rows, chosen);
  const choices = choicesOf(settings);
  const task = { model, x, references: data.rows, constraints, target };
  const made = own ?? (await referencesFor(task, choices, work));
  const explanation = await explain({
    ...work,
    ...methodOf(choices, target),
    model,
    x,
    schema,
    training: data.rows,
    references: made.references,
    ...(made.pairs ? { pairs: made.pairs } : {}),
    ids: idsOf(data, chosen),
  });
  const parts = { settings, fitted, model, schema, constraints, target, x, training: data.rows };
  return { ...parts, goal: explanation.goal, explanation, made: async () => made };
}

/** The settings as the command line and the server take them. */
export function choicesOf(settings: Settings): Choices {
  const { generator, coupling, policy, alternatives, perRow, goal, effect, seed } = settings;
  return {
    ...{ generator, coupling, policy, alternatives, seed },
    ...(perRow === null ? {} : { perRow }),
    ...(goal === "group" ? { effect } : {}),
  };
}

export function idsOf({ ids }: Data, chosen: readonly number[]) {
  return ids ? chosen.map((i) => ids[i]!) : chosen;
}

export function targetOf(text: string, model: Model): Target {
  if (text.trim() !== "") return parseTarget(text.trim(), model.outputs);
  return model.outputs.length === 1 ? { above: 0.5 } : { class: model.outputs.at(-1)! };
}

function ownOf(given: Own | undefined, data: Data, constraints: Constraints, most: number) {
  if (given) return ownReferences(given, data, constraints, most);
  throw new ColaError("OPTION_INVALID", "Load a file with your counterfactuals first.");
}
