import { ColaError } from "../errors.ts";
import type { Random } from "../num/random.ts";
import type { Cost, Coupling, Matrix, WorkOptions } from "../types.ts";
import { coarsened } from "./coarsened.ts";
import { squaredEuclidean } from "./cost.ts";
import { exact, type Pairs } from "./exact.ts";
import { nearest } from "./nearest.ts";
import { random } from "./random.ts";
import { transport } from "./transport.ts";
import { uniform } from "./uniform.ts";

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
    couple: async (task) => {
      // A chunk of its own in a page: whoever does not ask for it does not load it.
      const { sinkhorn } = await import("./sinkhorn.ts");
      const cost = costFor(task);
      return sinkhorn(cost, { ...workOf(task), epsilon: task.epsilon ?? defaultEpsilon(cost) });
    },
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
    couple: (task) => nearest(costFor(task)),
  },
  coarsened: {
    summary: "evenly over the references in the same bins, else the nearest",
    needs: "points",
    columns: false,
    group: true,
    couple: ({ x, r, bins }) => coarsened(x, r, bins === undefined ? {} : { bins }),
  },
} as const satisfies Readonly<Record<string, CouplingMethod>>;

export type CouplingName = keyof typeof couplings;

/** The method of a name; NAME_UNKNOWN lists the names there are. */
export function couplingNamed(name: string): CouplingMethod {
  if (Object.hasOwn(couplings, name)) return couplings[name as CouplingName];
  const names = Object.keys(couplings);
  throw new ColaError(
    "NAME_UNKNOWN",
    `coupling: there is no ${JSON.stringify(name)}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
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

function workOf({ signal, onProgress, limits }: CouplingTask): WorkOptions {
  return {
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
    ...(limits ? { limits } : {}),
  };
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
