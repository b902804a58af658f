import { squaredEuclidean } from "../couple/cost.ts";
import { toDense } from "../couple/dense.ts";
import type { CouplingTask } from "../couple/registry.ts";
import { copyOf, matrix, takeRows } from "../num/matrix.ts";
import { type Random, rowKeys, stream } from "../num/random.ts";
import type { Coupling, Matrix } from "../types.ts";
import { demand, type LawResult, runLaws } from "./law.ts";

export type Couple = (task: CouplingTask) => Coupling | Promise<Coupling>;

export interface CouplingClaims {
  /** Does it claim column sums of 1/m? Default false. */
  readonly columns?: boolean;
}

const TOLERANCE = 1e-9;

/** n, m, d and whether cells are whole numbers (ties, equal rows). */
const CASES = [
  { n: 1, m: 1, d: 1, whole: false },
  { n: 6, m: 6, d: 2, whole: false },
  { n: 5, m: 7, d: 3, whole: false },
  { n: 7, m: 3, d: 1, whole: false },
  { n: 8, m: 8, d: 2, whole: true },
  { n: 9, m: 4, d: 2, whole: true },
] as const;

/**
 * The laws every coupling keeps: a sparse joint distribution, p_ij ≥ 0, Σ_j p_ij = 1/n (and Σ_i p_ij = 1/m
 * where claimed), an honest cost, gap and dual, the same answer twice, rows that keep their partners when
 * the rows are permuted, inputs left alone.
 */
export async function checkCoupling(
  couple: Couple,
  claims: CouplingClaims = {},
): Promise<readonly LawResult[]> {
  const tasks = CASES.map((_, number) => taskOf(number));
  const all = (law: (p: Coupling, task: CouplingTask) => void) => async (): Promise<void> => {
    for (const task of tasks) law(await couple(task), task);
  };
  return runLaws({
    shape: all(shape),
    entries: all(entries),
    "masses sum to one": all(masses),
    "row marginals": all((p) => marginal(p.rows, p.mass, p.n, "row")),
    ...(claims.columns ? { "column marginals": all((p) => marginal(p.cols, p.mass, p.m, "column")) } : {}),
    units: all(units),
    cost: all(cost),
    "gap and dual": all(gapAndDual),
    "same answer twice": async () => {
      for (const task of tasks) same(await couple(task), await couple(task), "asked twice");
    },
    "permuted rows": () => permuted(couple),
    "inputs unwritten": () => unwritten(couple),
  });
}

function taskOf(number: number, order?: Int32Array): CouplingTask {
  const { n, m, d, whole } = CASES[number]!;
  const source = stream(number, "checkCoupling");
  const x = points(n, d, whole, source.split("x"));
  const r = points(m, d, whole, source.split("r"));
  const pairs = Int32Array.from({ length: n }, (_, i) => (3 * i + 1) % m);
  const keys = rowKeys(x);
  const rows = order ?? Int32Array.from({ length: n }, (_, i) => i);
  const shown = takeRows(x, rows);
  return {
    x: shown,
    r,
    cost: squaredEuclidean(shown, r),
    pairs: rows.map((i) => pairs[i]!),
    keys: Array.from(rows, (i) => keys[i]!),
    random: source.split("draw"),
  };
}

function points(rows: number, cols: number, whole: boolean, source: Random): Matrix {
  const cell = whole ? () => source.int(3) : () => source.normal();
  return matrix(rows, cols, Float64Array.from({ length: rows * cols }, cell));
}

function shape(p: Coupling, { x, r }: CouplingTask): void {
  demand(
    p.n === x.rows && p.m === r.rows,
    () => `it is ${p.n} × ${p.m} for ${x.rows} rows and ${r.rows} references`,
  );
  const { rows, cols, mass } = p;
  demand(
    rows instanceof Int32Array && cols instanceof Int32Array && mass instanceof Float64Array,
    () => "rows and cols must be Int32Array and mass Float64Array",
  );
  demand(
    rows.length === mass.length && cols.length === mass.length,
    () => `${rows.length} rows, ${cols.length} cols and ${mass.length} masses`,
  );
}

function entries({ n, m, rows, cols }: Coupling): void {
  for (let e = 0; e < rows.length; e++) {
    const i = rows[e]!;
    const j = cols[e]!;
    demand(i >= 0 && i < n && j >= 0 && j < m, () => `entry ${e} is (${i}, ${j}), outside ${n} × ${m}`);
    const rising = e === 0 || i > rows[e - 1]! || (i === rows[e - 1]! && j > cols[e - 1]!);
    demand(rising, () => `entry ${e} at (${i}, ${j}) does not follow (${rows[e - 1]}, ${cols[e - 1]})`);
  }
}

function masses({ mass }: Coupling): void {
  for (const [e, p] of mass.entries()) demand(p > 0 && p <= 1 + TOLERANCE, () => `mass ${e} is ${p}`);
  const total = sum(mass);
  demand(Math.abs(total - 1) <= TOLERANCE, () => `the masses sum to ${total}`);
}

function marginal(side: Int32Array, mass: Float64Array, size: number, name: string): void {
  const sums = new Float64Array(size);
  for (const [e, k] of side.entries()) sums[k]! += mass[e]!;
  for (const [k, found] of sums.entries()) {
    demand(Math.abs(found - 1 / size) <= TOLERANCE, () => `${name} ${k} sums to ${found}, not 1/${size}`);
  }
}

function units({ mass, units: whole, total }: Coupling): void {
  demand((whole === undefined) === (total === undefined), () => "units and total come together");
  for (const [e, u] of whole?.entries() ?? []) {
    demand(Number.isInteger(u) && Number.isInteger(total), () => `units ${e} is ${u} of ${total}: not whole`);
    demand(u / total! === mass[e], () => `mass ${e} is ${mass[e]}, but its units are ${u} of ${total}`);
  }
}

function cost(p: Coupling, task: CouplingTask): void {
  if (Number.isNaN(p.cost)) return;
  const c = task.cost!.dense();
  const sum = p.mass.reduce((total, mass, e) => total + mass * c.data[p.rows[e]! * p.m + p.cols[e]!]!, 0);
  demand(
    Math.abs(sum - p.cost) <= TOLERANCE * (1 + sum),
    () => `Σ mass·c is ${sum}, but cost says ${p.cost}`,
  );
}

function gapAndDual(p: Coupling, task: CouplingTask): void {
  demand(p.gap >= 0 && Number.isFinite(p.gap), () => `gap is ${p.gap}`);
  demand(Number.isInteger(p.iterations) && p.iterations >= 0, () => `iterations is ${p.iterations}`);
  if (!p.dual) return;
  const { u, v } = p.dual;
  const c = task.cost!.dense();
  demand(u.length === p.n && v.length === p.m, () => `dual has ${u.length} and ${v.length} values`);
  for (const [at, cij] of c.data.entries()) {
    const bound = u[Math.floor(at / p.m)]! + v[at % p.m]!;
    const below = bound <= cij + TOLERANCE * (1 + Math.abs(cij));
    demand(below, () => `u + v = ${bound} is above c = ${cij} at cell ${at}`);
  }
  const value = sum(u) / p.n + sum(v) / p.m;
  demand(
    p.cost - value <= p.gap + TOLERANCE,
    () => `cost − dual is ${p.cost - value}, but gap says ${p.gap}`,
  );
}

async function permuted(couple: Couple): Promise<void> {
  for (const [number, { n, m, whole }] of CASES.entries()) {
    if (whole) continue; // equal rows may exchange their partners
    const order = stream(number, "permutation").permutation(n);
    const straight = toDense(await couple(taskOf(number))).data;
    const turned = toDense(await couple(taskOf(number, order))).data;
    for (const at of turned.keys()) {
      const [t, j] = [Math.floor(at / m), at % m];
      const p = straight[order[t]! * m + j]!;
      const close = Math.abs(p - turned[at]!) <= TOLERANCE;
      demand(close, () => `row ${order[t]} asked as row ${t}: p(·, ${j}) is ${turned[at]}, not ${p}`);
    }
  }
}

async function unwritten(couple: Couple): Promise<void> {
  for (const number of CASES.keys()) {
    const task = taskOf(number);
    const before = { x: copyOf(task.x), r: copyOf(task.r) };
    await couple(task);
    for (const side of ["x", "r"] as const) {
      const at = task[side].data.findIndex((v, c) => v !== before[side].data[c]);
      demand(at < 0, () => `cell ${at} of ${side} was written`);
    }
  }
}

function same(a: Coupling, b: Coupling, when: string): void {
  const equal = (p: ArrayLike<number>, q: ArrayLike<number>): boolean =>
    p.length === q.length && Array.from(p).every((v, e) => Object.is(v, q[e]));
  demand(
    equal(a.rows, b.rows) && equal(a.cols, b.cols) && equal(a.mass, b.mass),
    () => `${when}, it gave two answers`,
  );
}

function sum(values: Float64Array): number {
  return values.reduce((total, v) => total + v, 0);
}
