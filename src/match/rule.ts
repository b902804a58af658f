import { checkCount, checkName, checkOption, checkWhole } from "../errors.ts";
import type { Prefer, Rule } from "./option.ts";

/** Options of a search for plans. */
export interface RuleOptions {
  /** How far past the target's edge a plan must lead. Default 0. */
  readonly minMargin?: number;
  /** Which of several plans of equal cost is taken. Default `margin`. */
  readonly prefer?: Prefer;
  /** What is least: the number of edits (default) or the sum of their `costs`. */
  readonly objective?: "edits" | "cost";
  /** Cost of editing each player, for the objective `cost`. Default 1 each. */
  readonly costs?: ArrayLike<number>;
  /** Largest distance of a plan from x. Default: none. */
  readonly maxDistance?: number;
  /** d²(a, b) of two table rows, a sum over their columns. Default: squared Euclid, a gap counting 1. */
  readonly distance?: Rule["distance"];
  /** 1 for each completed row that meets the rules between columns. Default: all do. */
  readonly legal?: Rule["legal"];
  /** Larger is more plausible; needed by `prefer: "plausible"`. */
  readonly plausibility?: Rule["plausibility"];
  /** Mixtures scored for one row before its search settles for a bound. Default 32768. */
  readonly effort?: number;
}

const PREFER: readonly Prefer[] = ["margin", "near", "plausible"];
const EFFORT = 2 ** 15;

/** Resolves and checks the options of a search over `players` players. */
export function ruleOf(owner: string, options: RuleOptions, players: number): Rule {
  const {
    prefer = "margin",
    minMargin = 0,
    maxDistance = Number.POSITIVE_INFINITY,
    effort = EFFORT,
  } = options;
  const { legal, plausibility } = options;
  checkName(owner, "preference", prefer, PREFER);
  const ranked = prefer !== "plausible" || plausibility !== undefined;
  checkOption(ranked, owner, "plausibility", "a function of rows where prefer is plausible", plausibility);
  checkNumber(owner, "minMargin", minMargin);
  checkOption(maxDistance >= 0, owner, "maxDistance", "a number ≥ 0", maxDistance);
  checkWhole(owner, "effort", effort, 1);
  const costs = costsOf(owner, options, players);
  return {
    prefer,
    minMargin,
    maxDistance: maxDistance ** 2,
    effort,
    costs,
    uniform: costs.every((cost) => cost === costs[0]),
    distance: options.distance ?? squaredEuclid,
    ...(legal ? { legal } : {}),
    ...(plausibility ? { plausibility } : {}),
  };
}

function costsOf(owner: string, { objective = "edits", costs }: RuleOptions, players: number): Float64Array {
  checkName(owner, "objective", objective, ["edits", "cost"]);
  if (objective === "edits" || !costs) return new Float64Array(players).fill(1);
  checkOption(costs.length === players, owner, "costs", `${players} numbers, one per player`, costs);
  Array.from(costs, (cost, p) => checkNumber(owner, `costs[${p}]`, cost));
  return Float64Array.from(costs);
}

function checkNumber(owner: string, option: string, value: number): void {
  checkOption(value >= 0 && Number.isFinite(value), owner, option, "a finite number ≥ 0", value);
}

/** Σ_c (a_c − b_c)², a missing value being 1 from any other. */
export function squaredEuclid(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < a.length; c++) {
    const gap = a[c]! - b[c]!;
    if (Number.isNaN(gap)) sum += Number.isNaN(a[c]) === Number.isNaN(b[c]) ? 0 : 1;
    else sum += gap * gap;
  }
  return sum;
}

/** The flags of row i; undefined when all may move. */
export function allowedOf(
  owner: string,
  allowed: ArrayLike<number> | undefined,
  rows: number,
  players: number,
): (i: number) => ArrayLike<number> | undefined {
  if (!allowed) return () => undefined;
  checkCount(owner, "allowed", allowed.length, rows * players, "rows × players");
  const flags = Uint8Array.from(allowed);
  return (i) => flags.subarray(i * players, (i + 1) * players);
}
