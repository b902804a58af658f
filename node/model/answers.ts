import { ColaError } from "../../src/errors.ts";
import { parseJson } from "../../src/read/json-limits.ts";

/** Scores of a batch as a model outside told them: row-major, `width` per row. */
export interface Answer {
  readonly data: Float64Array;
  readonly width: number;
}

/** JSON of an answer; the NaN that Python writes is read as null. */
export function parseAnswer(owner: string, text: string): unknown {
  try {
    return parseJson(owner, text);
  } catch (error) {
    const what = /^\s*</.test(text)
      ? "a web page or XML, not JSON"
      : text.trim() === ""
        ? "empty"
        : `not complete JSON (${text.length} characters, ends with ${JSON.stringify(text.slice(-40))})`;
    throw new ColaError(
      "PREDICT_FAILED",
      `${owner}: the answer is ${what}. ${owner === "commandModel" ? "A command prints one line of JSON for each line it reads, and nothing else: send banners and logs to standard error." : "The model's address must answer with JSON and nothing else; see that it is the right one, and what the server's log says."}`,
      { length: text.length },
      error,
    );
  }
}

/**
 * One entry per row: a number, a list of numbers, or a record with a number per output name.
 * PREDICT_SHAPE for another number of entries, PREDICT_FAILED for entries that are not scores.
 */
export function tableAnswer(owner: string, value: unknown, rows: number, outputs: readonly string[]): Answer {
  if (!Array.isArray(value)) throw noScores(owner, value);
  if (value.length !== rows) {
    throw new ColaError(
      "PREDICT_SHAPE",
      `${owner}: ${rows} rows were sent and ${value.length} scores came back; answer with one entry per row, in order.`,
      { rows, scores: value.length },
    );
  }
  const lists = value.map((entry) => entryNumbers(owner, entry, outputs));
  const width = lists[0]?.length ?? 1;
  const odd = lists.findIndex((list) => list.length !== width || width === 0);
  if (odd >= 0) {
    throw new ColaError(
      "PREDICT_SHAPE",
      `${owner}: row 0 of a batch got ${width} scores and row ${odd} ${lists[odd]!.length}; answer with the same number for every row.`,
      { row: odd },
    );
  }
  return { data: Float64Array.from(lists.flat()), width };
}

function entryNumbers(owner: string, entry: unknown, outputs: readonly string[]): number[] {
  if (Array.isArray(entry)) return entry.map((v) => scoreNumber(owner, v));
  if (typeof entry !== "object" || entry === null) return [scoreNumber(owner, entry)];
  const record = entry as Record<string, unknown>;
  const missing = outputs.find((name) => !Object.hasOwn(record, name));
  if (missing === undefined) return outputs.map((name) => scoreNumber(owner, record[name]));
  throw new ColaError(
    "PREDICT_FAILED",
    `${owner}: the answer has records with the keys ${Object.keys(record).slice(0, 8).join(", ")}, but no ${JSON.stringify(missing)}; set options.outputs to the keys of the scores.`,
    { keys: Object.keys(record).slice(0, 20) },
  );
}

/** null stands for NaN, which the checks of scores refuse by its own code. */
export function scoreNumber(owner: string, value: unknown): number {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  if (value === null || value === undefined) return Number.NaN;
  throw noScores(owner, value);
}

function noScores(owner: string, value: unknown): ColaError {
  if (value === undefined)
    return new ColaError(
      "PREDICT_FAILED",
      `${owner}: the answer has nothing where scores were expected; give one number, or one per class, for every row.`,
    );
  const shown = JSON.stringify(value).slice(0, 80);
  return new ColaError(
    "PREDICT_FAILED",
    `${owner}: the answer holds ${shown} where scores were expected; let the model answer with probabilities or numbers, not labels.`,
    { value: shown },
  );
}

/** The scores of output `o`: its column, or, for two outputs told by one number p, p and 1 − p. All finite. */
export function columnOf(owner: string, answer: Answer, outputs: readonly string[], o: number): Float64Array {
  const { data, width } = answer;
  const pair = width === 1 && outputs.length === 2;
  if (width !== outputs.length && !pair) {
    throw new ColaError(
      "PREDICT_SHAPE",
      `${owner}: every row got ${width} scores, but the model has ${outputs.length} output${outputs.length === 1 ? "" : "s"} (${outputs.join(", ")}); name them all in options.outputs.`,
      { scores: width, outputs: outputs.length },
    );
  }
  const rows = data.length / width;
  const scores = Float64Array.from({ length: rows }, (_, i) => {
    const score = pair ? data[i]! : data[i * width + o]!;
    return pair && o === 0 ? 1 - score : score;
  });
  const bad = scores.findIndex((v) => !Number.isFinite(v));
  if (bad < 0) return scores;
  throw new ColaError(
    "PREDICT_NAN",
    `${owner}: the answer holds ${Number.isNaN(scores[bad]) ? "no number (null or NaN)" : scores[bad]} for row ${bad} of a batch of ${rows}; scores must be finite numbers: see what the model does with the gaps and levels of this row.`,
    { row: bad, value: String(scores[bad]) },
  );
}
