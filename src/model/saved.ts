import { ColaError } from "../errors.ts";

/** Written into every saved model. */
export const SAVED_VERSION = 1;

/** A saved model opened with distrust: every read checks presence, kind and size. */
export interface Saved {
  /** One of `values`. */
  choice<const T extends string>(key: string, values: readonly T[]): T;
  /** A finite number. */
  number(key: string): number;
  /** A whole number in [min, max]. */
  whole(key: string, min: number, max?: number): number;
  /** Finite numbers; exactly `length` of them where given. */
  numbers(key: string, length?: number): Float64Array;
  /** Texts, at least `least` of them. */
  texts(key: string, least: number): string[];
  child(key: string): Saved;
  /** Exactly `length` children where given. */
  children(key: string, length?: number): Saved[];
  /** MODEL_FILE_INVALID unless `holds`. */
  check(holds: boolean, rule: string): void;
}

/** Opens one part of a saved model; `where` is its path, for messages. */
export function openSaved(json: unknown, where: string): Saved {
  const fail = (rule: string): never => {
    throw new ColaError("MODEL_FILE_INVALID", `saved model: ${where} ${rule}; save the model again.`, {
      where,
    });
  };
  if (typeof json !== "object" || json === null || Array.isArray(json)) return fail("must be an object");
  const read = (key: string): unknown =>
    Object.hasOwn(json, key) ? (json as Record<string, unknown>)[key] : fail(`has no "${key}"`);
  const list = (key: string, length?: number): readonly unknown[] => {
    const value = read(key);
    if (!Array.isArray(value)) return fail(`"${key}" must be a list`);
    if (length !== undefined && value.length !== length) {
      fail(`"${key}" must have ${length} entries, not ${value.length}`);
    }
    return value;
  };
  const number = (key: string): number => {
    const value = read(key);
    return typeof value === "number" && Number.isFinite(value)
      ? value
      : fail(`"${key}" must be a finite number`);
  };
  return {
    number,
    choice: (key, values) => {
      const value = read(key);
      return values.find((v) => v === value) ?? fail(`"${key}" must be one of ${values.join(", ")}`);
    },
    whole: (key, min, max = 2 ** 31 - 1) => {
      const value = number(key);
      const fits = Number.isInteger(value) && value >= min && value <= max;
      return fits ? value : fail(`"${key}" must be a whole number in [${min}, ${max}]`);
    },
    numbers: (key, length) => {
      const values = list(key, length);
      if (!values.every((v) => typeof v === "number" && Number.isFinite(v))) {
        fail(`"${key}" must hold finite numbers only`);
      }
      return Float64Array.from(values as number[]);
    },
    texts: (key, least) => {
      const values = list(key);
      if (values.length < least || !values.every((v) => typeof v === "string")) {
        fail(`"${key}" must hold at least ${least} texts`);
      }
      return [...values] as string[];
    },
    child: (key) => openSaved(read(key), `${where}.${key}`),
    children: (key, length) => list(key, length).map((part, i) => openSaved(part, `${where}.${key}[${i}]`)),
    check: (holds, rule) => {
      if (!holds) fail(rule);
    },
  };
}
