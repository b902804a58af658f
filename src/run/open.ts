import type { Explanation } from "../explanation.ts";
import type { Matrix, WorkOptions } from "../types.ts";
import { answer } from "./answer.ts";
import type { Parts, Question, Run, Setup } from "./contract.ts";
import type { Options, Rows } from "./options.ts";
import { questionOf, runOf } from "./run.ts";
import { setUp, setupAgainst } from "./setup.ts";

export type { ExplainInput, Parts, Run } from "./contract.ts";
export { defaultsOf } from "./defaults.ts";
export { COUPLINGS } from "./input.ts";
export type { Defaults, Options, Rows } from "./options.ts";
export { openRun } from "./run.ts";

/** A study that is open for questions. */
export interface Opened {
  readonly setup: Setup;
  /** The explanation of some rows, as often as wanted: nothing that the questions share is made again. */
  ask(rows: Rows, work?: WorkOptions): Promise<Explanation>;
  /** A question to be answered part by part; `hash` is its run hash, where that is known. */
  question(rows: Rows, hash?: string): Asking;
}

/** A question whose rows have been checked. */
export interface Asking {
  /** The run hash of its explanation. */
  readonly hash: () => string;
  /** Its rows from … to − 1, ready to be answered. */
  run(work?: WorkOptions, from?: number, to?: number): Run;
  /** Their explanation; parts of a question are put together by `merge`. */
  part(from: number, to: number, work?: WorkOptions): Promise<Explanation>;
}

/**
 * Does everything that is done once: the model behind its contract, the target and the constraints compiled, the
 * metric fitted, the references made legal and put in order.
 */
export function open(parts: Parts, options: Options = {}): Opened {
  return openedAs(setUp(parts, options));
}

/** An open study with other references; where it has training rows, all that is made of these is shared. */
export function against({ setup }: Opened, references: Matrix): Opened {
  return openedAs(setupAgainst(setup, references));
}

function openedAs(setup: Setup): Opened {
  return {
    setup,
    ask: async (rows, work) => answer(runOf(setup, questionOf(setup, rows), work)),
    question: (rows, hash) => askingOf(setup, questionOf(setup, rows, hash)),
  };
}

function askingOf(setup: Setup, question: Question): Asking {
  return {
    hash: question.hash,
    run: (work, from, to) => runOf(setup, question, work, from, to),
    part: async (from, to, work) => answer(runOf(setup, question, work, from, to)),
  };
}
