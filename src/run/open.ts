import type { Explanation } from "../explanation.ts";
import type { WorkOptions } from "../types.ts";
import { answer } from "./answer.ts";
import { runHash } from "./hash.ts";
import { inputOf, type Options, type Parts, type Rows } from "./input.ts";
import { runOf } from "./run.ts";
import { type Setup, setUp } from "./setup.ts";

export { COUPLINGS, type ExplainInput, type Options, type Parts, type Rows } from "./input.ts";
export { openRun, type Run } from "./run.ts";

/** A study that is open for questions. */
export interface Opened {
  readonly setup: Setup;
  /** The explanation of some rows, as often as wanted: nothing that the questions share is made again. */
  ask(rows: Rows, work?: WorkOptions): Promise<Explanation>;
  /** The run hash that the explanation of these rows has. */
  hash(rows: Rows, work?: WorkOptions): string;
}

/**
 * Does everything that is done once: the model behind its contract, the target and the constraints compiled, the
 * metric fitted, the references made legal and put in order.
 */
export function open(parts: Parts, options: Options = {}): Opened {
  const setup = setUp(parts, options);
  return {
    setup,
    ask: async (rows, work) => answer(runOf(setup, rows, work)),
    hash: (rows, work) => runHash({ ...setup, input: inputOf(setup.given, rows, work) }),
  };
}
