import { costOf } from "../../../src/couple/cost.ts";
import { fromDense, toDense } from "../../../src/couple/dense.ts";
import { type TransportOptions, transport } from "../../../src/couple/transport.ts";
import { uniform } from "../../../src/couple/uniform.ts";
import { matrix } from "../../../src/num/matrix.ts";
import type { Cost, Coupling, Matrix } from "../../../src/types.ts";

export type TransportSolver = (cost: Cost | Matrix, options?: TransportOptions) => Promise<Coupling>;
export type TransportLaw =
  | "marginals"
  | "permutation"
  | "duality"
  | "optimal"
  | "equivariant"
  | "sparse"
  | "scaled";

/** The true result with some fields spoiled. */
function spoiled(change: (p: Coupling) => Partial<Coupling>): TransportSolver {
  return async (cost, options) => {
    const p = await transport(cost, options);
    return { ...p, ...change(p) };
  };
}

/** The true solver on costs changed cell by cell. */
function costing(change: (c: number, i: number, j: number) => number): TransportSolver {
  return (cost, options) => {
    const { rows, cols, data } = costOf(cost).dense();
    return transport(
      matrix(
        rows,
        cols,
        data.map((c, at) => change(c, Math.floor(at / cols), at % cols)),
      ),
      options,
    );
  };
}

/** Each row in turn takes the cheapest column that is left, whatever the later rows would pay. */
const greedy: TransportSolver = async (cost) => {
  const { data, rows, cols } = costOf(cost).dense();
  const taken = new Set<number>();
  const mass = new Float64Array(data.length);
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let best = -1;
    for (let j = 0; j < cols; j++) {
      if (!taken.has(j) && (best < 0 || data[i * cols + j]! < data[i * cols + best]!)) best = j;
    }
    taken.add(best);
    mass[i * cols + best] = 1 / rows;
    sum += data[i * cols + best]! / rows;
  }
  return { ...fromDense(matrix(rows, cols, mass)), cost: sum };
};

/** Equal shares of a plan and of the plan of the rows in reverse: right marginals, no permutation, too many cells. */
const blended: TransportSolver = async (cost, options) => {
  const p = await transport(cost, options);
  const even = uniform(p.n, p.m);
  const mixed = toDense(p).data.map((v) => 0.5 * v + 0.5 * even.mass[0]!);
  return { ...p, ...fromDense(matrix(p.n, p.m, mixed)) };
};

/** Small wrong twins of transport, each with the law that must refuse it. */
export const transportMutants: Readonly<Record<string, { law: TransportLaw; solve: TransportSolver }>> = {
  "weights ignored": { law: "marginals", solve: (cost) => transport(cost) },
  "only the row weights": {
    law: "marginals",
    solve: (cost, { b: _, ...options } = {}) => transport(cost, options),
  },
  "one unit lost": {
    law: "marginals",
    solve: spoiled(({ units }) =>
      units === undefined ? {} : { units: units.map((f, e) => (e === 0 ? f + 1 : f)) },
    ),
  },
  "masses in single precision": {
    law: "marginals",
    solve: spoiled(({ mass }) => ({ mass: Float64Array.from(Float32Array.from(mass)) })),
  },
  "rows blended with the independent plan": { law: "permutation", solve: blended },
  "the blend, counted": { law: "sparse", solve: blended },
  "row duals a little too high": {
    law: "duality",
    solve: spoiled(({ dual, cost }) => ({
      dual: { u: dual!.u.map((u) => u + 1e-7 * (1 + Math.abs(cost))), v: dual!.v },
    })),
  },
  "no duals but no gap either": {
    law: "duality",
    solve: spoiled(({ dual }) => ({ dual: { u: dual!.u.map(() => 0), v: dual!.v.map(() => 0) } })),
  },
  "a gap made up": {
    law: "duality",
    solve: spoiled(({ gap, cost }) => ({ gap: gap + 1e-6 * (1 + Math.abs(cost)) })),
  },
  "greedy rows": { law: "optimal", solve: greedy },
  "the root of the cost": { law: "optimal", solve: costing((c) => Math.sqrt(c)) },
  "the dearest plan": { law: "optimal", solve: costing((c) => -c) },
  "ties broken by position": {
    law: "equivariant",
    solve: costing((c, i, j) => c + 1e-9 * i * j),
  },
  "an absolute tolerance": { law: "scaled", solve: costing((c) => Math.round(c * 1e6) / 1e6) },
};
