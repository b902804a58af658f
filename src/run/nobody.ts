import type { Findings } from "./assemble.ts";
import type { Run } from "./open.ts";

/** What is found when no row of the call can be explained. */
export function nobody({ x, players, policy }: Run): Findings {
  const none = new Float64Array(0);
  return {
    proposal: { q: x, source: new Int32Array(0) },
    attributed: {
      attribution: {
        values: { data: none, rows: 0, cols: players.length },
        base: none,
        residual: 0,
        exact: true,
        space: "score",
        evaluations: 0,
      },
      failures: new Map(),
    },
    refined: {
      policy,
      z: x,
      plan: new Uint8Array(0),
      rows: [],
      curve: [],
      order: new Int32Array(0),
      reached: { C: 0, D: 0, effect: null, goal: true },
      evaluations: 0,
    },
    others: [],
    relaxed: new Map(),
    wanted: {},
  };
}
