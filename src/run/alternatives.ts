import type { Match } from "../match/best.ts";
import { takeRows } from "../num/matrix.ts";
import type { Run } from "./open.ts";
import { matchRows, type Proposal } from "./propose.ts";

/** Another plan of a row: edited players and the reference they are taken from. */
export type Alternative = Pick<Match, "players" | "reference" | "slack">;

/**
 * Up to k other plans per row: for each edit of the plan, the fewest edits that do without it. Plans are
 * different sets of features, fewest edits first, then the larger slack.
 */
export async function alternatives(run: Run, { matches }: Proposal, count: number): Promise<Alternative[][]> {
  const found = Array.from({ length: run.x.rows }, (): Alternative[] => []);
  if (!matches || count === 0) return found;
  const most = Math.max(0, ...matches.map((match) => match.players.length));
  for (let t = 0; t < most; t++) {
    const rows = matches.flatMap((match, i) =>
      match.status === "ok" && match.players.length > t ? [i] : [],
    );
    const allowed = new Uint8Array(rows.length * run.players.length).fill(1);
    rows.forEach((i, at) => {
      allowed[at * run.players.length + matches[i]!.players[t]!] = 0;
    });
    const among = rows.map((i) => matches[i]!.candidates);
    const others = await matchRows(run, takeRows(run.x, rows), among, { allowed });
    others.forEach((other, at) => {
      if (other.status === "ok" && other.players.length > 0) found[rows[at]!]!.push(other);
    });
  }
  return found.map((plans) => distinct(plans).slice(0, count));
}

function distinct(plans: readonly Alternative[]): Alternative[] {
  const seen = new Set<string>();
  return [...plans]
    .sort((a, b) => a.players.length - b.players.length || b.slack - a.slack)
    .filter((plan) => {
      const key = plan.players.join();
      return !seen.has(key) && seen.add(key);
    });
}
