import { ColaError } from "../errors.ts";
import type { Random } from "../num/random.ts";
import { hybrids } from "../search/mixtures.ts";
import type { Matrix } from "../types.ts";
import type { Game } from "./games.ts";
import { hybridBlocks } from "./hybrids.ts";

/**
 * The game under rules over whole rows: an illegal hybrid is worth the mean of the largest legal hybrids
 * within it (as few edits as possible taken back, every way to do so counting alike). This is linear in f
 * and symmetric in the players, so efficiency, symmetry and linearity hold for it. x itself counts as legal.
 */

/** 1 (or true) for each table row that meets the rules between columns. */
export type Legal = (rows: Matrix) => ArrayLike<number | boolean>;

/** The rules behind a check that they answer for every row. */
export function checkedLegal(legal: Legal): Legal {
  return (rows) => {
    const said = legal(rows);
    if (said?.length === rows.rows) return said;
    throw new ColaError(
      "OPTION_INVALID",
      `pshap: legal got ${rows.rows} rows and answered for ${said?.length ?? "none"}; return one flag per row.`,
      { rows: rows.rows, flags: said?.length },
    );
  };
}

/** Which of the 2^k hybrids of a game are legal. */
export function legalSets(game: Game, groups: readonly (readonly number[])[], legal: Legal): Uint8Array {
  const flags = new Uint8Array(2 ** game.players.length);
  const columns = Array.from(game.players, (u) => groups[u]!);
  for (const { first, rows } of hybridBlocks(game.x, game.r, columns)) {
    const said = legal(rows);
    for (let t = 0; t < rows.rows; t++) flags[first + t] = said[t] ? 1 : 0;
  }
  flags[0] = 1;
  return flags;
}

/**
 * Replaces v of the illegal sets by that of the restricted game. The largest legal subsets of T lie in the
 * T∖u whose own are largest, each reached in equally many ways, so sums and counts over these give the mean.
 */
export function settleIllegal(cube: Float64Array, flags: Uint8Array): void {
  const largest = new Uint8Array(cube.length);
  const sums = cube.slice();
  const counts = new Float64Array(cube.length).fill(1);
  for (let set = 1; set < cube.length; set++) {
    let [most, sum, count] = [0, 0, 0];
    let size = 0;
    for (let rest = set; rest !== 0; rest &= rest - 1) {
      size++;
      if (flags[set]) continue;
      const smaller = set ^ (rest & -rest);
      if (count === 0 || largest[smaller]! > most) [most, sum, count] = [largest[smaller]!, 0, 0];
      if (largest[smaller]! < most) continue;
      sum += sums[smaller]!;
      count += counts[smaller]!;
    }
    largest[set] = flags[set] ? size : most;
    if (flags[set]) continue;
    [sums[set], counts[set]] = [sum, count];
    cube[set] = sum / count;
  }
}

/**
 * The hybrids an illegal one stands for, without looking at all 2^k: those with one edit fewer that are
 * legal; where there is none, a random edit is taken back and the rest tried again. A legal hybrid stands
 * for itself. Sets flag the edited players.
 */
export function nearestLegal(
  game: Game,
  edited: Uint8Array,
  groups: readonly (readonly number[])[],
  legal: Legal,
  random: Random,
): readonly Uint8Array[] {
  if (legal(tableRows(game, [edited], groups))[0]) return [edited];
  for (let set = edited; ; ) {
    const smaller = editedIn(set).map((u) => set.with(u, 0));
    if (smaller.length < 2) return [new Uint8Array(set.length)];
    const said = legal(tableRows(game, smaller, groups));
    const found = smaller.filter((_, t) => said[t]);
    if (found.length > 0) return found;
    set = smaller[random.int(smaller.length)]!;
  }
}

function tableRows(game: Game, sets: readonly Uint8Array[], groups: readonly (readonly number[])[]): Matrix {
  const of = sets.map((set) => ({ pair: game, members: editedIn(set) }));
  return hybrids(groups, game.x.length, of);
}

function editedIn(set: Uint8Array): number[] {
  return [...set.keys()].filter((u) => set[u]);
}
