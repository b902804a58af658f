import { startWork, type Work } from "../budget.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { ColaError, checkCount } from "../errors.ts";
import { type GoalScore, goalScore } from "../model/goal-score.ts";
import { checkMatrix, checkSameCols, takeRows } from "../num/matrix.ts";
import type { Matrix, Schema, WorkOptions } from "../types.ts";
import { checkNames, type ExplainInput, inputOf, type Rows } from "./input.ts";
import { given } from "./plain.ts";
import { type Setup, setUp } from "./setup.ts";

/** One question to a setup: rows that have been checked, with everything the stages ask for. */
export interface Run extends Setup {
  readonly input: ExplainInput;
  /** Rows that can be explained (the others are `invalid_input`), and x restricted to them. */
  readonly good: readonly number[];
  readonly invalid: ReadonlyMap<number, string>;
  readonly x: Matrix;
  /** The score that is shown and explained. */
  readonly shown: GoalScore;
  readonly work: Work;
}

/** The question about some rows. */
export function runOf(setup: Setup, rows: Rows, work: WorkOptions = {}): Run {
  const { references } = setup.given;
  const input = inputOf(setup.given, rows, work);
  checkNames(input);
  const { x } = input;
  // Rows with ±Infinity are rows of their own status, so only the shape of x is checked here.
  if (!(x?.data instanceof Float64Array && x.rows > 0 && x.data.length === x.rows * x.cols))
    checkMatrix("explain", "x", x);
  checkSameCols("explain", x, references, "x and references");
  checkNamed(input, x, references);
  const meter = startWork("explain", input);
  const invalid = invalidRows(setup.constraints.schema, x);
  const good = Array.from({ length: x.rows }, (_, i) => i).filter((i) => !invalid.has(i));
  return {
    ...setup,
    input,
    good,
    invalid,
    x: setup.constraints.complete(takeRows(x, good)),
    shown: goalScore(setup.model, setup.reach, (count) => meter.charge(count)),
    work: meter,
  };
}

/** A setup and its only question. */
export function openRun(input: ExplainInput): Run {
  return runOf(setUp(input, input), input, input);
}

/** Throws unless there is one id per row and one factual row (or −1) per reference. */
function checkNamed({ ids, pairs }: Rows, x: Matrix, references: Matrix): void {
  if (ids) checkCount("explain", "ids", ids.length, x.rows, "rows");
  if (!pairs) return;
  const known = (i: number): boolean => Number.isInteger(i) && i >= -1 && i < x.rows;
  const wrong = Array.from(pairs).findIndex((i) => !known(i));
  if (pairs.length === references.rows && wrong < 0) return;
  throw new ColaError(
    "PAIRS_INVALID",
    wrong >= 0
      ? `explain: pairs[${wrong}] is ${pairs[wrong]}; give a row of x (0 … ${x.rows - 1}), or −1 where it is not known.`
      : `explain: there are ${pairs.length} pairs for ${references.rows} references; give one row of x (or −1) per reference.`,
    { length: pairs.length, references: references.rows },
  );
}

/** Rows with ±Infinity or with a code that is no level, and why. */
function invalidRows(schema: Schema, x: Matrix): ReadonlyMap<number, string> {
  const invalid = new Map<number, string>();
  for (let c = 0; c < x.data.length; c++) {
    const [i, k] = [Math.floor(c / x.cols), c % x.cols];
    const feature = schema.features[k]!;
    const v = x.data[c]!;
    if (Number.isNaN(v) || invalid.has(i)) continue;
    if (!Number.isFinite(v))
      invalid.set(i, `${feature.name} is ${v}; only finite numbers and missing values are legal.`);
    else if (hasLevels(feature) && levelsOf(feature)[v] === undefined) {
      invalid.set(i, `${feature.name} holds the code ${v}, which is not a level of it.`);
    }
  }
  return invalid;
}

/** What is left of the limits, for the next stage; `keep` model rows are left for the stages after it. */
export function stageOptions({ input, work }: Run, keep = 0): WorkOptions {
  const { signal, onProgress, limits } = input;
  const left = { ...limits };
  if (limits?.timeMs !== undefined) left.timeMs = Math.max(0, work.remainingMs());
  if (limits?.modelRows !== undefined) left.modelRows = Math.max(0, limits.modelRows - work.modelRows - keep);
  return { within: work, ...given({ signal, onProgress, limits: limits && left }) };
}

/** Model rows without which no plan can be returned: x, the plans found and the rows returned are scored once each. */
export function neededLater({ goal, reach, x, r }: Run): number {
  const again = goal.kind === "group" && !goal.desired ? r.rows : 0;
  return 3 * x.rows * reach.outputs.length + again;
}
