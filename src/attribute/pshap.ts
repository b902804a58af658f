import { startWork } from "../budget.ts";
import { conditionals } from "../couple/rows.ts";
import { isColaError } from "../errors.ts";
import { abortedAfter } from "../match/fewest.ts";
import { asModel, openModelKernel, outputIndex } from "../model/contract.ts";
import { distinctRows } from "../num/distinct.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import type { Attribution, Coupling, Matrix, Model, ModelLike, WorkOptions } from "../types.ts";
import { askOf } from "./ask.ts";
import { attributeDense } from "./dense.ts";
import type { AttributedRows } from "./games.ts";
import { checkedLegal, type Legal } from "./legal.ts";
import { allowedFlags, checkCouplingFits, type PshapOptions, settingsOf } from "./options.ts";
import { paceOf } from "./pace.ts";
import { type AttributionProblem, chunksOf, spacesOf } from "./plan.ts";
import { solve } from "./solve.ts";
import { insightOf } from "./structured.ts";
import { sumsOf } from "./sums.ts";

/**
 * φ_i = Σ_j p(j|i) φ(x_i, r_j): p-SHAP, the Shapley values of v_i(S) = Σ_j p(j|i) f(x_i on S, r_j elsewhere)
 * (paper §4.2). Shapley values are linear in the game, so every pair of positive mass is a game of its own,
 * on the players that differ, and counts with exactly its weight.
 *
 * x: n × d and r: m × d table rows, coupling: n × m, values: n × players. One reference per row is B-SHAP, a
 * row's own counterfactuals with equal mass CF-SHAP, training rows with the uniform coupling RB-SHAP. A row
 * without mass has φ = 0 and base f(x_i).
 */
export async function pshap(
  model: ModelLike,
  x: Matrix,
  r: Matrix,
  coupling: Coupling,
  options: PshapOptions = {},
): Promise<Attribution> {
  checkMatrix("pshap", "x", x);
  checkMatrix("pshap", "r", r);
  checkSameCols("pshap", x, r);
  checkCouplingFits(coupling, x.rows, r.rows);
  const allowed = allowedFlags(options.allowed, x.rows, options.groups?.length ?? x.cols);
  const legal = options.legal && checkedLegal(options.legal);
  return pshapKernel(asModel(model), x, r, coupling, options, { allowed, legal });
}

/** Who may move, n × players flags, and which hybrids there may be. */
interface Restrictions {
  readonly allowed?: ArrayLike<number> | undefined;
  readonly legal?: Legal | undefined;
}

/** `pshap` of tables, a coupling and restrictions that are known to fit. */
export async function pshapKernel(
  model: Model,
  x: Matrix,
  r: Matrix,
  coupling: Coupling,
  options: Omit<PshapOptions, keyof Restrictions>,
  { allowed, legal }: Restrictions = {},
): Promise<Attribution> {
  const settings = settingsOf(options);
  const groups = options.groups ?? Array.from({ length: x.cols }, (_, k) => [k]);
  const { model: inner, players, encode } = openModelKernel(model, x.cols, groups);
  const output = outputIndex(inner, options.output);
  const side = (rows: Matrix): AttributedRows => ({
    rows,
    encoded: encode(rows),
    first: distinctRows(rows).first,
  });
  const pace = paceOf(startWork("attribute", options), x.rows);
  const task: AttributionProblem = {
    x: side(x),
    r: side(r),
    weights: conditionals(coupling),
    players,
    allowed,
    pace,
  };
  const means = { insight: insightOf(inner, output), restricted: legal !== undefined, settings };
  const capacity = capacityOf(settings.batchRows, task.x.encoded.cols, options);
  const spaces = await spacesOf(task, means);
  pace.work.reserve(24 * x.rows * players.length, `φ of ${x.rows} rows × ${players.length} players`);
  const sums = sumsOf(task);
  for (const space of new Set(spaces)) {
    const ask = askOf(inner, output, space, pace.work, settings.batchRows);
    const access = { ask, capacity, groups, legal };
    const ends = new Float64Array(r.rows).fill(Number.NaN);
    const solver = { space, means, access, ends, pace };
    try {
      const left = await attributeDense(task, spaces, solver, sums);
      for await (const chunk of chunksOf(task, left, space)) {
        await solve(chunk, solver);
        for (const group of chunk) pace.done += sums.add(group);
      }
    } catch (error) {
      throw isColaError(error) && error.code === "ABORTED" ? abortedAfter(error, pace.done, x.rows) : error;
    }
  }
  return sums.attribution(spaces, pace.work.modelRows);
}

/** Rows in the buffer of hybrids: a batch, as far as an eighth of the bytes allowed has room for it. */
function capacityOf(batchRows: number, cols: number, { limits }: WorkOptions): number {
  const room = (limits?.bytes ?? 2 ** 30) / 8 / (8 * cols);
  return Math.max(1, Math.min(batchRows, Math.floor(room)));
}
