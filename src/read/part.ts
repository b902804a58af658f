import { ColaError } from "../errors.ts";

/** A part of an untrusted document, with its path: every read checks presence, kind and size. */
export interface Part {
  readonly path: string;
  readonly value: unknown;
  has(key: string): boolean;
  /** An own property of an object. */
  at(key: string): Part;
  /** The entries of a list. */
  items(): Part[];
  text(): string;
  texts(): string[];
  /** A finite number; numbers written as text ("5E-1") count. */
  number(): number;
  /** A whole number in [min, max]. */
  whole(min: number, max: number): number;
  /** Numbers and booleans of a list or typed array; null is NaN. Exactly `length` of them where given. */
  numbers(length?: number): Float64Array;
  /** The same, all whole and in [min, max]. */
  wholes(min: number, max: number, length?: number): Int32Array;
  /** MODEL_FILE_INVALID that names this part. */
  error(rule: string): ColaError;
}

/** Opens the part `value` found at `path` of what `owner` reads. */
export function part(owner: string, value: unknown, path: string): Part {
  const error = (rule: string): ColaError =>
    new ColaError(
      "MODEL_FILE_INVALID",
      `${owner}: ${path} ${rule}; the file is damaged or of another kind: save it again.`,
      {
        where: path,
      },
    );
  const isObject = typeof value === "object" && value !== null && !isList(value);
  const has = (key: string): boolean => isObject && Object.hasOwn(value, key);
  const number = (): number => {
    const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof given === "number" && Number.isFinite(given)) return given;
    throw error(`must be a finite number, not ${shown(value)}`);
  };
  const numbers = (length?: number): Float64Array => {
    if (!isList(value)) throw error(`must be a list of numbers, not ${shown(value)}`);
    if (length !== undefined && value.length !== length) {
      throw error(`has ${value.length} entries where ${length} are needed`);
    }
    const out = new Float64Array(value.length);
    for (let i = 0; i < out.length; i++) {
      const v = value[i];
      if (typeof v === "number" || typeof v === "boolean") out[i] = Number(v);
      else if (v === null) out[i] = Number.NaN;
      else throw error(`must hold numbers only, but entry ${i} is ${shown(v)}`);
    }
    return out;
  };
  const items = (): Part[] => {
    if (!Array.isArray(value)) throw error(`must be a list, not ${shown(value)}`);
    return value.map((entry, i) => part(owner, entry, `${path}[${i}]`));
  };
  const text = (): string => {
    if (typeof value === "string") return value;
    throw error(`must be text, not ${shown(value)}`);
  };
  return {
    path,
    value,
    has,
    at: (key) => {
      if (!has(key)) throw error(`has no "${key}"`);
      return part(owner, (value as Record<string, unknown>)[key], path === "" ? key : `${path}.${key}`);
    },
    items,
    text,
    texts: () => items().map((entry) => entry.text()),
    number,
    whole: (min, max) => {
      const given = number();
      if (Number.isInteger(given) && given >= min && given <= max) return given;
      throw error(`must be a whole number in [${min}, ${max}], not ${given}`);
    },
    numbers,
    wholes: (min, max, length) => {
      const given = numbers(length);
      const bad = given.findIndex((v) => !(Number.isInteger(v) && v >= min && v <= max));
      if (bad < 0) return Int32Array.from(given);
      throw error(`must hold whole numbers in [${min}, ${max}], but entry ${bad} is ${given[bad]}`);
    },
    error,
  };
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

/** A value as an error message shows it: short, whatever it is. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (isList(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
