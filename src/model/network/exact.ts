import { hasLevels, levelsOf } from "../../data/schema.ts";
import { boundedSearch } from "../../exact/bounded.ts";
import type { BoundedWay, Spread } from "../../exact/bounded-contract.ts";
import type { Demand, ExactStudy } from "../../exact/contract.ts";
import type { PlanSearch } from "../../exact/plan.ts";
import { rowOf } from "../../num/matrix.ts";
import type { ExactQuestion, LinearStructure, Matrix } from "../../types.ts";
import { exactWith } from "../exact.ts";
import { type Effect, FirstLayer } from "./first-layer.ts";
import { type Head, headAt, type Layers, unitsAt } from "./layers.ts";
import { networkError } from "./range.ts";
import { Relaxation, type Sum } from "./relax.ts";

/** One output of a network. */
export interface NetworkInside extends Pick<LinearStructure, "link" | "single"> {
  readonly kind: "network";
  readonly net: Layers;
  readonly head: Head;
}

/** Plans over all legal values for targets that a network's outputs tell. */
export function exactNetwork(
  question: ExactQuestion,
  insides: readonly NetworkInside[],
): PlanSearch | undefined {
  return exactWith<NetworkInside>(
    question,
    {
      of: (_, output) => insides[output],
      margins: ({ net, head }, rows) =>
        Float64Array.from({ length: rows.rows }, (_, i) => headAt(head, unitsAt(net, rowOf(rows, i)))),
      error: ({ net, head }, sizes) => networkError(net, head, sizes).error,
    },
    (study) => boundedSearch(study, openNetwork),
  );
}

/** How far what a feature adds may be from a straight line, relative to its size. */
const STRAIGHT = 1e-12;
/** What the search's own sums, in double precision and from other parts, may be off beyond the model's. */
const OWN = 16;
const OWN_SIZE = 1e-11;

/** A feature's columns, by its value. */
interface Columns {
  readonly columns: readonly number[];
  /** Column = start + slope·value; none for levels. */
  readonly start: Float64Array;
  readonly slope: Float64Array;
  cells(value: number): Float64Array;
  /** The largest number of each column over all legal values. */
  readonly sizes: Float64Array;
}

function openNetwork(
  study: ExactStudy<NetworkInside>,
  demands: readonly Demand<NetworkInside>[],
): BoundedWay<NetworkInside> | undefined {
  const { net } = demands[0]!.parts[0]!.structure;
  const features = study.groups.map((_, k) => columnsOf(study, k));
  if (features.includes(undefined)) return undefined;
  const known = features as readonly Columns[];
  return {
    demands,
    reads: (k, value) => known[k]!.cells(value).every(Number.isFinite),
    row: (x, spreads) => rowBounds(net, study, demands, known, x, spreads),
  };
}

function columnsOf(study: ExactStudy<NetworkInside>, k: number): Columns | undefined {
  const columns = study.groups[k]!;
  const feature = study.constraints.schema.features[k]!;
  const cols = study.constraints.schema.features.length;
  const cells = (value: number): Float64Array => {
    const data = new Float64Array(cols);
    data[k] = value;
    const row = study.encode({ data, rows: 1, cols });
    return Float64Array.from(columns, (c) => row.data[c]!);
  };
  const sizesOf = (values: readonly number[]): Float64Array => {
    const sizes = new Float64Array(columns.length);
    for (const value of values)
      cells(value).forEach((cell, c) => {
        if (Math.abs(cell) > sizes[c]!) sizes[c] = Math.abs(cell);
      });
    return sizes;
  };
  const none = new Float64Array(columns.length);
  if (hasLevels(feature)) {
    const sizes = sizesOf([...levelsOf(feature).keys(), Number.NaN]);
    return { columns, cells, start: none, slope: none, sizes };
  }
  const { min = study.low[k]!, max = study.high[k]! } = feature;
  const [a, b] = min < max ? [min, max] : [0, 1];
  const [atA, atB] = [cells(a), cells(b)];
  const slope = atA.map((cell, c) => (atB[c]! - cell) / (b - a));
  const start = atA.map((cell, c) => cell - slope[c]! * a);
  for (const value of [a + (b - a) / 3, (a + b) / 2, b + (b - a)]) {
    const straight = cells(value).every((cell, c) => {
      const size = Math.abs(start[c]!) + Math.abs(slope[c]!) * (Math.abs(a) + Math.abs(b) + Math.abs(value));
      return Math.abs(cell - start[c]! - slope[c]! * value) <= STRAIGHT * size;
    });
    if (!straight) return undefined;
  }
  const codes = feature.missing ?? [];
  return { columns, cells, start, slope, sizes: sizesOf([a, b, min, max, Number.NaN, ...codes]) };
}

/** The bounds of one row: what each feature can add to the first layer, beside what x already does. */
function rowBounds(
  net: Layers,
  study: ExactStudy<NetworkInside>,
  demands: readonly Demand<NetworkInside>[],
  features: readonly Columns[],
  x: Float64Array,
  spreads: readonly Spread[],
): Relaxation {
  const own = study.encode({ data: x, rows: 1, cols: x.length } satisfies Matrix).data;
  const { units, inputs, weights, biases } = net.layers[0]!;
  const through = (columns: readonly number[], cells: ArrayLike<number>): Float64Array => {
    const out = new Float64Array(units);
    for (let j = 0; j < units; j++)
      columns.forEach((c, at) => {
        out[j]! += weights[j * inputs + c]! * cells[at]!;
      });
    return out;
  };
  const base = through([...own.keys()], own).map((sum, j) => sum + biases[j]!);
  const sizes = own.map(Math.abs);
  const effects = new Map(
    spreads.map(({ feature: k, low, high, points }) => {
      const { columns, cells, start, slope, sizes: most } = features[k]!;
      columns.forEach((c, at) => {
        sizes[c] = Math.max(sizes[c]!, most[at]!);
      });
      const now = columns.map((c) => own[c]!);
      const beyond = (to: ArrayLike<number>): Float64Array =>
        through(
          columns,
          now.map((cell, at) => to[at]! - cell),
        );
      // From a gap a feature goes to numbers that have no place of x to be counted from.
      const gap = !now.every((cell, at) => isNear(cell, start[at]! + slope[at]! * x[k]!));
      const effect: Effect = {
        origin: gap ? 0 : x[k]!,
        slope: through(columns, slope),
        ...(gap && low <= high ? { shift: beyond(start) } : {}),
        points: new Map(points.map(({ value }) => [value, beyond(cells(value))])),
      };
      return [k, effect] as const;
    }),
  );
  return new Relaxation(
    net,
    demands.map((demand) => sumOf(net, demand, sizes)),
    new FirstLayer(base, effects),
  );
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(a));

/** A demand as one sum over the last layer. */
function sumOf(net: Layers, { parts }: Demand<NetworkInside>, sizes: Float64Array): Sum {
  const factors = new Float64Array(net.layers.at(-1)!.units);
  let offset = 0;
  for (const { structure, sign } of parts) {
    offset += sign * structure.head.offset;
    structure.head.factors.forEach((f, u) => {
      factors[u]! += sign * f;
    });
  }
  const theirs = networkError(net, { offset, factors }, sizes);
  const ours = networkError({ ...net, single: false }, { offset, factors }, sizes);
  return { offset, factors, error: theirs.error + OWN * ours.error + OWN_SIZE * ours.size };
}
