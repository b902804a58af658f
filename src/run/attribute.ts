import type { PshapOptions } from "../attribute/options.ts";
import { pshapKernel } from "../attribute/pshap.ts";
import { uniform } from "../couple/uniform.ts";
import { isLimit, isPredict } from "../errors.ts";
import { takeRows } from "../num/matrix.ts";
import { stream } from "../num/random.ts";
import type { Attribution, Coupling, Matrix, Model } from "../types.ts";
import type { Run } from "./contract.ts";
import type { Proposal } from "./propose.ts";
import { neededLater, stageOptions } from "./run.ts";

/** φ with, for rows the model failed on, what it said instead. */
export interface Attributed {
  readonly attribution: Attribution;
  readonly failures: ReadonlyMap<number, string>;
  /** What is typical of the rows that each row is compared with, where these are rows at the target. */
  readonly typical?: readonly Float64Array[];
}

/** x, what it is compared with, and how: what p-SHAP is called with. */
interface Question {
  readonly model: Model;
  readonly x: Matrix;
  readonly references: Matrix;
  readonly spread: Coupling;
  readonly options: PshapOptions;
}

/** Line 3 of Algorithm 1. When the model fails on some row, every row is asked alone, so only that one is lost. */
export async function attribute(run: Run, proposal: Proposal): Promise<Attributed> {
  if (run.reasons) return againstTarget(run, run.reasons);
  const { references: coupled, spread: weights, stopped } = proposal;
  if (!coupled || !weights) return rowByRow(run, () => Promise.reject(stopped));
  const { references, spread } = backgroundOf(run) ?? { references: coupled, spread: weights };
  return attributeAgainst(run, references, spread);
}

/** φ against real rows at the target; without such rows there are no reasons. */
async function againstTarget(run: Run, reasons: NonNullable<Run["reasons"]>): Promise<Attributed> {
  try {
    const found = await reasons(run, completing(run));
    if (!found) return noAttributions(run);
    const { references, spread, typical } = found;
    return { ...(await attributeAgainst(run, references, spread)), typical };
  } catch (error) {
    if (!recoverable(error)) throw error;
    return rowByRow(run, () => Promise.reject(error));
  }
}

async function attributeAgainst(run: Run, references: Matrix, spread: Coupling): Promise<Attributed> {
  const question = { model: completing(run), x: run.x, references, spread, options: optionsOf(run) };
  try {
    return { attribution: await ask(run, question), failures: new Map() };
  } catch (error) {
    if (!recoverable(error)) throw error;
  }
  return rowByRow(run, (i) => ask(run, rowOnly(question, i)));
}

/** Rows of the table drawn for all x alike, each with the same weight: RB-SHAP. */
function backgroundOf({ input, x, seed }: Run): { references: Matrix; spread: Coupling } | undefined {
  const { background, training = input.references } = input;
  if (background === undefined) return undefined;
  const drawn = stream(seed, "background").sample(training.rows, Math.min(background, training.rows));
  return { references: takeRows(training, drawn), spread: uniform(x.rows, drawn.length) };
}

function ask(run: Run, { model, x, references, spread, options }: Question): Promise<Attribution> {
  const { hasRules, legal, complete } = run.constraints;
  const restrictions = hasRules ? { legal: (rows: Matrix) => legal(complete(rows)) } : {};
  const all = { ...stageOptions(run, neededLater(run)), ...options };
  return pshapKernel(model, x, references, spread, all, restrictions);
}

function optionsOf({ shown, goal, groups, input, seed }: Run): PshapOptions {
  const space = goal.kind === "each" ? "each" : "auto";
  return { seed, groups, space, ...input.attribution, output: shown.output };
}

/** φ of rows that are given no reasons: nothing is attributed, and there is no base. */
export function noAttributions({ x, players }: Run): Attributed {
  const [n, cols] = [x.rows, players.length];
  return {
    attribution: {
      values: { data: new Float64Array(n * cols), rows: n, cols },
      base: new Float64Array(n).fill(Number.NaN),
      residual: 0,
      exact: true,
      space: "score",
      evaluations: 0,
    },
    failures: new Map(),
  };
}

/** The model as it sees hybrids: with their derived columns recomputed. */
export function completing({ constraints, shown: { model } }: Run): Model {
  if (!constraints.hasDerived) return model;
  return {
    outputs: model.outputs,
    predict: (rows, output) => model.predict(constraints.complete(rows), output),
  };
}

/** The question about row i alone. */
function rowOnly({ x, references, spread, ...rest }: Question, i: number): Question {
  const entries = spread.cols.filter((_, e) => spread.rows[e] === i);
  const { units: _units, total: _total, ...kept } = spread;
  return {
    ...rest,
    x: takeRows(x, [i]),
    references: takeRows(references, entries),
    spread: {
      ...kept,
      n: 1,
      m: entries.length,
      rows: new Int32Array(entries.length),
      cols: entries.map((_, e) => e),
      mass: Float64Array.from(entries, (e) => spread.mass[e]!),
    },
  };
}

/** φ of every row asked alone. */
export async function rowByRow(run: Run, askRow: (i: number) => Promise<Attribution>): Promise<Attributed> {
  const [n, cols] = [run.x.rows, run.players.length];
  const values = new Float64Array(n * cols);
  const base = new Float64Array(n).fill(Number.NaN);
  const failures = new Map<number, string>();
  const known = new Map<number, Attribution>();
  for (let i = 0; i < n; i++) {
    try {
      const one = await askRow(i);
      known.set(i, one);
      values.set(one.values.data, i * cols);
      base[i] = one.base[0]!;
    } catch (error) {
      if (!recoverable(error)) throw error;
      failures.set(i, error.message);
    }
  }
  const all = [...known.values()];
  const spaces = Array.from(base, (_, i) => known.get(i)?.space ?? "score");
  const space = spaces.includes("margin") ? "margin" : "score";
  return {
    attribution: {
      values: { data: values, rows: n, cols },
      base,
      residual: all.reduce((most, one) => Math.max(most, one.residual), 0),
      exact: all.every((one) => one.exact),
      space,
      ...(spaces.every((own) => own === space) ? {} : { spaces }),
      evaluations: all.reduce((sum, one) => sum + one.evaluations, 0),
    },
    failures,
  };
}

/** The model failing, or a limit running out, costs a row; anything else is everybody's business. */
export function recoverable(error: unknown): error is Error {
  return isLimit(error) || isPredict(error);
}
