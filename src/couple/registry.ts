import { ColaError, checkName } from "../errors.ts";
import type { Random } from "../num/random.ts";
import type { Cost, Coupling, Matrix, WorkOptions } from "../types.ts";
import { coarsened } from "./coarsened.ts";
import { squaredEuclidean } from "./cost.ts";
import { exact, type Pairs, partnered } from "./exact.ts";
import { nearest } from "./nearest.ts";
import { drawn, random } from "./random.ts";
import { evenSinkhorn } from "./sinkhorn.ts";
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

/** What `explain` needs of a coupling, and what may be said of it: title, summary, what rows are matched by. */
export interface Coupler extends Partial<CouplingWords> {
  /** A row's partners depend on the other rows of the call. */
  readonly group: boolean;
  couple(task: CouplingTask): Coupling | Promise<Coupling>;
}

/** A coupling of one's own, as `explain` takes it (`checkCoupling` holds it to the laws). */
export interface OwnCoupling extends Coupler {
  readonly name: string;
}

interface CouplingWords {
  readonly title: string;
  readonly summary: string;
  /** What the rows are matched by. */
  readonly needs: "cost" | "points" | "pairs" | "sizes";
  /** The columns sum to 1/m too, not only the rows to 1/n. */
  readonly columns: boolean;
}

export type CouplingMethod = Coupler & CouplingWords;

/** Unless a coupling says otherwise. */
const unsaid = (name: string): CouplingWords => ({
  title: name,
  summary: name,
  needs: "cost",
  columns: false,
});

const costFor = (task: CouplingTask): Cost => task.cost ?? squaredEuclidean(task.x, task.r);

/** A task whose pairs lie within its tables, as couplers trust they do. */
interface CheckedTask extends CouplingTask {
  readonly pairs?: readonly (readonly [number, number])[];
}

/** The couplings of tasks that have been checked; what is said of them is apart, so that a page need not load it. */
export const couplers = {
  transport: { group: true, couple: (task) => evenTransport(costFor(task), task) },
  sinkhorn: {
    group: true,
    couple: (task) => {
      const cost = costFor(task);
      return evenSinkhorn(cost, { ...task, epsilon: task.epsilon ?? defaultEpsilon(cost) });
    },
  },
  uniform: { group: false, couple: ({ x, r, limits }) => evenly(x.rows, r.rows, limits ? { limits } : {}) },
  random: { group: false, couple: ({ x, r, random, keys }) => drawn(x.rows, r.rows, random, keys) },
  exact: { group: false, couple: ({ x, r, pairs = [] }: CheckedTask) => partnered(x.rows, r.rows, pairs) },
  nearest: { group: false, couple: (task) => nearest(costFor(task)) },
  coarsened: {
    group: true,
    couple: ({ x, r, bins }) => coarsened(x, r, bins === undefined ? {} : { bins }),
  },
} as const satisfies Readonly<Record<string, Coupler>>;

export type CouplingName = keyof typeof couplers;

/** What is said of the couplings above, and how they are called with tasks nobody has checked. */
const SAID = {
  transport: {
    title: "Optimal transport",
    summary: "exact optimal transport: the cheapest joint distribution with even rows and columns",
    needs: "cost",
    columns: true,
    couple: (task) => transport(costFor(task), task),
  },
  sinkhorn: {
    title: "Entropic transport",
    summary: "entropic optimal transport: transport blurred by epsilon",
    needs: "cost",
    columns: true,
  },
  uniform: {
    title: "Everyone with everyone",
    summary: "every row with every reference, evenly",
    needs: "sizes",
    columns: true,
    couple: ({ x, r, limits }) => uniform(x.rows, r.rows, limits ? { limits } : {}),
  },
  random: {
    title: "Random",
    summary: "one reference per row, drawn at random",
    needs: "sizes",
    columns: false,
    couple: ({ x, r, random: source, keys }) =>
      random(x.rows, r.rows, { random: source, ...(keys ? { keys } : {}) }),
  },
  exact: {
    title: "Known pairs",
    summary: "the pairs that are known",
    needs: "pairs",
    columns: false,
    couple: ({ x, r, pairs }) => knownPairs(x.rows, r.rows, pairs),
  },
  nearest: {
    title: "Nearest",
    summary: "the nearest reference of each row",
    needs: "cost",
    columns: false,
  },
  coarsened: {
    title: "Same bins",
    summary: "evenly over the references in the same bins, else the nearest",
    needs: "points",
    columns: false,
  },
} as const satisfies Readonly<Record<string, Partial<CouplingMethod>>>;

/** Every coupling by name, with its description; a program that asks for none does not load them. */
export const couplings: Readonly<Record<CouplingName, CouplingMethod>> = /* @__PURE__ */ withWords();

function withWords(): Record<CouplingName, CouplingMethod> {
  const all = Object.entries(couplers as Readonly<Record<string, Coupler>>);
  const said = all.map(([name, coupler]) => [
    name,
    { ...unsaid(name), ...coupler, ...SAID[name as keyof typeof SAID] },
  ]);
  return Object.fromEntries(said) as Record<CouplingName, CouplingMethod>;
}

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
