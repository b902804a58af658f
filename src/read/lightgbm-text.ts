import { ColaError } from "../errors.ts";
import { type Part, part } from "./part.ts";

/** `key=value` lines of one section, read with distrust. */
export interface Section {
  readonly name: string;
  has(key: string): boolean;
  /** The value as text; undefined when the key is absent. */
  text(key: string): string | undefined;
  whole(key: string, min: number, max: number): number;
  /** Finite numbers separated by blanks; exactly `length`. */
  numbers(key: string, length: number): Float64Array;
  /** The same where `inf` may stand, for what no number exceeds. */
  limits(key: string, length: number): Float64Array;
  wholes(key: string, min: number, max: number, length: number): Int32Array;
  part(): Part;
  error(key: string, rule: string): ColaError;
}

/** A LightGBM file cut into sections. */
export interface LightgbmText {
  readonly header: Section;
  readonly trees: readonly Section[];
  /** Margins are the sums of leaves over this: 1, or the number of rounds of a random forest. */
  readonly divisor: number;
  /** Header and trees, without the training parameters. */
  readonly kept: string;
}

/** Cuts the text at its `Tree=` lines and checks that no tree is missing. */
export function lightgbmText(owner: string, text: string): LightgbmText {
  if (!/^tree\r?\n/.test(text)) throw notLightgbm(owner, text);
  const end = /^end of trees\r?$/m.exec(text);
  const kept = end ? `${text.slice(0, end.index)}end of trees\n` : text;
  const [head = "", ...bodies] = kept.split(/^Tree=\d+\r?\n/m);
  const header = section(owner, "the header", head);
  const trees = bodies.map((body, t) => section(owner, `Tree=${t}`, body));
  const declared = header.text("tree_sizes")?.split(" ").filter(Boolean).length;
  if (declared !== undefined && declared !== trees.length) {
    throw header.error(
      "tree_sizes",
      `declares ${declared} trees, but the file has ${trees.length}: it is cut short`,
    );
  }
  if (!end && /^v[3-9]/.test(header.text("version") ?? "")) {
    throw header
      .part()
      .error('is followed by trees, but no line "end of trees" ends them: the file is cut short');
  }
  const rounds = Math.floor(trees.length / header.whole("num_tree_per_iteration", 1, 2 ** 31 - 1));
  return { header, trees, divisor: header.has("average_output") ? Math.max(1, rounds) : 1, kept };
}

function notLightgbm(owner: string, text: string): ColaError {
  if (!/^\s*[{[]/.test(text)) {
    return new ColaError(
      "MODEL_FILE_INVALID",
      `${owner}: a LightGBM text file begins with the line "tree", this one with ${JSON.stringify(text.slice(0, 20))}.`,
    );
  }
  return new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${owner}: this is JSON, as booster.dump_model writes, which rounds and leaves out what scoring needs; save the model with booster.save_model('model.txt'). (An XGBoost file is read by readXgboost.)`,
    { feature: "dump_model" },
  );
}

function section(owner: string, name: string, text: string): Section {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const cut = line.indexOf("=");
    const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (cut < 0) values.set(trimmed, "");
    else values.set(line.slice(0, cut), trimmed.slice(cut + 1));
  }
  const at = (key: string, value: unknown): Part => part(owner, value, `${key} of ${name}`);
  const tokens = (key: string): (number | null)[] => {
    const value = values.get(key);
    if (value === undefined) throw at(key, undefined).error("is missing");
    const words = value.trim() === "" ? [] : value.trim().split(" ");
    return words.map((word) =>
      word === "inf" ? Number.POSITIVE_INFINITY : /^[-+.\dA-Za-z]+$/.test(word) ? Number(word) : null,
    );
  };
  const limits = (key: string, length: number): Float64Array => finite(key, length, Number.MAX_VALUE);
  const numbers = (key: string, length: number): Float64Array => finite(key, length);
  const finite = (key: string, length: number, infinite = Number.NaN): Float64Array => {
    const words = tokens(key).map((word) => (word === Number.POSITIVE_INFINITY ? infinite : word));
    const given = at(key, words).numbers(length);
    const bad = given.findIndex((v) => !Number.isFinite(v));
    if (bad >= 0) throw at(key, undefined).error(`must hold finite numbers, but entry ${bad} is not one`);
    return given;
  };
  return {
    name,
    has: (key) => values.has(key),
    text: (key) => values.get(key),
    whole: (key, min, max) => at(key, values.get(key)).whole(min, max),
    numbers,
    limits,
    wholes: (key, min, max, length) => at(key, Array.from(numbers(key, length))).wholes(min, max),
    part: () => part(owner, undefined, name),
    error: (key, rule) => at(key, undefined).error(rule),
  };
}
