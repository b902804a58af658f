import type { Feature, Matrix, Schema } from "../basic-types.ts";
import { ColaError } from "../errors.ts";
import { rowOf, sameValue } from "../num/matrix.ts";
import { completed, type Derived, orderDerived } from "./derived.ts";
import { compileExpression, type Expression } from "./expression.ts";
import { checkSchema, decodeCell, hasLevels, levelIndex, levelsOf } from "./schema.ts";

/** The values a feature may be edited to, seen from its current value. */
export interface Domain {
  /** A list of values (levels, allowed values), or undefined for a range. */
  readonly values?: readonly number[];
  readonly min: number;
  readonly max: number;
  /** Spacing of the values of a range counted from `origin`; 0 for a continuum. */
  readonly step: number;
  readonly origin: number;
}

/** A schema compiled into the questions every stage asks. Table rows are matrices of codes (data/schema). */
export interface Constraints {
  readonly schema: Schema;
  /** 1 where a feature may be edited at all (not immutable, not derived). */
  readonly editable: Uint8Array;
  /** Are two values of feature k the same (typed, within its tolerance, missing = missing)? */
  same(k: number, a: number, b: number): boolean;
  /** May feature k be edited from one value to the other? Keeping a value is always allowed. */
  allows(k: number, from: number, to: number): boolean;
  /** The legal value nearest to `value` for a feature now at `from`; `from` when there is none. */
  snap(k: number, value: number, from: number): number;
  /** The value of the feature's own domain nearest to `value`, whatever it comes from; gaps stay gaps. */
  nearest(k: number, value: number): number;
  domain(k: number, from: number): Domain;
  /** 1 for each row that meets every rule between features. Derived columns must be complete. */
  legal(rows: Matrix): Uint8Array;
  readonly hasRules: boolean;
  readonly hasDerived: boolean;
  readonly rules: readonly Expression[];
  /** Derived columns, each after those it reads. */
  readonly derived: readonly Derived[];
  /** Rows with their derived columns recomputed; the same matrix when there are none. */
  complete(rows: Matrix): Matrix;
  /** Everything that is wrong with z as an edit of x, in words; empty when nothing is. */
  violations(x: Float64Array, z: Float64Array): string[];
}

/** Compiles and checks the constraints of a schema. */
export function compileConstraints(schema: Schema): Constraints {
  checkSchema(schema);
  const { features } = schema;
  features.forEach(checkFeature);
  const derived = orderDerived(schema);
  const rules = (schema.rules ?? []).map((text) => compileExpression(text, schema));
  const editable = Uint8Array.from(features, (f) => (f.immutable || f.derived ? 0 : 1));
  const allowed = features.map(allowedCodes);
  const ranges = features.map(rangeOf);
  const isGap = (k: number, value: number): boolean =>
    Number.isNaN(value) || features[k]!.missing?.includes(value) === true;
  // The domains from a gap, which are those from any value unless a direction or transitions say otherwise.
  const own = features.map((feature, k) => domainOf(feature, ranges[k]!, allowed[k], Number.NaN));
  const depends = features.map(({ direction, transitions }) => Boolean(direction ?? transitions));
  const domain = (k: number, from: number): Domain => {
    if (!isGap(k, from)) return depends[k] ? domainOf(features[k]!, ranges[k]!, allowed[k], from) : own[k]!;
    return !Number.isNaN(from) && !features[k]!.editMissing ? only(from) : own[k]!;
  };
  const same = (k: number, a: number, b: number): boolean =>
    sameValue(a, b) || Math.abs(a - b) <= (features[k]!.tolerance ?? 0);
  const allows = (k: number, from: number, to: number): boolean => {
    if (sameValue(from, to)) return true;
    if (!editable[k]) return false;
    if (isGap(k, from) || isGap(k, to)) {
      return Boolean(features[k]!.editMissing) && (isGap(k, to) || inDomain(domain(k, from), to));
    }
    return inDomain(domain(k, from), to);
  };
  const snap = (k: number, value: number, from: number): number => {
    if (sameValue(value, from) || !editable[k]) return from;
    if (isGap(k, value) || isGap(k, from)) return allows(k, from, value) ? value : from;
    const nearest = nearestIn(domain(k, from), value);
    return Number.isNaN(nearest) ? from : nearest;
  };
  const nearest = (k: number, value: number): number => {
    const legalValue = isGap(k, value) ? value : nearestIn(own[k]!, value);
    return Number.isNaN(legalValue) ? value : legalValue;
  };
  const legal = (rows: Matrix): Uint8Array =>
    Uint8Array.from({ length: rows.rows }, (_, i) =>
      rules.every((rule) => rule.evaluate(rowOf(rows, i)) > 0) ? 1 : 0,
    );
  const complete = (rows: Matrix): Matrix => (derived.length === 0 ? rows : completed(derived, rows));
  const violations = (x: Float64Array, z: Float64Array): string[] =>
    violationsOf(schema, { allows, complete, rules, derived }, x, z);
  return {
    schema,
    editable,
    same,
    allows,
    snap,
    nearest,
    domain,
    legal,
    complete,
    violations,
    rules,
    derived,
    hasRules: rules.length > 0,
    hasDerived: derived.length > 0,
  };
}

const isPositive = (value: number): boolean => value > 0 && Number.isFinite(value);

/** What the numbers of a feature must be. */
const NUMBERS = [
  ["min", "a finite number", Number.isFinite],
  ["max", "a finite number", Number.isFinite],
  ["step", "finite and above 0", isPositive],
  ["cost", "finite and above 0", isPositive],
  ["tolerance", "a finite number ≥ 0", (value: number) => value >= 0 && Number.isFinite(value)],
] as const;

function checkFeature(feature: Feature): void {
  const { name, min, max, direction } = feature;
  const wrong = (rule: string, value: unknown, remedy = ""): ColaError =>
    new ColaError(
      "CONSTRAINT_INVALID",
      `constraints: ${name}: ${rule}, but it is ${JSON.stringify(value)}${remedy}.`,
      { feature: name, value: String(value) },
    );
  for (const [key, rule, keeps] of NUMBERS) {
    const value = feature[key];
    if (value !== undefined && !keeps(value)) throw wrong(`\`${key}\` must be ${rule}`, value);
  }
  if (min !== undefined && max !== undefined && min > max)
    throw wrong(`\`min\` must not exceed \`max\` (${max})`, min, "; swap them, or correct one");
  if (feature.missing !== undefined) {
    const { missing, kind } = feature;
    if (
      !Array.isArray(missing) ||
      !missing.every(Number.isFinite) ||
      (kind !== "numeric" && kind !== "integer")
    )
      throw wrong(
        "`missing` must list finite numbers that a numeric or integer feature has for a missing value",
        missing,
      );
  }
  if (direction !== undefined && direction !== "up" && direction !== "down") {
    throw wrong('`direction` must be "up" or "down"', direction);
  }
  if (direction !== undefined && feature.kind === "categorical") {
    throw wrong(
      "`direction` needs levels with an order",
      direction,
      '; make it `"kind": "ordinal"` in a schema (options.saveSchema writes one), or list `transitions`',
    );
  }
  for (const [from, tos] of Object.entries(feature.transitions ?? {})) {
    for (const level of [from, ...tos]) {
      if (levelIndex(feature, level) < 0)
        throw wrong(
          `\`transitions\` must name levels of the feature (${levelsOf(feature).join(", ")})`,
          level,
        );
    }
  }
}

function allowedCodes(feature: Feature): readonly number[] | undefined {
  return feature.allowed?.map((value) => {
    const code = hasLevels(feature) ? levelIndex(feature, value) : Number(value);
    if (Number.isFinite(code) && (!hasLevels(feature) || code >= 0)) return code;
    throw new ColaError(
      "CONSTRAINT_INVALID",
      `constraints: ${feature.name}: \`allowed\` holds ${JSON.stringify(value)}, which is not a value of the feature; give ${hasLevels(feature) ? `levels among ${levelsOf(feature).join(", ")}` : "finite numbers"}.`,
      { feature: feature.name, value },
    );
  });
}

function domainOf(
  feature: Feature,
  [low, high]: readonly [number, number],
  allowed: readonly number[] | undefined,
  from: number,
): Domain {
  const up = feature.direction === "up" && !Number.isNaN(from);
  const down = feature.direction === "down" && !Number.isNaN(from);
  const min = Math.max(low, up ? from : Number.NEGATIVE_INFINITY);
  const max = Math.min(high, down ? from : Number.POSITIVE_INFINITY);
  const step = feature.step ?? (feature.kind === "integer" ? 1 : 0);
  const origin = feature.step !== undefined ? (feature.min ?? 0) : 0;
  const range: Domain = { min, max, step, origin };
  if (!hasLevels(feature)) {
    if (!allowed) return range;
    return { ...range, values: allowed.filter((v) => inDomain(range, v)) };
  }
  const start = allowed ?? levelsOf(feature).map((_, level) => level);
  const next =
    feature.transitions && !Number.isNaN(from)
      ? (feature.transitions[levelsOf(feature)[from]!] ?? [])
      : undefined;
  const values = start.filter((v) => v >= min && v <= max && (!next || next.includes(levelsOf(feature)[v]!)));
  return { min, max, step: 1, origin: 0, values };
}

/** The range of a feature's own values: above its codes ≤ 0 for missing values, below the others. */
function rangeOf({ min, max, missing = [] }: Feature): [number, number] {
  const below = Math.max(...missing.filter((code) => code <= 0));
  const above = Math.min(...missing.filter((code) => code > 0));
  return [
    Math.max(min ?? Number.NEGATIVE_INFINITY, besideOf(below, 1)),
    Math.min(max ?? Number.POSITIVE_INFINITY, besideOf(above, -1)),
  ];
}

/** The next number in a direction; ±Infinity stays. */
function besideOf(value: number, sign: 1 | -1): number {
  if (!Number.isFinite(value)) return value;
  return value + sign * Math.max(Number.MIN_VALUE, Math.abs(value) * Number.EPSILON);
}

/** A feature that stays what it is. */
const only = (from: number): Domain => ({ values: [], min: from, max: from, step: 0, origin: 0 });

/** Relative slack for values on a step grid, so that 0.1 + 0.2 is on a grid of 0.1. */
const GRID = 1e-9;

function inDomain(domain: Domain, value: number): boolean {
  if (domain.values) return domain.values.includes(value);
  if (!(value >= domain.min && value <= domain.max)) return false;
  if (domain.step === 0) return true;
  const steps = (value - domain.origin) / domain.step;
  return Math.abs(steps - Math.round(steps)) <= GRID * Math.max(1, Math.abs(steps));
}

function nearestIn(domain: Domain, value: number): number {
  const { values, min, max, step, origin } = domain;
  if (values) {
    // Levels stand at their own place.
    if (values[value] === value) return value + 0;
    let best = Number.NaN;
    for (const v of values) if (!(Math.abs(best - value) <= Math.abs(v - value))) best = v;
    return best;
  }
  if (min > max) return Number.NaN;
  const clamped = Math.min(max, Math.max(min, value));
  if (step === 0) return clamped;
  for (const whole of [Math.round, Math.floor, Math.ceil]) {
    const exact = origin + whole((clamped - origin) / step) * step;
    // 15 digits: 389 steps of 0.1 are 38.9, not 38.900000000000006.
    const candidate = Number.isInteger(exact) ? exact : Number(exact.toPrecision(15));
    if (candidate >= min && candidate <= max) return candidate;
  }
  return Number.NaN;
}

function violationsOf(
  schema: Schema,
  compiled: Pick<Constraints, "allows" | "complete"> & {
    rules: readonly Expression[];
    derived: readonly Derived[];
  },
  x: Float64Array,
  z: Float64Array,
): string[] {
  const problems: string[] = [];
  const derived = new Set(compiled.derived.map((d) => d.column));
  const full = rowOf(compiled.complete({ data: z, rows: 1, cols: z.length }), 0);
  let changed = false;
  schema.features.forEach((feature, k) => {
    if (derived.has(k)) {
      if (!sameValue(full[k]!, z[k]!)) problems.push(`${feature.name} was not recomputed`);
    } else if (!sameValue(x[k]!, z[k]!)) {
      changed = true;
      if (!compiled.allows(k, x[k]!, z[k]!)) {
        const [from, to] = [decodeCell(feature, x[k]!), decodeCell(feature, z[k]!)];
        problems.push(`${feature.name} may not go from ${from ?? "missing"} to ${to ?? "missing"}`);
      }
    }
  });
  if (changed) {
    for (const rule of compiled.rules)
      if (!(rule.evaluate(z) > 0)) problems.push(`the rule ${rule.text} does not hold`);
  }
  return problems;
}
