import { ColaError } from "../errors.ts";

/** What an option may be, and what it is when not given. */
export type Rule<T = unknown> = {
  readonly fallback: T;
  readonly says: string;
  accepts(value: unknown): boolean;
};

/** A number in [min, max]. */
export function number(fallback: number, min: number, max = Number.MAX_VALUE): Rule<number> {
  const accepts = (v: unknown): boolean => typeof v === "number" && v >= min && v <= max;
  return { fallback, says: `a number in [${min}, ${max}]`, accepts };
}

/** A whole number in [min, max]. */
export function whole(fallback: number, min: number, max = 2 ** 31 - 1): Rule<number> {
  const accepts = (v: unknown): boolean => Number.isInteger(v) && Number(v) >= min && Number(v) <= max;
  return { fallback, says: `a whole number in [${min}, ${max}]`, accepts };
}

export function oneOf<const T>(...values: readonly [T, ...T[]]): Rule<T> {
  return {
    fallback: values[0],
    says: `one of ${values.map((v) => JSON.stringify(v)).join(", ")}`,
    accepts: (v) => values.some((value) => value === v),
  };
}

/** A list of whole numbers ≥ 1. */
export function sizes(fallback: readonly number[]): Rule<readonly number[]> {
  const accepts = (v: unknown): boolean => Array.isArray(v) && v.every((n) => Number.isInteger(n) && n >= 1);
  return { fallback, says: "a list of whole numbers ≥ 1", accepts };
}

type Resolved<Table> = { readonly [K in keyof Table]: Table[K] extends Rule<infer T> ? T : never };

/** Options of any work, and those that belong to every fit, checked at its door. */
export const WORK = ["signal", "onProgress", "limits", "within"];
const FIT = ["classes", "classWeight", "weights", ...WORK];

/** Options with every default filled in; OPTION_INVALID for a value outside its rule or an unknown name. */
export function resolveOptions<Table extends Readonly<Record<string, Rule>>>(
  owner: string,
  given: object,
  table: Table,
  common: readonly string[] = FIT,
): Resolved<Table> {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(table, name) || common.includes(name)) continue;
    throw new ColaError(
      "OPTION_INVALID",
      `${owner}: there is no option "${name}"; the options are ${[...Object.keys(table), ...common].join(", ")}.`,
      { option: name },
    );
  }
  const resolve = ([name, rule]: [string, Rule]): [string, unknown] => {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined) return [name, rule.fallback];
    if (rule.accepts(value)) return [name, value];
    throw new ColaError(
      "OPTION_INVALID",
      `${owner}: option ${name} must be ${rule.says}, not ${JSON.stringify(value)}.`,
      { option: name, value },
    );
  };
  return Object.fromEntries(Object.entries(table).map(resolve)) as Resolved<Table>;
}
