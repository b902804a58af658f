import { startWork } from "../../src/budget.ts";
import { encodeCell } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { scorer } from "../../src/model/scorer.ts";
import { slackOf } from "../../src/model/slack.ts";
import { reachOf } from "../../src/model/target.ts";
import { copyOf, matrix } from "../../src/num/matrix.ts";
import { refine } from "../../src/refine/refine.ts";
import type { Matrix, WorkOptions } from "../../src/types.ts";
import type { Spent } from "./protocol.ts";
import { type Finished, shownTarget } from "./run.ts";

/**
 * The order in which a method spends its edits. `minimal` serves whole rows, those that need fewest edits first;
 * the other policies are asked again over the same q and φ with the whole budget, and say their order.
 */
export async function orderOf(run: Finished, work: WorkOptions): Promise<Spent[]> {
  const { explanation } = run;
  if (explanation.method.policy === "minimal" && explanation.goal.kind === "each") return bySize(explanation);
  const { model, data } = run.study;
  const players = data.schema.features.flatMap((feature, k) => (feature.derived ? [] : [k]));
  const refined = await refine({
    ...work,
    model: model.model,
    x: run.x,
    q: proposed(run),
    goal: explanation.goal,
    policy: explanation.method.policy,
    attribution: attributionsOf(explanation, players),
    groups: players.map((k) => [k]),
    seed: explanation.seed,
    ids: explanation.rows.map((row) => (typeof row.id === "number" ? row.id : String(row.id ?? row.row))),
  });
  return Array.from(refined.order, (cell) => ({
    row: Math.floor(cell / players.length),
    feature: players[cell % players.length]!,
  }));
}

function bySize({ rows, schema }: Explanation): Spent[] {
  const position = new Map(schema.features.map((f, k) => [f.name, k]));
  return rows
    .map((row, i) => ({ i, edits: row.edits }))
    .sort((a, b) => a.edits.length - b.edits.length)
    .flatMap(({ i, edits }) => edits.map((edit) => ({ row: i, feature: position.get(edit.feature)! })));
}

/** q: x with every proposed edit, as codes. With `minimal` the plan's own values count. */
function proposed({ explanation, x }: Finished): Matrix {
  const { schema } = explanation;
  const q = copyOf(x);
  const position = new Map(schema.features.map((f, k) => [f.name, k]));
  explanation.rows.forEach((row, i) => {
    for (const edit of [...row.proposal, ...row.edits]) {
      const k = position.get(edit.feature)!;
      q.data[i * q.cols + k] = encodeCell(schema.features[k]!, edit.to, row.row);
    }
  });
  return q;
}

function attributionsOf({ rows }: Explanation, players: readonly number[]): Matrix {
  const phi = matrix(rows.length, players.length);
  rows.forEach((row, i) => {
    players.forEach((k, p) => {
      phi.data[i * players.length + p] = row.attributions[k] ?? 0;
    });
  });
  return phi;
}

/** f(z) with the first C edits of the order, as the model answers, and which rows are at the target. */
export async function scoresAt(
  run: Finished,
  order: readonly Spent[],
  edits: number,
  work: WorkOptions,
): Promise<{ scores: Float64Array; reached: Uint8Array }> {
  const q = proposed(run);
  const mixed = copyOf(run.x);
  for (const { row, feature } of order.slice(0, edits)) {
    mixed.data[row * mixed.cols + feature] = q.data[row * q.cols + feature]!;
  }
  const { model, target, data } = run.study;
  const z = data.constraints.complete(mixed);
  const reach = reachOf(model.model, target);
  const ask = scorer(model.model, startWork("score", work));
  const { shown, slack } = await slackOf(ask, z, reach, true);
  const own = shownTarget(run);
  const scores = own === target ? shown : (await slackOf(ask, z, reachOf(model.model, own), true)).shown;
  return { scores, reached: Uint8Array.from(slack, (one) => Number(reach.reached(one))) };
}
