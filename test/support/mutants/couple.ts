import type { Couple } from "../../../src/contracts/coupling.ts";
import { costOf } from "../../../src/couple/cost.ts";
import { fromDense, toDense } from "../../../src/couple/dense.ts";
import { exact } from "../../../src/couple/exact.ts";
import { nearest } from "../../../src/couple/nearest.ts";
import { random } from "../../../src/couple/random.ts";
import { couplings } from "../../../src/couple/registry.ts";
import { type SinkhornOptions, sinkhorn } from "../../../src/couple/sinkhorn.ts";
import { uniform } from "../../../src/couple/uniform.ts";
import { matrix } from "../../../src/num/matrix.ts";
import type { Cost, Coupling, Matrix } from "../../../src/types.ts";

type Solver = (cost: Cost | Matrix, options: SinkhornOptions) => Promise<Coupling>;

/** Plain scaling in the exponential domain, as many programs do it: it underflows and does not say so. */
const scaling: Solver = async (cost, { epsilon, a, b, maxIterations = 100 }) => {
  const { n, m, dense } = costOf(cost);
  const k = dense().data.map((c) => Math.exp(-c / epsilon));
  const left = new Float64Array(n).fill(1);
  const right = new Float64Array(m).fill(1);
  for (let it = 0; it < maxIterations; it++) {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += left[i]! * k[i * m + j]!;
      right[j] = (b?.[j] ?? 1 / m) / sum;
    }
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += right[j]! * k[i * m + j]!;
      left[i] = (a?.[i] ?? 1 / n) / sum;
    }
  }
  const mass = k.map((v, at) => left[Math.floor(at / m)]! * v * right[at % m]!);
  return { ...uniform(n, m), mass, converged: true };
};

/** Small wrong twins of sinkhorn, each with the law that must refuse it. */
export const sinkhornMutants: Readonly<
  Record<
    string,
    {
      readonly law: "limitLaw" | "marginalsLaw" | "stationaryLaw" | "invarianceLaw" | "honestLaw" | "gapLaw";
      readonly solve: Solver;
    }
  >
> = {
  "scaling that underflows in silence": { law: "marginalsLaw", solve: scaling },
  "weights ignored": {
    law: "marginalsLaw",
    solve: (cost, { a: _a, b: _b, ...options }) => sinkhorn(cost, options),
  },
  "twice the epsilon": {
    law: "stationaryLaw",
    solve: (cost, options) => sinkhorn(cost, { ...options, epsilon: 2 * options.epsilon }),
  },
  "epsilon as a share of the mean cost": {
    law: "stationaryLaw",
    solve: (cost, options) => {
      const cells = costOf(cost).dense().data;
      return sinkhorn(cost, {
        ...options,
        epsilon: (options.epsilon * cells.reduce((s, c) => s + c, 0)) / cells.length,
      });
    },
  },
  "costs squared": {
    law: "invarianceLaw",
    solve: (cost, options) => {
      const c = costOf(cost).dense();
      return sinkhorn(
        matrix(
          c.rows,
          c.cols,
          c.data.map((v) => v * v),
        ),
        options,
      );
    },
  },
  "converged whatever happened": {
    law: "honestLaw",
    solve: async (cost, options) => ({ ...(await sinkhorn(cost, options)), converged: true }),
  },
  "more passes than allowed": {
    law: "honestLaw",
    solve: (cost, { maxIterations: _, ...options }) => sinkhorn(cost, options),
  },
  "an epsilon that never falls below one": {
    law: "limitLaw",
    solve: (cost, options) => sinkhorn(cost, { ...options, epsilon: Math.max(1, options.epsilon) }),
  },
  "no gap ever": {
    law: "gapLaw",
    solve: async (cost, options) => ({ ...(await sinkhorn(cost, options)), gap: 0 }),
  },
  "an independent plan": {
    law: "stationaryLaw",
    solve: async (cost, options) => {
      const p = await sinkhorn(cost, options);
      const even = toDense(p).data.map((_, at) => options.a![Math.floor(at / p.m)]! * options.b![at % p.m]!);
      return { ...fromDense(matrix(p.n, p.m, even)), converged: true };
    },
  },
};

const honest = couplings.nearest.couple;

/** A nearest coupling with one field spoiled. */
function spoiled(change: (p: Coupling) => Partial<Coupling>): Couple {
  return async (task) => {
    const p = await honest(task);
    return { ...p, ...change(p) };
  };
}

let calls = 0;

/** Small wrong twins of a coupling, each with the law of `checkCoupling` that must refuse it. */
export const couplingMutants: Readonly<
  Record<string, { readonly law: string; readonly couple: Couple; readonly columns?: boolean }>
> = {
  "one row too many": { law: "shape", couple: spoiled(({ n }) => ({ n: n + 1 })) },
  "masses of other length": { law: "shape", couple: spoiled(({ mass }) => ({ mass: mass.slice(1) })) },
  "entries in reverse": {
    law: "entries",
    couple: spoiled(({ rows, cols }) => ({ rows: rows.slice().reverse(), cols: cols.slice().reverse() })),
  },
  "columns counted from one": {
    law: "entries",
    couple: spoiled(({ cols }) => ({ cols: cols.map((j) => j + 1) })),
  },
  "rows that sum to one": {
    law: "masses sum to one",
    couple: spoiled(({ mass, n }) => ({ mass: mass.map((p) => p * n) })),
  },
  "cells without mass": {
    law: "masses sum to one",
    couple: async (task) => {
      const p = uniform(task.x.rows, task.r.rows);
      return { ...p, mass: p.mass.map((v, e) => (p.m > 1 && e % p.m === 0 ? 0 : v)) };
    },
  },
  "all mass on the first row": {
    law: "row marginals",
    couple: spoiled(({ mass }) => ({
      mass: mass.map((_, e) => (e === 0 ? 1 - 1e-6 * (mass.length - 1) : 1e-6)),
    })),
  },
  "nearest, said to fill the columns": { law: "column marginals", couple: honest, columns: true },
  "units of another plan": {
    law: "units",
    couple: spoiled(({ units }) => ({ units: units!.map((u) => u + 1) })),
  },
  "a cost that flatters": { law: "cost", couple: spoiled(({ cost }) => ({ cost: cost / 2 })) },
  "a gap below zero": { law: "gap and dual", couple: spoiled(() => ({ gap: -1 })) },
  "duals above the costs": {
    law: "gap and dual",
    couple: spoiled(({ n, m }) => ({ dual: { u: new Float64Array(n).fill(1e3), v: new Float64Array(m) } })),
  },
  "a gap the duals do not prove": {
    law: "gap and dual",
    couple: spoiled(({ n, m }) => ({ dual: { u: new Float64Array(n).fill(-1e3), v: new Float64Array(m) } })),
  },
  "another answer each time": {
    law: "same answer twice",
    couple: ({ x, r }) => random(x.rows, r.rows, { seed: calls++ }),
  },
  "draws keyed by position": {
    law: "permuted rows",
    couple: ({ x, r, random: source }) => random(x.rows, r.rows, { random: source }),
  },
  "known pairs ignored": {
    law: "permuted rows",
    couple: ({ x, r }) =>
      exact(
        Int32Array.from({ length: x.rows }, (_, i) => i % r.rows),
        r.rows,
      ),
  },
  "sorts its input": {
    law: "inputs unwritten",
    couple: async (task) => {
      const p = await honest(task);
      task.x.data.sort();
      return p;
    },
  },
};

/** Wrong twins of `nearest`. */
export const nearestMutants: Readonly<Record<string, typeof nearest>> = {
  "the farthest reference": (cost) => {
    const { n, m, dense } = costOf(cost);
    const far = nearest(
      matrix(
        n,
        m,
        dense().data.map((c) => -c),
      ),
    );
    return { ...far, cost: -far.cost };
  },
  "the last of equal references": (cost) => {
    const p = nearest(cost);
    const c = costOf(cost).dense().data;
    return {
      ...p,
      cols: p.cols.map((j, i) => c.subarray(i * p.m, (i + 1) * p.m).lastIndexOf(c[i * p.m + j]!)),
    };
  },
};

export const singlePrecision: typeof fromDense = (p, name) => {
  const given = fromDense(p, name);
  return { ...given, mass: given.mass.map(Math.fround) };
};
