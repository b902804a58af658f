import { type Access, enumerate } from "./enumerate.ts";
import { type Game, hybridOf } from "./games.ts";
import { hybridBatch } from "./hybrids.ts";
import type { Pace } from "./pace.ts";
import type { RowGroup } from "./plan.ts";
import { sampled } from "./sampled.ts";
import { type Means, methodOf, type Space } from "./space.ts";
import { closedForm, fromCube } from "./structured.ts";

/** Everything the games of one space need. */
export interface Solver {
  readonly space: Space;
  readonly means: Means;
  readonly access: Access;
  /** f(r_j), asked once; NaN until then. */
  readonly ends: Float64Array;
  readonly pace: Pace;
}

/** Solves all games of these groups: v(∅), v(all) and φ, by the cheapest exact method or by sampling. */
export async function solve(groups: readonly RowGroup[], solver: Solver): Promise<void> {
  await settleEnds(groups, solver);
  const { means, space, access, pace } = solver;
  const later: Record<"enumerate" | "sample", Game[]> = { enumerate: [], sample: [] };
  for (const { games } of groups) {
    for (const game of games.values()) {
      const method = methodOf(means, space, game.players.length);
      if (game.players.length === 0) continue;
      if (method === "closed") closedForm(game, means.insight!);
      else if (method === "cube") {
        fromCube(game, means.insight!, space === "score", access.groups, access.legal);
      } else later[method].push(game);
      if (pace.due()) await pace.pause();
    }
  }
  await enumerate(later.enumerate, access);
  await sampled(later.sample, access, means.settings, pace);
}

/** f(x_i), and f(r_j) or that of r_j with x_i's values where it may not move. */
async function settleEnds(groups: readonly RowGroup[], { access, ends }: Solver): Promise<void> {
  const batch = hybridBatch(access.ask, groups[0]!.row.length, access.capacity, true);
  const starts = new Float64Array(groups.length);
  const mixed: Game[] = [];
  for (const [g, { row, games }] of groups.entries()) {
    await batch.add(row, 0, 1, starts, g);
    for (const game of games.values()) {
      if (!game.whole) mixed.push(game);
      else if (Number.isNaN(ends[game.reference])) {
        ends[game.reference] = 0;
        await batch.add(game.to, 0, 1, ends, game.reference);
      }
    }
  }
  const mixedEnds = new Float64Array(mixed.length);
  for (const [t, game] of mixed.entries()) {
    const all = new Uint8Array(game.players.length).fill(1);
    await batch.add(hybridOf(game, all), 0, 1, mixedEnds, t);
  }
  await batch.flush();
  for (const [t, game] of mixed.entries()) game.end = mixedEnds[t]!;
  for (const [g, group] of groups.entries()) {
    group.start = starts[g]!;
    for (const game of group.games.values()) {
      game.start = starts[g]!;
      if (game.whole) game.end = ends[game.reference]!;
    }
  }
}
