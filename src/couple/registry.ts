import { ColaError, checkName } from "../errors.ts";
import type { Random } from "../num/random.ts";
import type { Cost, Coupling, Matrix, WorkOptions } from "../types.ts";
import { coarsened } from "./coarsened.ts";
import { squaredEuclidean } from "./cost.ts";
import { exact, type Pairs, partnered } from "./exact.ts";
import { nearest } from "./nearest.ts";
import { drawn, random } from "./random.ts";
import { evenTransport, transport } from "./transport.ts";
import { evenly, uniform } from "./uniform.ts";

/** What every coupling is called with; each takes from it what it needs. */
export interface CouplingTask extends WorkOptions {
  /** Factuals (n × d) and references (m × d), scaled so that squared Euclid is the metric. */
  readonly x: Matrix;
  readonly r: Matrix;
  /** Default: squared Euclid between x and r. */
  readonly cost?: Cost;
  /** Known pairs, for `exact`. Default: row i with reference i. */
  readonly pairs?: Pairs;
  /** For `random`. */
  readonly random: Random;
  /** A key per row that keeps a row's draw in any batch. */
  readonly keys?: readonly (string | number)[];
  /** For `sinkhorn`. Default: one hundredth of the mean cost. */
  readonly epsilon?: number;
  /** For `coarsened`. Default 10. */
  readonly bins?: number;
}

export interface CouplingMethod {
  readonly summary: string;
  /** What the rows are matched by. */
  readonly needs: "cost" | "points" | "pairs" | "sizes";
  /** The columns sum to 1/m too, not only the rows to 1/n. */
  readonly columns: boolean;
  /** A row's partners depend on the other rows of the call. */
  readonly group: boolean;
  couple(task: CouplingTask): Coupling | Promise<Coupling>;
}

const costFor = (task: CouplingTask): Cost => task.cost ?? squaredEuclidean(task.x, task.r);

/** A task whose pairs lie within its tables, as couplers trust they do. */
interface CheckedTask extends CouplingTask {
  readonly pairs?: readonly (readonly [number, number])[];
}

/** What each coupling calls; what is said of it is apart, so that a page which only couples does not load that. */
export const couplers = {
  transport: (task) => evenTransport(costFor(task), task),
  sinkhorn: async (task) => {
    // A chunk of its own in a page: whoever does not ask for it does not load it.
    const { evenSinkhorn } = await import("./sinkhorn.ts");
    const cost = costFor(task);
    return evenSinkhorn(cost, { ...task, epsilon: task.epsilon ?? defaultEpsilon(cost) });
  },
  uniform: ({ x, r, limits }) => evenly(x.rows, r.rows, limits ? { limits } : {}),
  random: ({ x, r, random, keys }) => drawn(x.rows, r.rows, random, keys),
  exact: ({ x, r, pairs = diagonal(x.rows, r.rows) }: CheckedTask) => partnered(x.rows, r.rows, pairs),
  nearest: (task) => nearest(costFor(task)),
  coarsened: ({ x, r, bins }) => coarsened(x, r, bins === undefined ? {} : { bins }),
} as const satisfies Readonly<Record<string, CouplingMethod["couple"]>>;

/** [i, i] for every row that has a reference of its number. */
function diagonal(n: number, m: number): [number, number][] {
  return Array.from({ length: Math.min(n, m) }, (_, i) => [i, i]);
}

export type CouplingName = keyof typeof couplers;

/** Every coupling by name. */
export const couplings = {
  transport: {
    summary: "exact optimal transport: the cheapest joint distribution with even rows and columns",
    needs: "cost",
    columns: true,
    group: true,
    couple: (task) => transport(costFor(task), task),
  },
  sinkhorn: {
    summary: "entropic optimal transport: transport blurred by epsilon",
    needs: "cost",
    columns: true,
    group: true,
    couple: couplers.sinkhorn,
  },
  uniform: {
    summary: "every row with every reference, evenly",
    needs: "sizes",
    columns: true,
    group: false,
    couple: ({ x, r, limits }) => uniform(x.rows, r.rows, limits ? { limits } : {}),
  },
  random: {
    summary: "one reference per row, drawn at random",
    needs: "sizes",
    columns: false,
    group: false,
    couple: ({ x, r, random: source, keys }) =>
      random(x.rows, r.rows, { random: source, ...(keys ? { keys } : {}) }),
  },
  exact: {
    summary: "the pairs that are known",
    needs: "pairs",
    columns: false,
    group: false,
    couple: ({ x, r, pairs }) => knownPairs(x.rows, r.rows, pairs),
  },
  nearest: {
    summary: "the nearest reference of each row",
    needs: "cost",
    columns: false,
    group: false,
    couple: couplers.nearest,
  },
  coarsened: {
    summary: "evenly over the references in the same bins, else the nearest",
    needs: "points",
    columns: false,
    group: true,
    couple: couplers.coarsened,
  },
} as const satisfies Readonly<Record<CouplingName, CouplingMethod>>;

/** The method of a name; NAME_UNKNOWN lists the names there are. */
export function couplingNamed(name: string): CouplingMethod {
  checkName("couple", "coupling", name, Object.keys(couplings));
  return couplings[name as CouplingName];
}

/** `exact` for n rows: a list of pairs alone does not say how many rows there are. */
function knownPairs(
  n: number,
  m: number,
  pairs: Pairs = Int32Array.from({ length: n }, (_, i) => i),
): Coupling {
  const coupling = exact(pairs, m);
  if (coupling.n === n) return coupling;
  throw new ColaError(
    "PAIRS_INVALID",
    `exact: the pairs name ${coupling.n} rows, but there are ${n}; give each row at least one partner.`,
    { named: coupling.n, rows: n },
  );
}

/** One hundredth of the mean |cost|, to three digits; costs that are all 0 fit any ε. */
function defaultEpsilon(cost: Cost): number {
  const row = new Float64Array(cost.m);
  let sum = 0;
  for (let i = 0; i < cost.n; i++) {
    cost.row(i, row);
    for (let j = 0; j < row.length; j++) sum += Math.abs(row[j]!);
  }
  return sum > 0 ? Number((sum / (100 * cost.n * cost.m)).toPrecision(3)) : 1;
}
