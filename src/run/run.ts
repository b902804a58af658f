import { startWork } from "../budget.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { ColaError, checkCount } from "../errors.ts";
import { goalScore } from "../model/goal-score.ts";
import { checkMatrix, checkSameCols, rowsBetween, takeRows } from "../num/matrix.ts";
import { once } from "../num/once.ts";
import type { Matrix, Schema, WorkOptions } from "../types.ts";
import type { ExplainInput, Question, Run, Setup } from "./contract.ts";
import { runHash } from "./hash.ts";
import { checkNames, inputOf } from "./input.ts";
import type { Rows } from "./options.ts";
import { given } from "./plain.ts";
import { setUp } from "./setup.ts";

/** Checks the rows of a question. */
export function questionOf(setup: Setup, rows: Rows, hash?: string): Question {
  const input = inputOf(setup.given, rows);
  checkNames(input);
  const { references } = setup.given;
  const { x, ids, pairs } = input;
  // Rows with ±Infinity are rows of their own status, so only the shape of x is checked here.
  if (!(x?.data instanceof Float64Array && x.rows > 0 && x.data.length === x.rows * x.cols))
    checkMatrix("explain", "x", x);
  checkSameCols("explain", x, references, "x and references");
  checkNamed(input, x, references);
  return {
    rows: { x, ...given({ ids, pairs }) },
    own: ownReferences(pairs, x.rows),
    hash: once(() => hash ?? runHash({ ...setup, input })),
  };
}

/** Rows from … to − 1 of a question; default: all of them. References keep their numbers. */
export function runOf(
  setup: Setup,
  { rows, own, hash }: Question,
  work: WorkOptions = {},
  from = 0,
  to = rows.x.rows,
): Run {
  const x = rowsBetween(rows.x, from, to);
  const part = { ...rows, x, ...given({ ids: rows.ids?.slice(from, to) }) };
  const input = inputOf(setup.given, part, work);
  checkNames(input);
  const meter = startWork("explain", input);
  const invalid = invalidRows(setup.constraints.schema, x);
  const good = Array.from({ length: x.rows }, (_, i) => i).filter((i) => !invalid.has(i));
  return {
    ...setup,
    input,
    good,
    invalid,
    x: setup.constraints.complete(takeRows(x, good)),
    own: (row) => own(from + row),
    hash,
    shown: goalScore(setup.model, setup.reach, (count) => meter.charge(count)),
    work: meter,
  };
}

/** A setup and its only question. */
export function openRun(input: ExplainInput): Run {
  const setup = setUp(input, input);
  return runOf(setup, questionOf(setup, input), input);
}

/** The references of each row, in their order, as the pairs say. */
function ownReferences(pairs: ArrayLike<number> | undefined, rows: number): Question["own"] {
  if (!pairs) return () => [];
  const end = new Int32Array(rows + 1);
  for (let j = 0; j < pairs.length; j++) if (pairs[j]! >= 0) end[pairs[j]! + 1]!++;
  for (let i = 0; i < rows; i++) end[i + 1]! += end[i]!;
  const start = end.slice();
  const all = new Int32Array(end[rows]!);
  for (let j = 0; j < pairs.length; j++) if (pairs[j]! >= 0) all[start[pairs[j]!]!++] = j;
  return (row) => all.subarray(end[row], end[row + 1]);
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
      ? `explain: pairs[${wrong}] is ${pairs[wrong]}; give 0 … ${x.rows - 1}, or −1 where unknown.`
      : `explain: there are ${pairs.length} pairs for ${references.rows} references; give one per reference.`,
    { length: pairs.length, references: references.rows },
  );
}

/** Rows with ±Infinity or with a code that is not a level, and why. */
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
