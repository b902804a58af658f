import { labelOf, levelsOf } from "../../data/schema.ts";
import type { Random } from "../../num/random.ts";
import type { Schema } from "../../types.ts";
import type { Bins } from "../bins.ts";
import { legalise } from "../moves.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";

/**
 * A direction all rows go along: x + kδ. An ordered feature has one δ, in table units; a feature with levels
 * one per level, and the row takes the level for which [x = level] + kδ_level is largest.
 */
export interface Direction {
  /** δ of each feature; undefined where the direction leaves it alone. */
  readonly delta: readonly (Float64Array | undefined)[];
}

interface DirectionSettings {
  /** Features of a direction. */
  readonly features: number;
  /** Cost of going along it once (k = 1). */
  readonly magnitude: number;
  /** U^power: higher powers make one feature matter more than the others. */
  readonly power: number;
}

const isNominal = (run: Run, k: number): boolean =>
  ["categorical", "boolean"].includes(run.constraints.schema.features[k]!.kind);

/** Unit cost of a column: a bin of a number, a step of an ordinal, half a switch of level. */
const HALF = 0.5;

/** A random direction of L1 norm `magnitude` in units of cost. */
export function drawDirection(
  run: Run,
  bins: readonly Bins[],
  settings: DirectionSettings,
  random: Random,
): Direction {
  const may = bins.map((_, k) => k).filter((k) => run.vary[k]);
  const chosen = random.sample(may.length, Math.min(settings.features, may.length));
  const delta: (Float64Array | undefined)[] = bins.map(() => undefined);
  let norm = 0;
  for (const k of Array.from(chosen, (t) => may[t]!).sort((a, b) => a - b)) {
    const nominal = isNominal(run, k);
    const size = (): number => random.next() ** settings.power;
    delta[k] = Float64Array.from({ length: nominal ? bins[k]!.count : 1 }, () =>
      nominal ? size() : size() * (random.next() < 0.5 ? -1 : 1),
    );
    norm += delta[k]!.reduce((sum, v) => sum + Math.abs(v), 0);
  }
  return {
    delta: delta.map((own, k) => {
      const unit = isNominal(run, k) ? 1 / HALF : bins[k]!.width / price(run, k);
      return own?.map((v) => (v * settings.magnitude * unit) / Math.max(norm, 1e-12));
    }),
  };
}

const price = (run: Run, k: number): number => run.constraints.schema.features[k]!.cost ?? 1;

/** Row x + kδ as a legal row inside what is permitted; features that may not go there stay. */
export function along(run: Run, { delta }: Direction, row: Row, scalar: number): Float64Array {
  const z = row.x.slice();
  for (const move of row.moves) {
    const { k, values, low, high } = move;
    const own = delta[k];
    const from = row.x[k]!;
    if (!own || Number.isNaN(from)) continue;
    if (isNominal(run, k)) z[k] = levelAlong(own, values ?? [], from, scalar);
    else {
      const goal = Math.min(high, Math.max(low, from + scalar * own[0]!));
      z[k] = towards(from, goal, own[0]!) ? legalise(run.constraints, k, goal, from) : from;
    }
  }
  return z;
}

/** A permitted range on the wrong side of x is no way to go along the direction. */
const towards = (from: number, goal: number, delta: number): boolean => (goal - from) * delta > 0;

function levelAlong(delta: Float64Array, values: readonly number[], from: number, scalar: number): number {
  let best = from;
  let top = 1 + scalar * delta[from]!;
  for (const level of values) {
    const value = scalar * delta[level]!;
    if (value > top) [best, top] = [level, value];
  }
  return best;
}

/** Scalars at which row x takes another level: k = 1/(δ_level − δ_own), just past it. */
export function thresholds(run: Run, { delta }: Direction, row: Row): number[] {
  return row.moves.flatMap(({ k, values }) => {
    const own = delta[k];
    const from = row.x[k]!;
    if (!own || Number.isNaN(from) || !isNominal(run, k)) return [];
    return (values ?? [])
      .map((level) => (1 + 1e-9) / (own[level]! - own[from]!))
      .filter((scalar) => scalar > 0 && Number.isFinite(scalar));
  });
}

/** What a direction does, in words: `Age −4.1, Housing → own`. */
export function directionText(schema: Schema, { delta }: Direction): string {
  const parts = delta.flatMap((own, k) => {
    const feature = schema.features[k]!;
    if (!own) return [];
    if (own.length === 1) {
      const unit = feature.unit ? ` ${feature.unit}` : "";
      return [
        `${labelOf(feature)} ${own[0]! < 0 ? "−" : "+"}${Number(Math.abs(own[0]!).toPrecision(3))}${unit}`,
      ];
    }
    const best = own.indexOf(Math.max(...own));
    return [`${labelOf(feature)} → ${levelsOf(feature)[best]}`];
  });
  return parts.join(", ");
}
