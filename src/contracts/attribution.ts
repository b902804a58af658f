import { fromDense } from "../couple/dense.ts";
import { copyOf, matrix, rowOf, takeRows } from "../num/matrix.ts";
import { type Random, stream } from "../num/random.ts";
import type { Attribution, Coupling, Matrix, PredictFunction } from "../types.ts";
import { demand, type LawResult, runLaws } from "./law.ts";

export type Attribute = (
  model: PredictFunction,
  x: Matrix,
  r: Matrix,
  coupling: Coupling,
) => Attribution | Promise<Attribution>;

export interface AttributionClaims {
  /** Largest error of a φ. Default 1e-9: the attribution claims to be exact. */
  readonly tolerance?: number;
}

type Score = (row: Float64Array) => number;

/** Column 4 counts in none of the functions; columns 0 and 1 count alike in `symmetric`. */
const PLAYERS = 5;
const curved: Score = (z) => Math.tanh(z[0]! * z[1]! - z[2]!) + z[3]! * z[0]!;
const stepped: Score = (z) => (z[1]! > 0 ? z[3]! : z[2]! * z[0]!) - 0.3 * z[3]!;
const symmetric: Score = (z) => Math.exp(0.3 * (z[0]! + z[1]!)) * z[2]! + z[0]! * z[1]! * z[3]!;

/** n, m and whether a row has one reference. */
const CASES = [
  { n: 1, m: 1, single: true },
  { n: 4, m: 4, single: true },
  { n: 3, m: 4, single: false },
] as const;

interface Case {
  readonly x: Matrix;
  readonly r: Matrix;
  readonly coupling: Coupling;
}

/**
 * The laws every p-SHAP attribution keeps: efficiency, dummy, symmetry, linearity, the value of the
 * definition Σ_j p(j|i) φ(x_i, r_j) with exactly these weights, the same answer twice and for permuted rows,
 * inputs left alone.
 */
export async function checkAttribution(
  attribute: Attribute,
  claims: AttributionClaims = {},
): Promise<readonly LawResult[]> {
  const { tolerance = 1e-9 } = claims;
  const cases = CASES.map((_, number) => caseOf(number));
  const ask = async (f: Score, { x, r, coupling }: Case): Promise<Attribution> =>
    attribute(predictOf(f), x, r, coupling);
  const all = (law: (given: Case) => Promise<void>) => async (): Promise<void> => {
    for (const given of cases) await law(given);
  };
  return runLaws({
    shape: all(async (given) => shape(await ask(curved, given), given)),
    efficiency: all(async (given) => {
      for (const f of [curved, stepped]) efficiency(await ask(f, given), f, given, tolerance);
    }),
    dummy: all(async (given) => dummy((await ask(curved, given)).values, tolerance)),
    symmetry: all((given) => symmetry(ask, alike(given), tolerance)),
    linearity: all((given) => linearity(ask, given, tolerance)),
    definition: all(async (given) => {
      for (const f of [curved, stepped]) close((await ask(f, given)).values, byOrders(f, given), tolerance);
    }),
    "same answer twice": all(async (given) => {
      close((await ask(curved, given)).values, (await ask(curved, given)).values, 0);
    }),
    "permuted rows": all((given) => permuted(ask, given, tolerance)),
    "inputs unwritten": all((given) => unwritten(ask, given)),
  });
}

type Asked = (f: Score, given: Case) => Promise<Attribution>;

function caseOf(number: number): Case {
  const { n, m, single } = CASES[number]!;
  const source = stream(number, "checkAttribution");
  const mass = matrix(n, m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) mass.data[i * m + j] = single ? Number(i === j) / n : 4 ** source.int(4);
  }
  const total = mass.data.reduce((sum, v) => sum + v, 0);
  const coupling = fromDense(
    matrix(
      n,
      m,
      mass.data.map((v) => v / total),
    ),
  );
  return { x: points(n, source.split("x")), r: points(m, source.split("r")), coupling };
}

function points(rows: number, source: Random): Matrix {
  return matrix(
    rows,
    PLAYERS,
    Float64Array.from({ length: rows * PLAYERS }, () => source.normal()),
  );
}

/** The same case with equal values in columns 0 and 1. */
function alike({ x, r, coupling }: Case): Case {
  const copy = ({ data, rows, cols }: Matrix): Matrix =>
    matrix(
      rows,
      cols,
      data.map((v, at) => (at % cols === 1 ? data[at - 1]! : v)),
    );
  return { x: copy(x), r: copy(r), coupling };
}

function predictOf(f: Score): PredictFunction {
  return (rows) => Float64Array.from({ length: rows.rows }, (_, i) => f(rowOf(rows, i)));
}

/** p(j|i). */
function weightsOf({ coupling }: Case, i: number): [j: number, p: number][] {
  const own = [...coupling.mass.keys()].filter((e) => coupling.rows[e] === i);
  const total = own.reduce((sum, e) => sum + coupling.mass[e]!, 0);
  return own.map((e) => [coupling.cols[e]!, coupling.mass[e]! / total]);
}

/** φ by its definition: the mean over all orders of the players of what each changes when its turn comes. */
function byOrders(f: Score, given: Case): Matrix {
  const phi = matrix(given.x.rows, PLAYERS);
  const orders = permutations(PLAYERS);
  for (let i = 0; i < given.x.rows; i++) {
    for (const [j, p] of weightsOf(given, i)) {
      for (const order of orders) {
        const row = rowOf(given.r, j).slice();
        for (const u of order) {
          const before = f(row);
          row[u] = rowOf(given.x, i)[u]!;
          phi.data[i * PLAYERS + u]! += (p * (f(row) - before)) / orders.length;
        }
      }
    }
  }
  return phi;
}

function permutations(k: number): number[][] {
  if (k === 0) return [[]];
  return permutations(k - 1).flatMap((order) =>
    Array.from({ length: k }, (_, at) => [...order.slice(0, at), k - 1, ...order.slice(at)]),
  );
}

function shape(found: Attribution, { x }: Case): void {
  const { values, base, residual, evaluations } = found;
  demand(
    values.rows === x.rows && values.cols === PLAYERS && base.length === x.rows,
    () => `values are ${values.rows} × ${values.cols} and base has ${base.length} for ${x.rows} × ${PLAYERS}`,
  );
  demand(residual >= 0 && Number.isFinite(residual), () => `residual is ${residual}`);
  demand(Number.isInteger(evaluations) && evaluations >= 0, () => `evaluations is ${evaluations}`);
}

function efficiency({ values, base, residual }: Attribution, f: Score, given: Case, tolerance: number): void {
  for (let i = 0; i < values.rows; i++) {
    const start = f(rowOf(given.x, i));
    const end = weightsOf(given, i).reduce((sum, [j, p]) => sum + p * f(rowOf(given.r, j)), 0);
    demand(Math.abs(end - base[i]!) <= 1e-9, () => `base ${i} is ${base[i]}, but Σ p(j|i) f(r_j) is ${end}`);
    const sum = rowOf(values, i).reduce((total, v) => total + v, 0);
    const gap = Math.abs(start - end - sum);
    demand(gap <= tolerance, () => `row ${i}: Σφ is ${sum}, but f(x) − base is ${start - end}`);
    demand(gap <= residual + 1e-12, () => `row ${i}: Σφ is off by ${gap}, but residual says ${residual}`);
  }
}

function dummy(values: Matrix, tolerance: number): void {
  for (let i = 0; i < values.rows; i++) {
    const phi = rowOf(values, i)[PLAYERS - 1]!;
    demand(Math.abs(phi) <= tolerance, () => `row ${i}: a column the model does not read has φ = ${phi}`);
  }
}

async function symmetry(ask: Asked, given: Case, tolerance: number): Promise<void> {
  const { values } = await ask(symmetric, given);
  for (let i = 0; i < values.rows; i++) {
    const [a, b] = rowOf(values, i);
    demand(Math.abs(a! - b!) <= tolerance, () => `row ${i}: players who count alike have φ = ${a} and ${b}`);
  }
}

async function linearity(ask: Asked, given: Case, tolerance: number): Promise<void> {
  const [f, g] = [await ask(curved, given), await ask(stepped, given)];
  const sum = await ask((z) => 2 * curved(z) - 3 * stepped(z), given);
  const wanted = f.values.data.map((v, at) => 2 * v - 3 * g.values.data[at]!);
  close(sum.values, matrix(sum.values.rows, PLAYERS, wanted), 5 * tolerance);
}

async function permuted(ask: Asked, given: Case, tolerance: number): Promise<void> {
  const { x, r, coupling } = given;
  const order = Int32Array.from({ length: x.rows }, (_, i) => x.rows - 1 - i);
  const dense = matrix(coupling.n, coupling.m);
  coupling.mass.forEach((p, e) => {
    dense.data[coupling.rows[e]! * coupling.m + coupling.cols[e]!] = p;
  });
  const turned = await ask(curved, { x: takeRows(x, order), r, coupling: fromDense(takeRows(dense, order)) });
  close(turned.values, takeRows((await ask(curved, given)).values, order), tolerance);
}

async function unwritten(ask: Asked, given: Case): Promise<void> {
  const before = [given.x, given.r].map(copyOf);
  await ask(curved, given);
  for (const [side, now] of [given.x, given.r].entries()) {
    const at = now.data.findIndex((v, c) => v !== before[side]!.data[c]);
    demand(at < 0, () => `cell ${at} of ${side === 0 ? "x" : "r"} was written`);
  }
}

function close(found: Matrix, wanted: Matrix, tolerance: number): void {
  for (const [at, v] of wanted.data.entries()) {
    const off = Math.abs(found.data[at]! - v);
    demand(
      off <= tolerance,
      () => `φ of row ${Math.floor(at / PLAYERS)}, player ${at % PLAYERS} is ${found.data[at]}, not ${v}`,
    );
  }
}
