import type { Random } from "../../../src/num/random.ts";
import type { Goal, Target } from "../../../src/types.ts";
import { type Column, chance, pick } from "./columns.ts";
import { completed, mayBecome } from "./legal.ts";
import { type Quick, scoresOf } from "./models.ts";
import type { Study } from "./study.ts";

type Scene = Pick<Study, "model" | "columns" | "rules" | "x" | "references">;

/** Edges are scores that mixtures have, or lie between such scores and those of x. */
export function drawGoal(random: Random, scene: Scene): Goal {
  const { model, columns, x, references } = scene;
  const farthest = chance(random, 0.35) ? farthestGoal(random, scene) : undefined;
  if (farthest) return farthest;
  const output = model.outputs.length === 2 ? 1 : 0;
  const [from, to] = [x[0]!, pick(random, references)];
  const mixtures = Array.from({ length: pick(random, [1, 12, 24]) }, () => {
    const taken = (v: number, k: number): boolean =>
      mayBecome(columns[k]!.feature, v, to[k]!) && chance(random, 0.6);
    return completed(
      columns,
      from.map((v, k) => (taken(v, k) ? to[k]! : v)),
    );
  });
  const [a = 0, ...ends] = scoresOf(model, [from, ...mixtures], output).map((v) =>
    Number.isFinite(v) ? v : 0.5,
  );
  // The farthest of several is reached by few of the other mixtures.
  const b = ends.reduce((far, end) => (Math.abs(end - a) > Math.abs(far - a) ? end : far), ends[0]!);
  if (chance(random, 0.12)) return drawGroup(random, b, x.length);
  const minMargin = chance(random, 0.2)
    ? pick(random, [0.1 * Math.abs(b - a), Math.abs(b - a) / 2, 0.05])
    : 0;
  const target = drawTarget(random, model, a, b);
  return { kind: "each", target, ...(minMargin > 0 ? { minMargin } : {}) };
}

function drawTarget(random: Random, model: Quick, a: number, b: number): Target {
  const { outputs } = model;
  if (outputs.length > 2 && chance(random, 0.8)) {
    const [one, other] = random.sample(outputs.length, 2);
    const named = chance(random, 0.25) ? [outputs[one!]!, outputs[other!]!] : outputs[one!]!;
    return { class: named, ...(chance(random, 0.3) ? { not: true } : {}) };
  }
  if (chance(random, 0.2)) {
    const threshold = chance(random, 0.5) ? { threshold: (a + b) / 2 } : {};
    if (outputs.length === 2) {
      return { class: pick(random, outputs), ...(chance(random, 0.3) ? { not: true } : {}), ...threshold };
    }
    if (outputs.length === 1) return { class: pick(random, [0, 1]), ...threshold };
  }
  const edge = pick(random, [b, b, b, (a + b) / 2, a + 0.8 * (b - a)]);
  const width = Math.abs(b - a) / 4;
  if (chance(random, 0.15)) return { min: edge - width, max: edge + width };
  if (chance(random, 0.1)) return { above: edge - width, below: edge + width + Math.abs(edge) / 8 + 1e-3 };
  if (chance(random, 0.06)) return pick(random, [{ min: 1 }, { max: 0 }]);
  if (b >= a) return pick(random, [{ min: edge }, { min: edge }, { min: edge }, { above: edge }]);
  return pick(random, [{ max: edge }, { max: edge }, { max: edge }, { below: edge }]);
}

function drawGroup(random: Random, y: number, n: number): Goal {
  return {
    kind: "group",
    divergence: pick(random, ["w1", "transport", "mean", "mean", "median"] as const),
    ...(chance(random, 0.3) ? { on: "label" as const, threshold: y } : {}),
    level: pick(random, [0.3, 0.7, 1]),
    desired: Array.from({ length: n }, () => y),
  };
}

/** Players up to which all mixtures are scored to find the farthest. */
const FEW = 7;

/** The edge is the score of the legal mixture of the first row that goes farthest, and nothing beyond is reached. */
function farthestGoal(random: Random, { model, columns, rules, x, references }: Scene): Goal | undefined {
  if (columns.length > FEW) return undefined;
  const mixtures = references.flatMap((to) => everyMixture(columns, x[0]!, to));
  const legal = mixtures.filter((row) => rules.every((rule) => rule.holds(row)));
  const output = model.outputs.length === 2 ? 1 : 0;
  const scores = scoresOf(model, [x[0]!, ...legal], output).filter(Number.isFinite);
  const [a, far] = [scores[0]!, chance(random, 0.5) ? Math.max(...scores) : Math.min(...scores)];
  if (!(Math.abs(far - a) > 0)) return undefined;
  return { kind: "each", target: far > a ? { min: far } : { max: far } };
}

function everyMixture(columns: readonly Column[], from: Float64Array, to: Float64Array): Float64Array[] {
  let rows = [from];
  columns.forEach(({ feature, derive }, k) => {
    if (derive || Object.is(from[k], to[k]) || !mayBecome(feature, from[k]!, to[k]!)) return;
    rows = rows.flatMap((row) => [row, row.map((v, c) => (c === k ? to[k]! : v))]);
  });
  return rows.slice(1).map((row) => completed(columns, row));
}
