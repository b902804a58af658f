import { hasLevels, levelsOf } from "../data/schema.ts";
import type { Matrix } from "../types.ts";
import type { Axis, ExactStudy } from "./contract.ts";

/** A question some model asks of one encoded column: true below a point and false above it. */
export interface ColumnTest {
  readonly column: number;
  low(encoded: number): boolean;
}

/** The axis of feature k under these tests of its own columns; `odd`: some accept no interval of numbers. */
export function axisOf(study: ExactStudy, k: number, tests: readonly ColumnTest[], odd: boolean): Axis {
  const feature = study.constraints.schema.features[k]!;
  const levels = hasLevels(feature);
  const cuts = levels ? new Float64Array(0) : cutsOf(study, k, tests);
  const inside = levels ? levelsOf(feature).map((_, v) => v) : representatives(cuts);
  let made: Matrix | undefined;
  return {
    levels,
    masked: levels || odd,
    cuts,
    cells: inside.length,
    get encoded() {
      made ??= encodeAt(study, k, Float64Array.from([...inside, Number.NaN]));
      return made;
    },
  };
}

/** The cell of a code; missing is the last. */
export function cellOf({ levels, cuts, cells }: Axis, value: number): number {
  if (Number.isNaN(value)) return cells;
  if (levels) return value;
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value > cuts[middle]!) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One code of each cell. */
function representatives(cuts: Float64Array): number[] {
  const last = cuts.at(-1);
  return [...cuts, last === undefined ? 0 : nextUp(last)];
}

/** The columns of feature k, with every other feature at a value that is there. */
function encodeAt(study: ExactStudy, k: number, values: Float64Array): Matrix {
  const cols = study.constraints.schema.features.length;
  const data = new Float64Array(values.length * cols);
  for (let i = 0; i < values.length; i++) data[i * cols + k] = values[i]!;
  const all = study.encode({ data, rows: values.length, cols });
  const own = study.groups[k]!;
  const out = new Float64Array(values.length * own.length);
  for (let i = 0; i < values.length; i++) {
    for (let c = 0; c < own.length; c++) out[i * own.length + c] = all.data[i * all.cols + own[c]!]!;
  }
  return { data: out, rows: values.length, cols: own.length };
}

/**
 * For each test the last code on its lower side, found by bisection over all doubles with the encoder itself: the
 * cells are those of the predictor to the last bit, whatever shift, scale and rounding lie between.
 */
function cutsOf(study: ExactStudy, k: number, tests: readonly ColumnTest[]): Float64Array {
  if (tests.length === 0) return new Float64Array(0);
  const own = study.groups[k]!;
  const places = tests.map((test) => own.indexOf(test.column));
  const ask = (values: Float64Array): boolean[] => {
    const { data, cols } = encodeAt(study, k, values);
    return tests.map((test, t) => test.low(data[t * cols + places[t]!]!));
  };
  const bottom = ask(new Float64Array(tests.length).fill(-Number.MAX_VALUE));
  const top = ask(new Float64Array(tests.length).fill(Number.MAX_VALUE));
  const low = new BigInt64Array(tests.length).fill(rankOf(-Number.MAX_VALUE));
  const high = new BigInt64Array(tests.length).fill(rankOf(Number.MAX_VALUE));
  const values = new Float64Array(tests.length);
  for (let round = 0; round < 64; round++) {
    for (let t = 0; t < tests.length; t++) values[t] = ofRank((low[t]! + high[t]!) >> 1n);
    ask(values).forEach((below, t) => {
      const middle = (low[t]! + high[t]!) >> 1n;
      if (below === bottom[t]) low[t] = middle;
      else high[t] = middle;
    });
  }
  const found = tests.flatMap((_, t) => (bottom[t] === top[t] ? [] : [ofRank(low[t]!)]));
  return Float64Array.from(new Set(found)).sort();
}

const DOUBLE = new Float64Array(1);
const BITS = new BigInt64Array(DOUBLE.buffer);
const SIGN = -(2n ** 63n);

/** Doubles in their order as whole numbers; −0 is one below 0. */
function rankOf(value: number): bigint {
  DOUBLE[0] = value;
  return BITS[0]! >= 0n ? BITS[0]! : SIGN - BITS[0]! - 1n;
}

function ofRank(rank: bigint): number {
  BITS[0] = rank >= 0n ? rank : SIGN - rank - 1n;
  return DOUBLE[0]!;
}

/** The next double above. */
export function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  return ofRank(rankOf(value) + 1n);
}
