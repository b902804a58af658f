import { ColaError, messageOf } from "../errors.ts";

/** Deepest nesting a model file or an answer needs, with room to spare. */
export const MAX_DEPTH = 100;
/** Most lists, objects and members of objects: each costs far more memory than the text it is written with. */
export const MAX_PARTS = 2 ** 22;

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COLON = 58;
const LETTER_I = 73;
const LETTER_N = 78;

/**
 * JSON.parse for untrusted text: one linear scan refuses deep nesting before anything recurses,
 * and the bare words NaN and Infinity, which XGBoost and Python write, are read as null and ±Infinity.
 */
export function parseJson(owner: string, text: string): unknown {
  const words = scan(owner, text);
  try {
    return JSON.parse(words.length === 0 ? text : withoutWords(text, words));
  } catch (error) {
    throw new ColaError(
      "MODEL_FILE_INVALID",
      `${owner}: this is not complete JSON (${messageOf(error).slice(0, 120)}); the file is damaged or cut short: save it again.`,
      { length: text.length },
      error,
    );
  }
}

/** Offsets of bare NaN and Infinity; throws where brackets nest too deeply. */
function scan(owner: string, text: string): number[] {
  const words: number[] = [];
  let depth = 0;
  let parts = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === OPEN_LIST || c === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) throw tooDeep(owner, i);
      if (++parts > MAX_PARTS) throw tooMany(owner, i);
    } else if (c === COLON) {
      if (++parts > MAX_PARTS) throw tooMany(owner, i);
    } else if (c === CLOSE_LIST || c === CLOSE_OBJECT) depth--;
    else if (c === LETTER_N || c === LETTER_I) words.push(i);
  }
  return words;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) return i;
    if (c === BACKSLASH) i++;
  }
  return i;
}

function withoutWords(text: string, words: readonly number[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const at of words) {
    if (at < done) continue;
    const word = ["NaN", "Infinity"].find((w) => text.startsWith(w, at));
    if (word === undefined) continue;
    parts.push(text.slice(done, at), word === "NaN" ? "null" : "1e999");
    done = at + word.length;
  }
  return parts.join("") + text.slice(done);
}

export function tooMany(owner: string, at: number): ColaError {
  return new ColaError(
    "MODEL_FILE_INVALID",
    `${owner}: there are more than ${MAX_PARTS} lists, objects and members before offset ${at}; no model file has so many.`,
    { at, limit: MAX_PARTS },
  );
}

export function tooDeep(owner: string, at: number): ColaError {
  return new ColaError(
    "MODEL_FILE_INVALID",
    `${owner}: lists and objects nest deeper than ${MAX_DEPTH} at offset ${at}; no model file does.`,
    { at, limit: MAX_DEPTH },
  );
}
