import { startWork } from "../budget.ts";
import { ColaError } from "../errors.ts";
import type { Coupling, WorkOptions } from "../types.ts";

/** p_ij = 1/(nm): the paper's p_Uni, every row with every reference. */
export function uniform(n: number, m: number, options: Pick<WorkOptions, "limits"> = {}): Coupling {
  checkSizes("uniform", n, m);
  return evenly(n, m, options);
}

/** `uniform` of sizes that are known to be such. */
export function evenly(n: number, m: number, options: Pick<WorkOptions, "limits">): Coupling {
  startWork("uniform", options).reserve(n * m * 24, `${n} × ${m} entries`);
  const total = n * m;
  const rows = new Int32Array(total);
  const cols = new Int32Array(total);
  for (let e = 0; e < total; e++) {
    rows[e] = Math.floor(e / m);
    cols[e] = e % m;
  }
  return {
    name: "uniform",
    n,
    m,
    rows,
    cols,
    mass: new Float64Array(total).fill(1 / total),
    units: new Float64Array(total).fill(1),
    total,
    cost: Number.NaN,
    gap: 0,
    converged: true,
    iterations: 0,
  };
}

/** Throws unless n and m are whole numbers above 0. */
export function checkSizes(owner: string, n: number, m: number): void {
  for (const [name, size] of Object.entries({ n, m })) {
    if (Number.isInteger(size) && size > 0) continue;
    throw new ColaError(
      size === 0 ? "INPUT_EMPTY" : "OPTION_INVALID",
      `${owner}: ${name} must be a whole number above 0, not ${size}.`,
      { name, value: String(size) },
    );
  }
}
