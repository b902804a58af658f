import { best, frontier, type Match } from "../../../src/match/index.ts";
import { toRows } from "../../../src/num/matrix.ts";
import { insideOf } from "../../../src/search/inside.ts";
import type { Matrix, PredictFunction } from "../../../src/types.ts";

type Best = typeof best;

/** Names four references and looks at the first. */
export const nearestOnly: Best = async (model, x, r, options) => {
  const named = await best(model, x, r, options);
  const first = await best(model, x, r, { ...options, candidates: 1 });
  return first.map((match, i) => ({ ...match, candidates: named[i]!.candidates }));
};

/** Adds an edit nobody needs. */
export const oneTooMany: Best = async (model, x, r, options) => {
  const matches = await best(model, x, r, options);
  return matches.map((match): Match => ({ ...match, players: [...match.players, match.players.length] }));
};

/** Asks more of everybody when there are more rows. */
export const watchesTheBatch: Best = (model, x, r, options) =>
  best(model, x, r, { ...options, minMargin: 0.03 * (x.rows - 1) });

/** Looks for every row among the references of the first that equals it. */
export const sharesReferences: Best = (model, x, r, options) => {
  const rows = toRows(x).map(String);
  const among = rows.map((row) => options.among![rows.indexOf(row)]!);
  return best(model, x, r, { ...options, among });
};

/** Takes the references in the order they lie in the table. */
export const byPosition: Best = (model, x, r, options) =>
  best(model, x, r, {
    ...options,
    cost: { n: x.rows, m: r.rows, row: (_, out) => out.set(out.map((__, j) => j)), dense: () => r },
  });

/** Looks at the prefixes of one order of the players instead of all sets. */
export const frontierOfPrefixes: typeof frontier = async (model, x, r, options) => {
  const whole = await frontier(model, x, r, options);
  return whole.map((pair) => ({
    ...pair,
    players: pair.players.map((_, c) => pair.players.at(-1)!.slice(0, c)),
    slack: pair.slack.map((s, c) => (c === 1 ? s - 0.1 : s)),
  }));
};

/** A model that counts the rows it is asked. */
export function counting(predict: (rows: Matrix) => Float64Array): {
  model: PredictFunction;
  seen: () => number;
} {
  let rows = 0;
  return {
    model: (batch) => {
      rows += batch.rows;
      return predict(batch);
    },
    seen: () => rows,
  };
}

/** Reads masks from the other end. */
export const mirrored: typeof insideOf = (model, reach) => {
  const inside = insideOf(model, reach);
  return inside && { ...inside, cube: (pair) => inside.cube(pair).reverse() };
};

/** Takes the least for the most. */
export const narrow: typeof insideOf = (model, reach) => {
  const inside = insideOf(model, reach);
  return inside && { ...inside, optimistic: (low, high) => inside.optimistic(high, low) };
};
