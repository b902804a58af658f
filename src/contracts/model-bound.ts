import { boundOf, scoreRange } from "../model/bound.ts";
import type { Box, Cells } from "../model/kernels.ts";
import { rowOf } from "../num/matrix.ts";
import { type Random, stream } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { demand, type Trial } from "./law.ts";

/** Boxes drawn, and rows drawn in each. */
const BOXES = 24;
const ROWS = 16;
/** A column of at most this many values is bounded by lists of them: they may be levels. */
const FEW = 12;
/** How wide the bounds of one row may be, for scores of size one: a sum in float32 is far less certain. */
const POINT = { double: 1e-6, single: 0.05 };

/**
 * Bounds against the model itself: every row drawn from a box has margin and score within its bounds, a box within
 * another has bounds within the other's, and those of a single row are its score up to rounding.
 */
export async function compareBound(trial: Trial): Promise<string> {
  const { model, rows } = trial;
  const outputs = [...model.outputs.keys()].filter((o) => boundOf(model, o));
  if (outputs.length === 0) return "not offered";
  const random = stream(0, "boxes");
  const columns = Array.from({ length: rows.cols }, (_, c) => seenIn(rows, c));
  for (let b = 0; b < BOXES; b++) {
    const box = columns.map((seen) => cellsOf(random, seen));
    const points = drawn(random, box, columns);
    const [inner, at] = [box.map((cells) => part(random, cells)), random.int(rows.rows)];
    for (const o of outputs) {
      await within(trial, o, box, points);
      shrinks(trial, o, box, inner);
      onPoint(trial, o, at);
    }
  }
  return `${BOXES} boxes hold ${ROWS} rows each, those within them have bounds within theirs, single rows their score`;
}

/** The numbers of a column, ascending, and whether it has gaps. */
interface Seen {
  readonly values: readonly number[];
  readonly gaps: boolean;
}

function seenIn({ data, rows, cols }: Matrix, c: number): Seen {
  const all = Array.from({ length: rows }, (_, i) => data[i * cols + c]!);
  const numbers = all.filter((v) => !Number.isNaN(v));
  return { values: [...new Set(numbers)].sort((a, b) => a - b), gaps: numbers.length < rows };
}

function cellsOf(random: Random, { values, gaps }: Seen): Cells {
  const missing = gaps && random.next() < 0.5 ? { missing: true } : {};
  if (values.length === 0) return { low: 1, high: 0, missing: true };
  const ends = [values[random.int(values.length)]!, values[random.int(values.length)]!];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (values.length > FEW) return { low, high, ...missing };
  const listed = values.filter((v) => v === low || random.next() < 0.5);
  return { low: listed[0]!, high: listed.at(-1)!, values: listed, ...missing };
}

/** Some of the cells. */
function part(random: Random, cells: Cells): Cells {
  const { low, high, values, missing } = cells;
  const kept = missing && random.next() < 0.7 ? { missing } : {};
  if (!(low <= high)) return cells;
  if (!values) {
    const ends = [low + random.next() * (high - low), low + random.next() * (high - low)];
    return { low: Math.min(...ends), high: Math.min(high, Math.max(...ends)), ...kept };
  }
  const keep = random.int(values.length);
  const listed = values.filter((_, t) => t === keep || random.next() < 0.5);
  return { low: listed[0]!, high: listed.at(-1)!, values: listed, ...kept };
}

/** Rows of a box: its corners among them, and cells that rows were seen to have. */
function drawn(random: Random, box: Box, columns: readonly Seen[]): Matrix {
  const data = new Float64Array(ROWS * box.length).map((_, at) => {
    const c = at % box.length;
    const { low, high, values, missing } = box[c]!;
    if (missing && (!(low <= high) || random.next() < 0.3)) return Number.NaN;
    if (values) return values[random.int(values.length)]!;
    const seen = columns[c]!.values;
    const value = seen[random.int(seen.length)]!;
    const draw = random.int(4);
    if (draw === 0 && value >= low && value <= high) return value;
    return draw === 1 ? low : draw === 2 ? high : Math.min(high, low + random.next() * (high - low));
  });
  return { data, rows: ROWS, cols: box.length };
}

async function within({ model, ask }: Trial, o: number, box: Box, points: Matrix): Promise<void> {
  const [low, high] = boundOf(model, o)!.range(box);
  const [least, most] = scoreRange(model, o, box)!;
  const scores = await ask(points, o);
  scores.forEach((score, i) => {
    demand(
      score >= least && score <= most,
      () =>
        `output ${o} of ${told(points, i)} scores ${score}, outside the bounds ${least} … ${most} of a box it is in`,
    );
  });
  model.margin?.(points, o).forEach((margin, i) => {
    demand(
      margin >= low && margin <= high,
      () => `output ${o} of ${told(points, i)} has margin ${margin}, outside the bounds ${low} … ${high}`,
    );
  });
}

const told = (rows: Matrix, i: number): string => `[${rowOf(rows, i).join(", ")}]`;

function shrinks({ model }: Trial, o: number, box: Box, inner: Box): void {
  const bound = boundOf(model, o)!;
  const [outside, inside] = [bound.range(box), bound.range(inner)];
  demand(
    inside[0] >= outside[0] && inside[1] <= outside[1],
    () => `output ${o}: bounds ${inside.join(" … ")} of a box within one of bounds ${outside.join(" … ")}`,
  );
}

function onPoint({ model, rows, scores }: Trial, o: number, i: number): void {
  const box = Array.from(
    rowOf(rows, i),
    (v): Cells => (Number.isNaN(v) ? { low: 1, high: 0, missing: true } : { low: v, high: v, values: [v] }),
  );
  const [low, high] = scoreRange(model, o, box)!;
  const score = scores[o]![i]!;
  const room = POINT[boundOf(model, o)!.single ? "single" : "double"] * (1 + Math.abs(score));
  demand(
    low <= score && score <= high && high - low <= room,
    () => `output ${o} of row ${i} scores ${score}, but its bounds are ${low} … ${high}`,
  );
}
