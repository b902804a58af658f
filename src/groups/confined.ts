import { compileConstraints } from "../data/constraints.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { explain } from "../explain.ts";
import type { Confined } from "../group-audit.ts";
import { takeRows } from "../num/matrix.ts";
import { quantile } from "../num/stats.ts";
import type { Feature, Matrix, Model, Schema, Target, WorkOptions } from "../types.ts";

interface ConfinedQuestion {
  readonly model: Model;
  readonly schema: Schema;
  readonly table: Matrix;
  readonly target: Target;
  /** Edges of the ranges that are asked about, by feature; quartiles where there are none. */
  readonly cuts: ReadonlyMap<string, readonly number[]>;
}

type Part = Confined["where"][number];

/** Conditions asked about, and what one search may take. */
const MOST = 40;
const EFFORT = 4096;
/** Rows of the table a condition must speak of. */
const LEAST = 5;

/**
 * Conditions on one locked feature, or two, under which no legal values help. Each is certified by the exact search over a
 * wider question: all other features are free, the locked ones too, so that a proof that nothing reaches the target holds
 * for everybody who meets the condition.
 */
export async function confinedBy(question: ConfinedQuestion, work: WorkOptions): Promise<Confined[]> {
  const { schema, table } = question;
  const parts = schema.features.flatMap((feature, k) =>
    feature.immutable && !feature.derived ? partsOf(feature, k, question) : [],
  );
  const found: Confined[] = [];
  let asked = 0;
  const look = async (where: readonly Part[]): Promise<void> => {
    const rows = meeting(schema, table, where);
    if (rows.length < LEAST || asked >= MOST) return;
    asked++;
    if (await isConfined(question, where, rows[0]!, work)) found.push({ where, rows: rows.length });
  };
  for (const part of parts) await look([part]);
  const alone = new Set(found.map(({ where }) => where[0]!));
  const open = parts.filter((part) => !alone.has(part));
  for (const [i, one] of open.entries())
    for (const other of open.slice(i + 1)) if (one.feature !== other.feature) await look([one, other]);
  return found.sort((a, b) => b.rows - a.rows);
}

function partsOf(feature: Feature, k: number, { table, cuts }: ConfinedQuestion): Part[] {
  const { name } = feature;
  if (hasLevels(feature)) return levelsOf(feature).map((level) => ({ feature: name, level }));
  const column = Array.from({ length: table.rows }, (_, i) => table.data[i * table.cols + k]!).filter(
    (v) => Number.isFinite(v) && feature.missing?.includes(v) !== true,
  );
  const edges = cuts.get(name) ?? [0.25, 0.5, 0.75].map((q) => quantile(column, q));
  const all = [...new Set(edges)].sort((a, b) => a - b);
  if (all.length === 0) return [];
  return [
    { feature: name, to: all[0]! },
    ...all.map((from, e) => ({ feature: name, from, ...(e + 1 < all.length ? { to: all[e + 1]! } : {}) })),
  ];
}

/** Does a value of a feature meet a part of a condition? */
function meets(feature: Feature, value: number, { level, from, to }: Part): boolean {
  if (level !== undefined) return levelsOf(feature)[value] === level;
  return value >= (from ?? Number.NEGATIVE_INFINITY) && value < (to ?? Number.POSITIVE_INFINITY);
}

/** Rows of the table that meet a condition, without gaps. */
function meeting({ features }: Schema, { rows, cols, data }: Matrix, where: readonly Part[]): number[] {
  const places = where.map(({ feature }) => features.findIndex(({ name }) => name === feature));
  return Array.from({ length: rows }, (_, i) => i).filter((i) => {
    const row = data.subarray(i * cols, (i + 1) * cols);
    const whole = row.every((v, k) => !Number.isNaN(v) && features[k]!.missing?.includes(v) !== true);
    return whole && where.every((part, t) => meets(features[places[t]!]!, row[places[t]!]!, part));
  });
}

/** Nothing reaches the target even if all features were free within the condition. */
async function isConfined(
  { model, schema, table, target }: ConfinedQuestion,
  where: readonly Part[],
  member: number,
  { signal }: WorkOptions,
): Promise<boolean> {
  if (!schema.features.every((feature, k) => feature.immutable || isCovered(feature, k, table))) return false;
  const features = schema.features.map((feature, k) => {
    const part = where.find((one) => one.feature === feature.name);
    if (part) return within(feature, part, k, table);
    return feature.immutable ? free(feature, k, table) : movable(feature, k, table);
  });
  // A rule that a row breaks already may stay broken: without rules the question is wider for everybody.
  const { rules: _, ...ruleless } = schema;
  const wider: Schema = { ...ruleless, features };
  const made = await explain({
    model,
    x: takeRows(table, [member]),
    references: table,
    training: table,
    schema: wider,
    constraints: compileConstraints(wider),
    goal: { kind: "each", target },
    only: "plans",
    values: "least",
    effort: EFFORT,
    ...(signal ? { signal } : {}),
  });
  const [row] = made.rows;
  return row?.proof?.claim === "none exists" && row.proof.scope === "model";
}

/** A feature that may become whatever somebody of the table is, or may become, wherever it is now. */
function movable(feature: Feature, k: number, table: Matrix): Feature {
  const { direction: _, transitions: __, tolerance: ___, allowed: ____, min, max, ...rest } = feature;
  if (hasLevels(feature)) return rest;
  const [least, most] = endsOf(k, table);
  return {
    ...rest,
    ...(min === undefined ? {} : { min: Math.min(min, least) }),
    ...(max === undefined ? {} : { max: Math.max(max, most) }),
  };
}

/** Are all values that somebody has, or may take, among those of `movable`? */
function isCovered(feature: Feature, k: number, { data, cols, rows }: Matrix): boolean {
  const { step, min = 0, allowed } = feature;
  if (allowed && !hasLevels(feature)) return false;
  if (step === undefined) return true;
  return Array.from({ length: rows }, (_, i) => data[i * cols + k]!).every((v) => {
    const at = (v - min) / step;
    return Number.isNaN(v) || Math.abs(at - Math.round(at)) < 1e-6;
  });
}

function endsOf(k: number, { data, cols, rows }: Matrix): readonly [number, number] {
  const column = Array.from({ length: rows }, (_, i) => data[i * cols + k]!).filter(Number.isFinite);
  return [
    column.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    column.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
  ];
}

/** A locked feature without its lock and ends. */
function free(
  { immutable: _, min: __, max: ___, step: ____, ...feature }: Feature,
  k: number,
  table: Matrix,
): Feature {
  return movable(feature, k, table);
}

/** A locked feature that may be anything within a condition. */
function within(feature: Feature, { level, from, to }: Part, k: number, table: Matrix): Feature {
  const open = free(feature, k, table);
  if (level !== undefined) return { ...open, allowed: [level] };
  const [least, most] = endsOf(k, table);
  // The upper edge itself may be taken, too: the question is then wider still.
  return { ...open, min: Math.max(least, from ?? least), max: Math.min(most, to ?? most) };
}
