import { matrix } from "../num/matrix.ts";
import type { Attribution } from "../types.ts";
import type { RowGroup, Task } from "./plan.ts";
import type { Space } from "./space.ts";

/** Σ_j p(j|i) of what the games of row i gave, row by row. */
export class Sums {
  private readonly values: Float64Array;
  private readonly errors: Float64Array;
  private readonly base: Float64Array;
  private residual = 0;
  private exact = true;

  constructor(private readonly task: Task) {
    const n = task.x.encoded.rows;
    this.values = new Float64Array(n * task.players.length);
    this.errors = new Float64Array(n * task.players.length);
    this.base = new Float64Array(n);
  }

  /** Takes the solved games of a group in, references in the order of the coupling; returns its rows. */
  add(group: RowGroup): number {
    for (const i of group.rows) this.addRow(i, group);
    return group.rows.length;
  }

  private addRow(i: number, { games, start }: RowGroup): void {
    const { values, errors, base } = this;
    const { weights, first, players } = this.task;
    const at = i * players.length;
    if (weights.start[i] === weights.start[i + 1]) base[i] = start;
    for (let e = weights.start[i]!; e < weights.start[i + 1]!; e++) {
      const game = games.get(first[weights.cols[e]!]!)!;
      const p = weights.weight[e]!;
      base[i]! += p * game.end;
      for (let t = 0; t < game.phi.length; t++) values[at + game.players[t]!]! += p * game.phi[t]!;
      if (!game.sigma) continue;
      this.exact = false;
      for (let t = 0; t < game.phi.length; t++) errors[at + game.players[t]!]! += p * game.sigma[t]!;
    }
    let sum = 0;
    for (let u = 0; u < players.length; u++) sum += values[at + u]!;
    this.residual = Math.max(this.residual, Math.abs(start - base[i]! - sum));
  }

  attribution(spaces: readonly Space[], evaluations: number): Attribution {
    const { values, errors, base, residual, exact } = this;
    const players = this.task.players.length;
    const mixed = spaces.some((space) => space !== spaces[0]);
    return {
      values: matrix(base.length, players, values),
      base,
      residual,
      exact,
      space: spaces.includes("margin") ? "margin" : "score",
      evaluations,
      ...(mixed ? { spaces } : {}),
      ...(exact ? {} : { stderr: matrix(base.length, players, errors) }),
    };
  }
}
