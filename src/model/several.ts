import type { Demand, Way } from "../exact/contract.ts";
import { rowOf } from "../num/matrix.ts";
import type { ExactQuestion, Matrix, Model, Reach, Structure } from "../types.ts";

/** Ways to several targets at once that are searched. */
export const MOST_WAYS = 64;

/** A model and what it is to say. */
interface Member {
  readonly model: Model;
  readonly reach: Reach;
}

/** All models of a question. */
export function membersOf({ model, reach, also = [] }: ExactQuestion): readonly Member[] {
  return [{ model, reach }, ...also];
}

/** Models that read one row of encoded columns together: the columns of each follow those of the one before. */
interface Joined {
  encode(rows: Matrix): Matrix;
  /** Encoded columns of each feature; undefined: column k is feature k. */
  readonly groups?: readonly (readonly number[])[];
  /** The models as they read the common columns. */
  readonly models: readonly Model[];
}

/** One model as it is; of several, those behind the same encoder share its columns. */
export function joined(models: readonly Model[]): Joined {
  const inside = models.map((model) => model.encoding ?? model.completed);
  const [first] = inside;
  const identity = (rows: Matrix): Matrix => rows;
  if (models.length === 1) {
    const encode = (rows: Matrix): Matrix => first?.encode(rows) ?? rows;
    return { encode, ...(first ? { groups: first.groups } : {}), models: [first?.model ?? models[0]!] };
  }
  const encoders = [...new Set(inside.map((own) => own?.encode ?? identity))];
  const groupsOf = encoders.map(
    (encode) => inside.find((own) => (own?.encode ?? identity) === encode)?.groups,
  );
  const features = groupsOf.find((own) => own !== undefined)?.length;
  if (features === undefined) return { encode: identity, models };
  const plain = Array.from({ length: features }, (_, k) => [k]);
  const own = groupsOf.map((groups) => groups ?? plain);
  const widths = own.map((groups) => groups.reduce((sum, columns) => sum + columns.length, 0));
  const starts = widths.map((_, e) => widths.slice(0, e).reduce((sum, width) => sum + width, 0));
  const total = widths.reduce((sum, width) => sum + width, 0);
  return {
    encode: (rows) => beside(encoders.map((encode) => encode(rows))),
    groups: plain.map((_, k) => own.flatMap((groups, e) => groups[k]!.map((c) => c + starts[e]!))),
    models: models.map((model, m) => {
      const start = starts[encoders.indexOf(inside[m]?.encode ?? identity)]!;
      return shifted(inside[m]?.model ?? model, start, total);
    }),
  };
}

/** Matrices of as many rows, side by side. */
function beside(parts: readonly Matrix[]): Matrix {
  const { rows } = parts[0]!;
  const cols = parts.reduce((sum, part) => sum + part.cols, 0);
  const data = new Float64Array(rows * cols);
  let from = 0;
  for (const part of parts) {
    for (let i = 0; i < rows; i++) data.set(rowOf(part, i), i * cols + from);
    from += part.cols;
  }
  return { data, rows, cols };
}

/** The structures of a model whose columns begin at `start` of `total`. */
function shifted(model: Model, start: number, total: number): Model {
  const shapes = new Map<Int32Array, Int32Array>();
  return {
    ...model,
    structure: (output) => {
      const own = model.structure?.(output);
      if (own?.kind === "linear") {
        const weights = new Float64Array(total);
        weights.set(own.weights, start);
        return { ...own, weights };
      }
      if (own?.kind !== "trees") return own;
      // Forests of one shape share it, and the search walks it once.
      const feature = shapes.get(own.feature) ?? own.feature.map((k) => (k < 0 ? k : k + start));
      shapes.set(own.feature, feature);
      return { ...own, feature };
    },
  };
}

/** The ways to all targets at once: one of each. */
export function together(each: readonly (readonly Way[])[]): readonly Way[] {
  return each.reduce<readonly Way[]>(
    (ways, own) =>
      ways.length > MOST_WAYS ? ways : ways.flatMap((way) => own.map((other) => [...way, ...other])),
    [[]],
  );
}

/** The demand that a row be as usual as x, by a forest over codes, whose columns come after the others'. */
export function usualDemand(
  forest: Structure,
  { encode, groups }: Joined,
  cols: number,
): {
  readonly demand: Demand;
  encode(rows: Matrix): Matrix;
  readonly groups: readonly (readonly number[])[];
  keeps(z: Float64Array, x: Float64Array): boolean;
} {
  const own = groups ?? Array.from({ length: cols }, (_, k) => [k]);
  const width = own.reduce((sum, columns) => sum + columns.length, 0);
  const moved = shifted(
    { outputs: [], predict: () => new Float64Array(0), structure: () => forest },
    width,
    width + cols,
  );
  const sum = (row: Float64Array): number => forest.kernels.margins(forest, { data: row, rows: 1, cols })[0]!;
  return {
    demand: {
      parts: [{ structure: moved.structure!(0)!, sign: 1 }],
      edge: Number.NEGATIVE_INFINITY,
      sure: Number.POSITIVE_INFINITY,
      allowance: USUAL_ROUNDING,
      edgeAt: sum,
    },
    encode: (rows) => beside([encode(rows), rows]),
    groups: own.map((columns, k) => [...columns, width + k]),
    keeps: (z, x) => sum(z) >= sum(x) - USUAL_ROUNDING / 2,
  };
}

/** How far sums of path lengths may be off, which are below 100. */
const USUAL_ROUNDING = 1e-9;
