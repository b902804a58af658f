import type { Constraints } from "../data/constraints.ts";
import { hasLevels } from "../data/schema.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import type { Run } from "./run.ts";

/** What the reference rows say about one feature. */
interface Seen {
  /** Smallest and largest value, codes for missing ones aside; Infinity and −Infinity where all are missing. */
  readonly min: number;
  readonly max: number;
  readonly gaps: boolean;
  /** Levels that occur. */
  readonly levels: ReadonlySet<number>;
}

export function seenIn(constraints: Constraints, references: Matrix): Seen[] {
  return constraints.schema.features.map((feature, k) => {
    const levels = new Set<number>();
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let gaps = false;
    for (let c = k; c < references.data.length; c += references.cols) {
      const v = references.data[c]!;
      if (Number.isNaN(v)) gaps = true;
      else if (!feature.missing?.includes(v)) {
        if (v < min) min = v;
        if (v > max) max = v;
        if (hasLevels(feature)) levels.add(v);
      }
    }
    return { min, max, gaps, levels };
  });
}

/** The permitted values of feature k for one row: legal, and inside what the references show. */
export interface Move {
  readonly k: number;
  /** The permitted values other than the present one, where they can be listed. */
  readonly values?: readonly number[];
  /** Else the ends of the permitted range and the spacing inside it (0 for a continuum). */
  readonly low: number;
  readonly high: number;
  readonly step: number;
  /** May the value go missing? */
  readonly missing: boolean;
}

/** Every feature of a row that may take another value. */
export function movesOf(run: Run, seen: readonly Seen[], x: Float64Array): Move[] {
  return Array.from(x, (_, k) => moveOf(run, seen[k]!, x[k]!, k)).filter((move) => move !== undefined);
}

/** May some feature of a row take another value? */
export const canMove = (run: Run, seen: readonly Seen[], x: Float64Array): boolean =>
  x.some((from, k) => moveOf(run, seen[k]!, from, k) !== undefined);

function moveOf({ constraints, vary }: Run, seen: Seen, from: number, k: number): Move | undefined {
  const feature = constraints.schema.features[k]!;
  if (!vary[k] || (Number.isNaN(from) && !feature.editMissing)) return undefined;
  const missing = Boolean(feature.editMissing) && seen.gaps && !Number.isNaN(from);
  const domain = constraints.domain(k, from);
  if (domain.values) {
    const other = domain.values.filter((v) => !constraints.same(k, from, v));
    const shown = other.filter((v) => !hasLevels(feature) || seen.levels.has(v));
    const values = shown.length > 0 ? shown : other;
    if (values.length === 0 && !missing) return undefined;
    return { k, values, low: Math.min(...values), high: Math.max(...values), step: domain.step, missing };
  }
  const [low, high] = permitted(constraints, seen, k, from);
  if (Number.isNaN(low) || (constraints.same(k, low, from) && constraints.same(k, high, from) && !missing))
    return undefined;
  return { k, low, high, step: domain.step, missing };
}

/** The legal range cut to the range of the references; where they do not meet, its end next to theirs. */
function permitted(constraints: Constraints, seen: Seen, k: number, from: number): [number, number] {
  const { min, max } = constraints.domain(k, from);
  const low = Math.min(Math.max(min, seen.min), max);
  const high = Math.max(Math.min(max, seen.max), min);
  if (!(Number.isFinite(low) && Number.isFinite(high) && min <= max)) return [Number.NaN, Number.NaN];
  const ends = [legalise(constraints, k, low, from), legalise(constraints, k, high, from)] as const;
  return [Math.min(...ends), Math.max(...ends)];
}

/** The legal value nearest to `value`; `from` itself when that is the same value or there is none. */
export function legalise(constraints: Constraints, k: number, value: number, from: number): number {
  if (constraints.same(k, value, from)) return from;
  const legal = constraints.snap(k, Number.isNaN(from) ? onGrid(constraints, k, value) : value, from);
  return constraints.same(k, legal, from) ? from : legal;
}

/** A missing value is replaced by any legal value or none: the value itself must be on the grid. */
function onGrid(constraints: Constraints, k: number, value: number): number {
  const { values, step, origin } = constraints.domain(k, Number.NaN);
  if (values || step === 0) return value;
  return Number((origin + Math.round((value - origin) / step) * step).toPrecision(15));
}

/** A permitted value, uniform over the list or the range (a grid's ends count like its inner values). */
export function draw(constraints: Constraints, move: Move, from: number, random: Random): number {
  const { k, values, low, high, step } = move;
  const choices = (values?.length ?? 7) + Number(move.missing);
  if (move.missing && random.int(choices) === 0) return Number.NaN;
  if (values) return values[random.int(values.length)]!;
  const value = low - step / 2 + random.next() * (high - low + step);
  return legalise(constraints, k, Math.min(high, Math.max(low, value)), from);
}

/** A reference row as an edit of x: cells it may not take keep x's value. */
export function moveTo({ constraints, vary }: Run, x: Float64Array, reference: Float64Array): Float64Array {
  return x.map((from, k) => {
    const to = reference[k]!;
    return vary[k] && !constraints.same(k, from, to) && constraints.allows(k, from, to) ? to : from;
  });
}
