import { ColaError } from "../errors.ts";
import { refuseMissing } from "../model/row-model.ts";
import { checkMatrix } from "../num/matrix.ts";
import { type Random, stream } from "../num/random.ts";
import type { Matrix, WorkOptions } from "../types.ts";

/** What every `fitX` takes beside its own options. Signal and progress are those of `fit`, which can wait. */
export interface FitOptions extends WorkOptions {
  /** Names of the outputs, in class order. Default "0", "1", … */
  readonly classes?: readonly string[];
  /** Weight of each class; `balanced` is n / (K · rows of the class). Default 1 each. */
  readonly classWeight?: "balanced" | readonly number[];
  /** Weight of each row, ≥ 0: weight 2 counts like the row twice. Default 1 each. */
  readonly weights?: ArrayLike<number>;
}

/** Rows with their classes, checked. */
export interface ClassTask {
  readonly x: Matrix;
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  /** Row weights, class weights included. */
  readonly weights: Float64Array;
  /** Row weights as given. */
  readonly rowWeights: Float64Array;
}

/** The door of the classifiers: checks rows, labels, class names and weights. */
export function classTask(
  owner: string,
  x: Matrix,
  y: ArrayLike<number>,
  options: FitOptions = {},
  missing: "refused" | "allowed" = "refused",
): ClassTask {
  checkMatrix(owner, "x", x);
  if (missing === "refused") refuseMissing(owner, x);
  const labels = checkLabels(owner, x, y);
  const seen = new Set(labels);
  const most = Math.max(1, ...seen);
  const classes = options.classes ?? Array.from({ length: most + 1 }, (_, c) => String(c));
  if (classes.length <= most || classes.length < 2) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: y holds class ${most}, but options.classes names ${classes.length} classes; name every class once, in order.`,
      { classes: classes.length, largest: most },
    );
  }
  if (seen.size < 2) {
    throw new ColaError(
      "FIT_FAILED",
      `${owner}: all ${x.rows} rows are of class ${labels[0]}; give rows of at least two classes.`,
      { class: labels[0] },
    );
  }
  return { x, labels, classes: [...classes], ...weigh(owner, labels, classes.length, options) };
}

function checkLabels(owner: string, x: Matrix, y: ArrayLike<number>): Int32Array {
  if (y?.length !== x.rows) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: x has ${x.rows} rows and y ${y?.length ?? "no"} labels; give one class index per row.`,
      { rows: x.rows, labels: y?.length },
    );
  }
  const labels = new Int32Array(x.rows);
  for (let i = 0; i < x.rows; i++) {
    const label = y[i]!;
    labels[i] = label;
    if (Number.isInteger(label) && label >= 0 && label < x.rows) continue;
    throw new ColaError(
      "VALUE_INVALID",
      `${owner}: y[${i}] is ${label}; labels are class indices 0, 1, … (name the classes with options.classes).`,
      { row: i, value: String(label) },
    );
  }
  return labels;
}

function weigh(
  owner: string,
  labels: Int32Array,
  classes: number,
  options: FitOptions,
): Pick<ClassTask, "weights" | "rowWeights"> {
  const { weights, classWeight } = options;
  if (weights && weights.length !== labels.length) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: options.weights has ${weights.length} numbers for ${labels.length} rows; give one per row.`,
      { weights: weights.length, rows: labels.length },
    );
  }
  const own = new Float64Array(labels.length).fill(1);
  if (weights) for (let i = 0; i < own.length; i++) own[i] = weights[i] ?? 1;
  const factors = classFactors(owner, labels, own, classes, classWeight);
  const all = own.map((w, i) => w * factors[labels[i]!]!);
  const sums = new Float64Array(classes);
  all.forEach((w, i) => {
    sums[labels[i]!]! += w;
  });
  if (all.every((w) => w >= 0 && w - w === 0) && sums.filter((s) => s > 0).length >= 2) {
    return { weights: all, rowWeights: own };
  }
  throw new ColaError(
    "WEIGHTS_INVALID",
    `${owner}: row and class weights must be finite, ≥ 0 and positive for rows of at least two classes.`,
    { sums: Array.from(sums) },
  );
}

function classFactors(
  owner: string,
  labels: Int32Array,
  own: Float64Array,
  classes: number,
  classWeight: FitOptions["classWeight"],
): ArrayLike<number> {
  if (classWeight === undefined) return new Float64Array(classes).fill(1);
  if (classWeight === "balanced") {
    const sums = new Float64Array(classes);
    let total = 0;
    own.forEach((w, i) => {
      sums[labels[i]!]! += w;
      total += w;
    });
    return sums.map((s) => (s > 0 ? total / (classes * s) : 0));
  }
  if (classWeight.length === classes) return classWeight;
  throw new ColaError(
    "INPUT_SHAPE",
    `${owner}: options.classWeight has ${classWeight.length} numbers for ${classes} classes; give one per class, or "balanced".`,
    { classWeight: classWeight.length, classes },
  );
}

/** The stream a fit draws from: named below what it was given, which is not advanced; a number is a seed. */
export function streamOf(random: Random | number | undefined, name: string): Random {
  return typeof random === "object" ? random.split(name) : stream(random ?? 0, name);
}
