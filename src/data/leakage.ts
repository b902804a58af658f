import { stream } from "../num/random.ts";
import { rocAuc, sorted } from "../num/stats.ts";
import type { Matrix, Schema } from "../types.ts";
import { Note } from "./notes.ts";
import { hasLevels } from "./schema.ts";
import { splitRows } from "./split.ts";

/** A feature that gives the outcome away: by itself it ranks rows it was not fitted on with this area under the ROC curve. */
export interface Leak {
  readonly feature: string;
  readonly auc: number;
  /** Each of its few values goes with one outcome, over all rows. */
  readonly always: boolean;
}

/** Held-out AUC from which a single column is hardly an honest predictor. */
const SUSPECT = 0.99;
/** Rows of a class, and of the others, that the held-out half must have for its AUC to say something. */
const LEAST = 20;
/** Rows looked at, and intervals of a number. */
const MOST_ROWS = 20_000;
const BINS = 64;
/** Values a feature that tells the outcome may have for each class; with more it may just be fine-grained. */
const VALUES_PER_CLASS = 5;

/**
 * Features that alone tell the outcome: mostly the outcome under another name, or something known only after it. Of
 * half the rows the share of each class is taken per level, or per interval of as many values; the other half is ranked
 * by it, one class against the rest, and the AUC of the classes is averaged by their size.
 */
export function leakage(schema: Schema, rows: Matrix, labels: Int32Array, classes: number): Leak[] {
  const { train, test } = halves(rows.rows);
  return schema.features.flatMap((feature, k) => {
    if (feature.derived) return [];
    const column = Float64Array.from({ length: rows.rows }, (_, i) => rows.data[i * rows.cols + k]!);
    const always = tells(column, labels, classes);
    const bins = hasLevels(feature) ? column : binned(column, train);
    const auc = always ? 1 : heldOut(bins, labels, classes, train, test);
    return auc >= SUSPECT ? [{ feature: feature.name, auc, always }] : [];
  });
}

function halves(n: number): { readonly train: Int32Array; readonly test: Int32Array } {
  if (n < 2) return { train: new Int32Array(n), test: new Int32Array(0) };
  const { train, test } = splitRows(n, 0.5, stream(0, "leakage"));
  return { train: train.slice(0, MOST_ROWS / 2), test: test.slice(0, MOST_ROWS / 2) };
}

/** The interval each number lies in, by the quantiles of some rows; gaps stay gaps. */
function binned(column: Float64Array, train: Int32Array): Float64Array {
  const known = sorted(Array.from(train, (i) => column[i]!).filter((v) => !Number.isNaN(v)));
  const count = Math.min(BINS, Math.ceil(Math.sqrt(known.length)));
  const edges = [
    ...new Set(
      Array.from({ length: count - 1 }, (_, b) => known[Math.floor(((b + 1) * known.length) / count)]!),
    ),
  ];
  return column.map((v) => (Number.isNaN(v) ? v : edges.filter((edge) => edge <= v).length));
}

/** The AUC of the other half; NaN where no class has rows enough. */
function heldOut(
  bins: Float64Array,
  labels: Int32Array,
  classes: number,
  train: Int32Array,
  test: Int32Array,
): number {
  let [sum, weight] = [0, 0];
  for (let c = 0; c < classes; c++) {
    const isOwn = Array.from(test, (i) => Number(labels[i] === c));
    const own = isOwn.reduce((a, b) => a + b, 0);
    if (own < LEAST || test.length - own < LEAST) continue;
    const share = sharesOf(bins, labels, c, train);
    sum +=
      own *
      rocAuc(
        isOwn,
        Array.from(test, (i) => share(bins[i]!)),
      );
    weight += own;
  }
  return sum / weight;
}

/** The share of a class among the rows of a bin, one more row counted as the average. */
function sharesOf(
  bins: Float64Array,
  labels: Int32Array,
  c: number,
  train: Int32Array,
): (bin: number) => number {
  const seen = new Map<number, [own: number, all: number]>();
  let total = 0;
  for (const i of train) {
    const own = Number(labels[i] === c);
    const [a, b] = seen.get(bins[i]!) ?? [0, 0];
    seen.set(bins[i]!, [a + own, b + 1]);
    total += own;
  }
  const average = total / train.length;
  return (bin) => {
    const [own, all] = seen.get(bin) ?? [0, 0];
    return (own + average) / (all + 1);
  };
}

function tells(column: Float64Array, labels: Int32Array, classes: number): boolean {
  const most = Math.min(VALUES_PER_CLASS * classes, column.length / 2);
  const label = new Map<number, number>();
  return column.every((value, i) => {
    if (Number.isNaN(value)) return false;
    if (!label.has(value)) label.set(value, labels[i]!);
    return label.get(value) === labels[i] && label.size <= most;
  });
}

/** What to know of a feature that gives the outcome away, and what to do. */
export function leakNote({ feature, auc, always }: Leak, label: string): Note {
  return always
    ? new Note("leakAlways", { feature, label })
    : new Note("leakAuc", { feature, label, auc: Math.floor(auc * 1000) / 1000 });
}

export const isLeak = ({ code }: Note): boolean => code === "leakAlways" || code === "leakAuc";
