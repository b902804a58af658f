import { startWork, type Work } from "../budget.ts";
import { ColaError } from "../errors.ts";
import { takeRows } from "../num/matrix.ts";
import type { Cost, Coupling, Matrix, WorkOptions } from "../types.ts";
import { costOf, squaredEuclidean } from "./cost.ts";
import { dedupe, firstRows, type Groups, idleLast, singles, spreadOver, unitsOfGroups } from "./dedupe.ts";
import { expand, type GroupedUnits } from "./expand.ts";
import { oneDimension } from "./one-dimension.ts";
import { givenProblem, pointsProblem } from "./problem.ts";
import { signature } from "./signature.ts";
import { allEqual, type Solved, solve, transposed } from "./solve.ts";
import { lcm, type Units, unitsOf } from "./units.ts";
import { weightsOf } from "./weights.ts";

export interface TransportOptions extends WorkOptions {
  /** Weights of the n rows, summing to one. Default: 1/n each. */
  readonly a?: ArrayLike<number>;
  /** Weights of the m references, summing to one. Default: 1/m each. */
  readonly b?: ArrayLike<number>;
}

type Sides = readonly [left: Groups, right: Groups];

/** Both sides in canonical order, and what solves the problem between their groups. */
interface MergedProblem {
  readonly left: Groups;
  readonly right: Groups;
  solve(supply: Float64Array, demand: Float64Array, total: number): Promise<Solved>;
}

const DEFAULT_BYTES = 2 ** 30;
/** Share of duplicates from which merging them pays more than the assignment solver. */
const MANY_DUPLICATES = 0.1;

/**
 * p_OT = argmin Σ_ij p_ij c_ij over p ≥ 0 with Σ_j p_ij = a_i and Σ_i p_ij = b_j: exact optimal transport, with duals u, v
 * (u_i + v_j ≤ c_ij) and the gap they prove. c is n × m.
 *
 * Flows are whole numbers: with uniform or rational weights both marginals of `units` hold to the last bit, with
 * other weights those of `mass` to about 1e-15; n = m uniform rows give a permutation. Equal points are merged
 * before solving; points on a line are sorted; uniform n = m is solved as an assignment unless ties abound; all
 * else by the network simplex. Rows and columns are put into an order that follows their content first, so that
 * permuting them permutes the result (equal rows are interchangeable). For a cost without points this holds up to
 * rows, or columns, that `signature` cannot tell apart.
 */
export async function transport(cost: Cost | Matrix, options: TransportOptions = {}): Promise<Coupling> {
  const given = costOf(cost);
  checkSize(given);
  const a = weightsOf("transport", "a", options.a, given.n);
  const b = weightsOf("transport", "b", options.b, given.m);
  const unitsIn = (rows: Int32Array, cols: Int32Array): Units => {
    const units = unitsOf(
      Float64Array.from(rows, (i) => a[i]!),
      Float64Array.from(cols, (j) => b[j]!),
    );
    return { ...units, a: scattered(units.a, rows), b: scattered(units.b, cols) };
  };
  return transported(given, a, b, unitsIn, options);
}

/** `transport` with weights 1/n and 1/m. */
export function evenTransport(cost: Cost, options: WorkOptions = {}): Promise<Coupling> {
  const { n, m } = cost;
  const total = lcm(n, m);
  return unitTransport(
    cost,
    new Float64Array(n).fill(total / n),
    new Float64Array(m).fill(total / m),
    options,
  );
}

/** `transport` of whole units, supply_i of row i and demand_j of column j, of the same sum. */
export function unitTransport(
  cost: Cost,
  supply: Float64Array,
  demand: Float64Array,
  options: WorkOptions,
): Promise<Coupling> {
  const total = supply.reduce((sum, units) => sum + units, 0);
  const [a, b] = [supply.map((units) => units / total), demand.map((units) => units / total)];
  return transported(cost, a, b, () => ({ a: supply, b: demand, total, exact: true }), options);
}

/** The plan for weights a and b; `unitsIn` gives the whole numbers behind them, seen in the canonical order. */
async function transported(
  given: Cost,
  a: Float64Array,
  b: Float64Array,
  unitsIn: (rows: Int32Array, cols: Int32Array) => Units,
  options: WorkOptions,
): Promise<Coupling> {
  const work = startWork("transport", options);
  work.check();
  const store = (options.limits?.bytes ?? DEFAULT_BYTES) / 2;
  const task = await taskOf(given, a, b, store, work);
  const units = unitsIn(task.left.order, task.right.order);
  const left: GroupedUnits = { groups: task.left, units: units.a };
  const right: GroupedUnits = { groups: task.right, units: units.b };
  const supply = unitsOfGroups(left.groups, left.units);
  const demand = unitsOfGroups(right.groups, right.units);
  await rest(work, 0, given.n);
  const solved = await task.solve(supply, demand, units.total);
  await rest(work, given.n, given.n);
  return couplingOf(solved, left, right, a, units);
}

async function taskOf(
  given: Cost,
  a: Float64Array,
  b: Float64Array,
  store: number,
  work: Work,
): Promise<MergedProblem> {
  if (given.points === undefined) return givenTask(given, a, b, store, work);
  const { x, r } = given.points;
  squaredEuclidean(x, r); // points that come with a cost of another make are checked as our own are
  const left = dedupe(x, a);
  await rest(work, 0, given.n);
  const right = dedupe(r, b);
  await rest(work, 0, given.n);
  return pointsTask(x, r, x.cols === 1 ? [left, right] : arranged(left, right, a, b), store, work);
}

function pointsTask(x: Matrix, r: Matrix, [left, right]: Sides, store: number, work: Work): MergedProblem {
  return {
    left,
    right,
    async solve(supply, demand, total) {
      const xs = takeRows(x, firstRows(left));
      const rs = takeRows(r, firstRows(right));
      if (x.cols === 1) {
        const flow = oneDimension(xs.data, rs.data, supply, demand, total);
        return { flow, proof: flow, cost: (i, j) => (xs.data[i]! - rs.data[j]!) ** 2 };
      }
      // The simplex keeps its lists by row: it is faster where the rows are the longer side.
      if (rs.rows > xs.rows) {
        const problem = await pointsProblem(rs, xs, demand, supply, store, work);
        return transposed(await solve(problem, demand, supply, total, work));
      }
      return solve(await pointsProblem(xs, rs, supply, demand, store, work), supply, demand, total, work);
    },
  };
}

/** Groups of weight zero last; single points where merging a few equal ones would lose the assignment solver. */
function arranged(left: Groups, right: Groups, a: Float64Array, b: Float64Array): Sides {
  const [n, m] = [a.length, b.length];
  const few = left.start.length + right.start.length - 2 > (1 - MANY_DUPLICATES) * (n + m);
  if (few && n === m && allEqual(a) && allEqual(b)) return [singles(left.order), singles(right.order)];
  return [idleLast(left, a), idleLast(right, b)];
}

async function givenTask(
  given: Cost,
  a: Float64Array,
  b: Float64Array,
  store: number,
  work: Work,
): Promise<MergedProblem> {
  const order = await signature("transport", given, a, b, work);
  return {
    left: singles(order.rows),
    right: singles(order.cols),
    async solve(supply, demand, total) {
      return solve(await givenProblem(given, order, store, work), supply, demand, total, work);
    },
  };
}

function couplingOf(
  solved: Solved,
  left: GroupedUnits,
  right: GroupedUnits,
  a: Float64Array,
  units: Units,
): Coupling {
  const { flow, proof } = solved;
  const { rows, cols, units: whole } = expand(flow, left, right);
  const { total, exact } = units;
  const mass = exact
    ? whole.map((f) => f / total)
    : whole.map((f, e) => a[rows[e]!]! * (f / left.units[rows[e]!]!));
  return {
    name: "transport",
    n: a.length,
    m: right.groups.order.length,
    rows,
    cols,
    mass,
    ...(exact ? { units: whole, total } : {}),
    cost: flow.units.reduce((sum, f, e) => sum + (f / total) * solved.cost(flow.rows[e]!, flow.cols[e]!), 0),
    dual: { u: spreadOver(left.groups, proof.u), v: spreadOver(right.groups, proof.v) },
    gap: proof.gap,
    converged: true,
    iterations: flow.iterations,
  };
}

/** Yields if the slice is used up: between the steps of a large problem that cannot be cut. */
async function rest(work: Work, done: number, total: number): Promise<void> {
  if (work.due()) await work.pause(done, total);
}

/** The values, value t at the place order[t]. */
function scattered(values: Float64Array, order: Int32Array): Float64Array {
  const out = new Float64Array(values.length);
  for (let t = 0; t < order.length; t++) out[order[t]!] = values[t]!;
  return out;
}

function checkSize(cost: Cost): void {
  if (cost.n > 0 && cost.m > 0) return;
  throw new ColaError(
    "INPUT_EMPTY",
    `transport: the cost is ${cost.n} × ${cost.m}; give at least one row and one reference.`,
    { n: cost.n, m: cost.m },
  );
}
