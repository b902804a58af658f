import { startWork } from "../budget.ts";
import { ColaError, isColaError, messageOf } from "../errors.ts";
import { asModel, outputIndex } from "../model/contract.ts";
import { checkMatrix, copyOf, sameValue, takeRows } from "../num/matrix.ts";
import { stream } from "../num/random.ts";
import { loadModel } from "../read/load.ts";
import type { Matrix, Model, ModelLike } from "../types.ts";
import type { CheckModelOptions, Trial } from "./law.ts";
import { demand, type LawResult, runLaws } from "./law.ts";
import { compareBound } from "./model-bound.ts";
import { compareGradient } from "./model-gradient.ts";
import { compareStructure } from "./model-structure.ts";

type Law = (trial: Trial) => string | Promise<string>;

/** The laws, in the order of the report. */
const laws: Readonly<Record<string, Law>> = {
  finite: ({ scores }) => {
    scores.forEach((column, o) => {
      const i = column.findIndex((s) => !Number.isFinite(s));
      demand(i < 0, () => `output ${o} of row ${i} is ${column[i]}`);
    });
    return "every score is a finite number";
  },
  "inputs unchanged": async ({ model, rows, ask }) => {
    const given = copyOf(rows);
    for (let o = 0; o < model.outputs.length; o++) await ask(given, o);
    model.gradient?.(given);
    model.margin?.(given);
    const cell = given.data.findIndex((v, c) => !sameValue(v, rows.data[c]!));
    demand(cell < 0, () => `the model wrote to row ${Math.floor(cell / rows.cols)} it was given`);
    return "the rows given are not written";
  },
  determinism: (trial) => repeat(trial, (o) => trial.ask(trial.rows, o), "asked twice, the same scores"),
  "default output": async (trial) => {
    const plain = await trial.model.predict(trial.rows);
    const o = outputIndex(trial.model, undefined);
    compare(trial.scores[o]!, plain, trial.noise, "without an output");
    return `without an output it scores output ${o}`;
  },
  "batch size": (trial) =>
    repeat(
      trial,
      (o) => inParts(trial, o, Math.ceil(trial.rows.rows / 3)),
      "in three batches, the same scores",
    ),
  "single rows": (trial) => repeat(trial, (o) => inParts(trial, o, 1), "row by row, the same scores"),
  permutation: (trial) => {
    const order = stream(0, "permutation").permutation(trial.rows.rows);
    const shuffled = takeRows(trial.rows, order);
    const asked = async (o: number): Promise<Float64Array> => {
      const scores = await trial.ask(shuffled, o);
      const back = new Float64Array(scores.length);
      order.forEach((i, t) => {
        back[i] = scores[t]!;
      });
      return back;
    };
    return repeat(trial, asked, "shuffled rows have shuffled scores");
  },
  probabilities: ({ scores, options, tolerance }) => {
    if (scores.length < 2 || options.probabilities === false) return "not offered";
    scores[0]!.forEach((_, i) => {
      const sum = scores.reduce((total, s) => total + s[i]!, 0);
      demand(Math.abs(sum - 1) <= tolerance, () => `the scores of row ${i} sum to ${sum}, not 1`);
    });
    return "the scores of every row sum to 1";
  },
  gradient: compareGradient,
  structure: compareStructure,
  bound: compareBound,
  "save and load": (trial) => {
    const { model, options } = trial;
    if (!model.toJSON) return "not offered";
    const json: unknown = JSON.parse(JSON.stringify(model.toJSON()));
    const copy = (options.load ?? loadModel)(json);
    demand(copy.outputs.join("\n") === model.outputs.join("\n"), () => "the copy has other outputs");
    return repeat(trial, (o) => trial.ask(trial.rows, o, copy), "saved and loaded, the same scores");
  },
  "missing values": missingValues,
  reference: ({ model, scores, options, tolerance }) => {
    if (!options.reference) return "not offered";
    const most = compare(
      scores[outputIndex(model, options.output)]!,
      options.reference,
      tolerance,
      "the reference",
    );
    return `largest difference to the reference ${most}`;
  },
};

/**
 * Runs every law of the model contract on `rows` and reports each; nothing is thrown for a law that fails. A
 * model that cannot score the rows at all fails the law `shape`, and the others are left out.
 */
export async function checkModel(
  given: ModelLike,
  rows: Matrix,
  options: CheckModelOptions = {},
): Promise<readonly LawResult[]> {
  checkMatrix("checkModel", "rows", rows);
  const model = asModel(given);
  const { tolerance = 1e-6, noise = 0 } = options;
  const scores: Float64Array[] = [];
  const trial: Trial = { model, rows, scores, options, tolerance, noise, ask: asker(model, options) };
  const first = await runLaws({
    shape: async () => {
      for (let o = 0; o < model.outputs.length; o++) scores.push((await trial.ask(rows, o)).slice());
      return `${rows.rows} rows, ${scores.length} outputs, one score each`;
    },
  });
  if (!first[0]!.ok) return first;
  const bound = Object.entries(laws).map(([law, check]) => [law, () => check(trial)] as const);
  return [...first, ...(await runLaws(Object.fromEntries(bound)))];
}

/** Asks a model for scores within the caller's limits. */
function asker(model: Model, options: CheckModelOptions): Trial["ask"] {
  const work = startWork("checkModel", options);
  return async (rows, output, other = model) => {
    work.check();
    work.charge(rows.rows);
    const scores = await other.predict(rows, output);
    if (work.due()) await work.pause(0, 1);
    if (scores?.length === rows.rows) return scores;
    throw new ColaError(
      "PREDICT_SHAPE",
      `${rows.rows} rows were given and ${scores?.length ?? "no"} scores came back; return one per row.`,
      { rows: rows.rows, scores: scores?.length },
    );
  };
}

/** Asks for every output again in another way and compares. */
async function repeat(
  trial: Trial,
  again: (output: number) => Promise<Float64Array>,
  message: string,
): Promise<string> {
  for (let o = 0; o < trial.scores.length; o++) {
    compare(trial.scores[o]!, await again(o), trial.noise, `output ${o} the second time`);
  }
  return message;
}

/** The largest difference; the law is broken where it is above `most`. */
function compare(ours: Float64Array, theirs: ArrayLike<number>, most: number, what: string): number {
  demand(theirs.length === ours.length, () => `${what}: ${theirs.length} scores for ${ours.length} rows`);
  let largest = 0;
  ours.forEach((own, i) => {
    const gap = sameValue(own, theirs[i]!) ? 0 : Math.abs(own - theirs[i]!);
    demand(gap <= most, () => `row ${i} scores ${own}, but ${what} ${theirs[i]} (allowed: ${most})`);
    largest = Math.max(largest, gap);
  });
  return largest;
}

async function inParts({ rows, ask }: Trial, output: number, size: number): Promise<Float64Array> {
  const out = new Float64Array(rows.rows);
  for (let from = 0; from < rows.rows; from += size) {
    const part = Int32Array.from({ length: Math.min(size, rows.rows - from) }, (_, t) => from + t);
    out.set(await ask(takeRows(rows, part), output), from);
  }
  return out;
}

/** Tells what the model does with a missing cell; the law is that other rows do not feel it. */
async function missingValues({ model, rows, scores, noise, ask }: Trial): Promise<string> {
  const holed = copyOf(rows);
  const touched = new Set<number>();
  for (let k = 0; k < rows.cols; k++) {
    holed.data[(k % rows.rows) * rows.cols + k] = Number.NaN;
    touched.add(k % rows.rows);
  }
  const o = outputIndex(model, undefined);
  let seen: Float64Array;
  try {
    seen = await ask(holed, o);
  } catch (error) {
    if (isColaError(error) && /^(ABORTED|LIMIT_|PREDICT_SHAPE)/.test(error.code)) throw error;
    return `rows with missing values are refused: ${messageOf(error)}`;
  }
  const others = Array.from(seen, (_, i) => i).filter((i) => !touched.has(i));
  const at = (values: Float64Array): Float64Array => Float64Array.from(others, (i) => values[i]!);
  compare(at(scores[o]!), at(seen), noise, "beside rows with missing values");
  const lost = [...touched].filter((i) => !Number.isFinite(seen[i]!)).length;
  return lost === 0
    ? "rows with missing values are scored"
    : `${lost} of ${touched.size} rows with missing values score NaN`;
}
