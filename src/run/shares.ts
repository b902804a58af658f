import { pshapKernel } from "../attribute/pshap.ts";
import { onePartner } from "../couple/rows.ts";
import { takeRows } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import type { Matrix } from "../types.ts";
import { completing, recoverable } from "./attribute.ts";
import type { Run } from "./contract.ts";
import { stageOptions } from "./run.ts";

/** Edits up to which a plan's shares are enumerated. */
const MOST = 10;

/**
 * What each edit carries of f(x) − f(z): p-SHAP of x against its own plan, in the score that is shown. Features that are
 * not edited do not differ and have none. One edit carries everything; of more, all subsets are scored. Rows whose
 * plan has too many edits, or that the model or a limit fails on, are left out.
 */
export async function planShares(run: Run, { z, rows }: Refined): Promise<Map<number, readonly number[]>> {
  const shares = new Map<number, readonly number[]>();
  const several: number[] = [];
  /** Shares by feature, in schema order. */
  const set = (i: number, share: (p: number) => number): void => {
    const own = new Array<number>(run.x.cols).fill(0);
    for (const p of rows[i]!.edits) own[run.players[p]!] = share(p);
    shares.set(i, own);
  };
  rows.forEach(({ edits, before, after }, i) => {
    if (!Number.isFinite(before - after) || edits.length === 0 || edits.length > MOST) return;
    if (edits.length > 1) several.push(i);
    else set(i, () => before - after);
  });
  if (several.length === 0) return shares;
  const whole = await sharesAmong(run, z, several);
  for (const [at, i] of several.entries()) {
    const values = whole ?? (await sharesAmong(run, z, [i]));
    const start = whole ? at * whole.cols : 0;
    if (values) set(i, (p) => values.data[start + p]!);
  }
  return shares;
}

/** p-SHAP of some rows against their plans; undefined where the model or a limit fails on one of them. */
async function sharesAmong(run: Run, z: Matrix, rows: readonly number[]): Promise<Matrix | undefined> {
  const { groups, shown, seed } = run;
  const options = { ...stageOptions(run), seed, groups, space: "score", output: shown.output } as const;
  const pairs = onePartner("plan", rows.length, Int32Array.from(rows.keys()));
  try {
    return (await pshapKernel(completing(run), takeRows(run.x, rows), takeRows(z, rows), pairs, options))
      .values;
  } catch (error) {
    if (!recoverable(error)) throw error;
    return undefined;
  }
}
