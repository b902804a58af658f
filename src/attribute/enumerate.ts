import type { Game } from "./games.ts";
import {
  BLOCK_ROWS,
  type HybridBatch,
  hybridBatch,
  hybridBlocks,
  mayRepeat,
  type ScoreRows,
} from "./hybrids.ts";
import { type Legal, legalSets, settleIllegal } from "./legal.ts";
import { shapleyInto } from "./shapley.ts";

/** How games reach the model. */
export interface Access {
  readonly ask: ScoreRows;
  /** Encoded rows sent at once. */
  readonly capacity: number;
  /** Table columns of each player. */
  readonly groups: readonly (readonly number[])[];
  readonly legal: Legal | undefined;
}

/** Bytes of cubes held until their batch is full. */
const OPEN_BYTES = 2 ** 21;

/**
 * φ by full enumeration: the hybrids of each game between x and r, 2^k − 2 of them or the legal ones, are
 * scored in batches that run over the borders of games.
 */
export async function enumerate(games: readonly Game[], access: Access): Promise<void> {
  if (games.length === 0) return;
  const batch = hybridBatch(access.ask, games[0]!.from.length, access.capacity, mayRepeat(games));
  const space = new Float64Array(BLOCK_ROWS * games[0]!.from.length);
  let open: Enumeration[] = [];
  let bytes = 0;
  const close = async (): Promise<void> => {
    await batch.flush();
    for (const enumeration of open) finish(enumeration);
    open = [];
    bytes = 0;
  };
  for (const game of games) {
    const enumeration = await begin(game, access, batch, space);
    open.push(enumeration);
    bytes += enumeration.cube.byteLength;
    if (bytes > OPEN_BYTES) await close();
  }
  await close();
}

interface Enumeration {
  readonly game: Game;
  readonly cube: Float64Array;
  readonly flags: Uint8Array | undefined;
}

/** Sends the hybrids of one game on their way. */
async function begin(
  game: Game,
  access: Access,
  batch: HybridBatch,
  space: Float64Array,
): Promise<Enumeration> {
  const cube = new Float64Array(2 ** game.players.length);
  const last = cube.length - 1;
  const flags = access.legal && legalSets(game, access.groups, access.legal);
  cube[0] = game.start;
  cube[last] = game.end;
  if (last < 2) return { game, cube, flags };
  for (const { first, rows } of hybridBlocks(game.from, game.to, game.columns, space)) {
    const end = Math.min(first + rows.rows, last);
    for (let from = Math.max(first, 1); from < end; ) {
      const to = flags ? endOfRun(flags, from, end) : end;
      if (to > from) await batch.add(rows.data, from - first, to - from, cube, from);
      from = flags ? to + 1 : to;
    }
  }
  return { game, cube, flags };
}

/** The first illegal set from `from` on, or `end`. */
function endOfRun(flags: Uint8Array, from: number, end: number): number {
  let to = from;
  while (to < end && flags[to]) to++;
  return to;
}

function finish({ game, cube, flags }: Enumeration): void {
  if (flags) settleIllegal(cube, flags);
  game.end = cube[cube.length - 1]!;
  shapleyInto(cube, game.players.length, game.phi);
}
