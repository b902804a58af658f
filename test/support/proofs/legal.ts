import type { Cell, Feature, Goal, Target } from "../../../src/types.ts";
import { type Column, isLevelled, type Rule } from "./columns.ts";

/** What an edit may do, said again from the words of the schema and nothing else. */

export function levelsOf(feature: Feature): readonly string[] {
  return feature.categories ?? ["false", "true"];
}

/** The number behind a cell of a result. */
export function codeOf(feature: Feature, cell: Cell): number {
  if (cell === null) return Number.NaN;
  if (!isLevelled(feature)) return cell as number;
  return levelsOf(feature).indexOf(String(cell));
}

export function isSame({ tolerance = 0 }: Feature, a: number, b: number): boolean {
  return Object.is(a, b) || a === b || Math.abs(a - b) <= tolerance;
}

/** May a cell go from one value to another? */
export function mayBecome(feature: Feature, from: number, to: number): boolean {
  if (from === to || (Number.isNaN(from) && Number.isNaN(to))) return true;
  if (feature.immutable || feature.derived !== undefined) return false;
  if ((Number.isNaN(from) || Number.isNaN(to)) && !feature.editMissing) return false;
  if (Number.isNaN(to)) return true;
  if (feature.direction === "up" && from > to) return false;
  if (feature.direction === "down" && from < to) return false;
  return isValue(feature, to) && isTransition(feature, from, to);
}

/** Is this a value of the feature, wherever it comes from? */
export function isValue(feature: Feature, value: number): boolean {
  const { allowed, min, max, kind } = feature;
  if (isLevelled(feature)) {
    const level = levelsOf(feature)[value];
    return level !== undefined && (!allowed || allowed.map(String).includes(level));
  }
  if (allowed && !allowed.includes(value)) return false;
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) return false;
  const step = feature.step ?? (kind === "integer" ? 1 : 0);
  if (step === 0) return true;
  const steps = (value - (feature.step === undefined ? 0 : (min ?? 0))) / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-9 * Math.max(1, Math.abs(steps));
}

function isTransition({ transitions, ...feature }: Feature, from: number, to: number): boolean {
  if (!transitions || Number.isNaN(from)) return true;
  const levels = levelsOf(feature);
  return (transitions[levels[from]!] ?? []).includes(levels[to]!);
}

/** The row with its derived columns as their formulas say. */
export function completed(columns: readonly Column[], row: Float64Array): Float64Array {
  const out = row.slice();
  columns.forEach(({ derive }, k) => {
    if (derive) out[k] = derive(out);
  });
  return out;
}

/** Everything that is wrong with z as an edit of x; x itself is always legal. */
export function wrongs(
  columns: readonly Column[],
  rules: readonly Rule[],
  x: Float64Array,
  z: Float64Array,
): string[] {
  const found: string[] = [];
  let changed = false;
  columns.forEach(({ feature, derive }, k) => {
    if (derive || Object.is(x[k], z[k])) return;
    changed = true;
    if (!mayBecome(feature, x[k]!, z[k]!)) found.push(`${feature.name} may not go from ${x[k]} to ${z[k]}`);
  });
  if (changed) for (const rule of rules) if (!rule.holds(z)) found.push(`the rule ${rule.text} is broken`);
  return found;
}

/** Are the scores of all outputs at the target, at least `minMargin` past its edge? NaN is past none. */
export function reaches(
  target: Target,
  outputs: readonly string[],
  scores: readonly number[],
  minMargin: number,
): boolean {
  const past = pastEdges(target, outputs, scores);
  return past.every(({ by, strict }) => (strict ? by > 0 : by >= 0) && by >= minMargin);
}

/** The score an answer shows: of its output, or the margin to the goal where several classes are wanted. */
export function shownScore(
  goal: Goal,
  outputs: readonly string[],
  output: string,
  scores: readonly number[],
): number {
  const at = outputs.indexOf(output);
  if (at >= 0 || goal.kind === "group") return scores[at]!;
  return pastEdges(goal.target, outputs, scores)[0]!.by;
}

interface Past {
  readonly by: number;
  readonly strict: boolean;
}

function pastEdges(target: Target, outputs: readonly string[], scores: readonly number[]): Past[] {
  if (!("class" in target)) {
    const output = target.output ?? (outputs.length === 2 ? 1 : 0);
    const score = scores[typeof output === "number" ? output : outputs.indexOf(output)]!;
    const { above, below, min, max } = target;
    const past: (Past | undefined)[] = [
      above === undefined ? undefined : { by: score - above, strict: true },
      min === undefined ? undefined : { by: score - min, strict: false },
      below === undefined ? undefined : { by: below - score, strict: true },
      max === undefined ? undefined : { by: max - score, strict: false },
    ];
    const given = past.filter((one) => one !== undefined);
    return given.length > 0 ? given : [{ by: score - 0.5, strict: true }];
  }
  const { threshold = 0.5, not = false } = target;
  const named = (Array.isArray(target.class) ? target.class : [target.class]) as (string | number)[];
  if (outputs.length === 1) {
    const up = (String(named[0]) !== "0") !== not;
    return [{ by: up ? scores[0]! - threshold : threshold - scores[0]!, strict: true }];
  }
  const wanted = outputs.map((name, o) => (named.includes(name) || named.includes(o)) !== not);
  if (outputs.length === 2) return [{ by: scores[wanted.indexOf(true)]! - threshold, strict: true }];
  const best = (side: boolean): number => Math.max(...scores.filter((_, o) => wanted[o] === side));
  return [{ by: best(true) - best(false), strict: true }];
}
