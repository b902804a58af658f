import { scaledRows } from "../src/data/metric.ts";
import { decodeCell } from "../src/data/schema.ts";
import { distance } from "../src/evaluate/distance.ts";
import { lofAgainst } from "../src/evaluate/lof.ts";
import { sparsity } from "../src/evaluate/sparsity.ts";
import { validity } from "../src/evaluate/validity.ts";
import { yNN } from "../src/evaluate/ynn.ts";
import { sameValue, takeRows } from "../src/num/matrix.ts";
import { mean, median, quantile } from "../src/num/stats.ts";
import type { Matrix, Target } from "../src/types.ts";
import type { Arena } from "./contest-setup.ts";
import { rounded } from "./curves.ts";

/** The columns of the contest. Edits, distances, margin, yNN and LOF are over the rows that reach the goal. */
export interface Judged {
  /** Share of the rows at the goal, and rows left without a plan. */
  readonly validity: number;
  readonly without: number;
  readonly edits: number;
  readonly edits90: number;
  readonly l1: number;
  readonly l2: number;
  readonly margin: number;
  readonly yNN: number;
  /** The median: stacked copies among the training rows make a neighbour's LOF huge. */
  readonly lof: number;
  /** Mean share of the valid rows that bootstrap models put at the target too. */
  readonly robust: number;
  readonly modelRows: number;
  /** Row by row, null where there is no plan: [edits, margin, yNN, L2]. */
  readonly perRow: readonly (readonly [number, number, number, number] | null)[];
}

/** Rows of the training set that plausibility is measured against at most. */
const REFERENCE_ROWS = 2000;
/** Shares of rows served before somebody is left out. */
const SERVED = 0.8;

interface LeftOut {
  readonly feature: string;
  readonly group: string;
  readonly rows: number;
  /** Rows expected to be left out when lots decide among rows of as many edits. */
  readonly left: number;
}

/** Measures z against its goals; `brief`: edits and validity alone. */
export async function judge(
  arena: Arena,
  z: Matrix,
  modelRows: number,
  targets: readonly Target[],
  brief = false,
): Promise<{ summary: Judged; leftOut: LeftOut[] }> {
  const { model, x, metric, target, judges } = arena;
  const there = await reached(arena, z, targets);
  const good = Array.from(there, (_, i) => i).filter((i) => there[i]);
  const { edits } = sparsity(x, z);
  const empty = brief || good.length === 0;
  const own = takeRows(z, good);
  const [from, to] = [scaledRows(metric, takeRows(x, good)), scaledRows(metric, own)];
  const far = empty ? undefined : distance(from, to);
  const margins = empty ? new Float64Array(good.length) : (await validity(model, own, target)).margins;
  const around = empty ? undefined : await surroundings(arena);
  const placed = withoutGaps(to);
  const near = around && (await yNN(placed, around.rows, around.valid)).rows;
  const odd = around ? median(await around.lof(placed)) : Number.NaN;
  const again: number[] = [];
  for (const other of empty ? [] : judges) again.push((await validity(other, own, target)).share);
  const counts = good.map((i) => edits[i]!);
  const summary: Judged = {
    validity: rounded(good.length / x.rows),
    without: x.rows - good.length,
    edits: rounded(mean(counts)),
    edits90: rounded(quantile(counts, 0.9)),
    l1: rounded(far ? mean(far.l1) : Number.NaN),
    l2: rounded(far ? mean(far.l2) : Number.NaN),
    margin: rounded(mean(margins)),
    yNN: rounded(near ? mean(near) : Number.NaN),
    lof: rounded(odd),
    robust: rounded(mean(again)),
    modelRows,
    perRow: brief ? [] : Array.from(there, (yes, i) => (yes ? perRow(good.indexOf(i)) : null)),
  };
  function perRow(at: number): readonly [number, number, number, number] {
    const of = (values: ArrayLike<number> | undefined): number => rounded(values?.[at] ?? Number.NaN);
    return [counts[at]!, of(margins), of(near), of(far?.l2)];
  }
  return { summary, leftOut: brief ? [] : leftOut(arena, there, edits) };
}

interface Surroundings {
  readonly rows: Matrix;
  readonly valid: Uint8Array;
  readonly lof: (z: Matrix) => Promise<Float64Array>;
}

const known = new WeakMap<Matrix, Promise<Surroundings>>();

/** What plausibility is measured against, made once for the training rows of an arena. */
export function surroundings({
  model,
  metric,
  target,
  train,
}: Pick<Arena, "model" | "metric" | "target" | "train">): Promise<Surroundings> {
  const make = async (): Promise<Surroundings> => {
    const first = Array.from({ length: Math.min(train.rows, REFERENCE_ROWS) }, (_, i) => i);
    const real = takeRows(train, first);
    const rows = withoutGaps(scaledRows(metric, real));
    return { rows, valid: (await validity(model, real, target)).valid, lof: await lofAgainst(rows) };
  };
  const held = known.get(train) ?? make();
  known.set(train, held);
  return held;
}

async function reached({ model }: Arena, z: Matrix, targets: readonly Target[]): Promise<Uint8Array> {
  if (targets.every((target) => target === targets[0])) return (await validity(model, z, targets[0]!)).valid;
  const flags = new Uint8Array(z.rows);
  for (let i = 0; i < z.rows; i++)
    flags[i] = (await validity(model, takeRows(z, [i]), targets[i]!)).valid[0]!;
  return flags;
}

/** Gaps lie at the mean for neighbour searches that need numbers. */
export function withoutGaps(rows: Matrix): Matrix {
  return { ...rows, data: rows.data.map((v) => (Number.isNaN(v) ? 0 : v)) };
}

/** The chance of each row to be left out when the rows of fewest edits are served until 80 % are. */
export function leftOutChances(there: Uint8Array, edits: Int32Array): Float64Array {
  let places = Math.ceil(SERVED * there.length);
  const chances = Float64Array.from(there, () => 1);
  const counts = [...new Set(edits.filter((_, i) => there[i]))].sort((a, b) => a - b);
  for (const count of counts) {
    const tied = Array.from(there, (_, i) => i).filter((i) => there[i] && edits[i] === count);
    const share = Math.min(1, places / tied.length);
    for (const i of tied) chances[i] = 1 - share;
    places -= share * tied.length;
  }
  return chances;
}

/** Who is left out, by protected feature and group. */
function leftOut({ constraints, x }: Arena, there: Uint8Array, edits: Int32Array): LeftOut[] {
  const chances = leftOutChances(there, edits);
  const features = constraints.schema.features;
  return features.flatMap((feature, k) => {
    if (!PROTECTED.test(feature.name)) return [];
    const groups = new Map<string, { rows: number; left: number }>();
    for (let i = 0; i < x.rows; i++) {
      const v = x.data[i * x.cols + k]!;
      const name = feature.kind === "integer" ? band(v) : String(decodeCell(feature, v) ?? "missing");
      const held = groups.get(name) ?? { rows: 0, left: 0 };
      groups.set(name, { rows: held.rows + 1, left: held.left + chances[i]! });
    }
    return [...groups].sort().map(([group, counts]) => ({ feature: feature.name, group, ...counts }));
  });
}

const PROTECTED = /^(age|sex|race|age_cat|country)$/i;
const band = (age: number): string =>
  sameValue(age, Number.NaN) ? "missing" : age < 25 ? "under 25" : age < 45 ? "25 to 44" : "45 and over";
