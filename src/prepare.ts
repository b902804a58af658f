import { type Overlay, withConstraints } from "./data/overlay.ts";
import { plainSchema } from "./data/schema.ts";
import { ColaError } from "./errors.ts";
import type { ExplainedRow, Explanation } from "./explanation.ts";
import { asModel } from "./model/contract.ts";
import { matrix } from "./num/matrix.ts";
import { loadModel } from "./read/load.ts";
import { type Options, open, type Parts } from "./run/open.ts";
import { given, plain } from "./run/plain.ts";
import type { Matrix, ModelLike, Schema, WorkOptions } from "./types.ts";

/** Options of an explainer: those of `explain` that do not belong to one call. */
export type PrepareOptions = Options & Pick<Parts, "modelDigest">;

export interface PrepareInput {
  readonly model: ModelLike;
  /** The pool of counterfactual rows. */
  readonly references: Matrix;
  readonly schema?: Schema;
  /** Feature constraints and rules laid over the schema's own. */
  readonly constraints?: Overlay;
  readonly training?: Matrix;
  readonly options?: PrepareOptions;
}

/** Answers one person at a time; its state is plain JSON, apart from a model that is only a function. */
export interface Explainer {
  /** The plan of one row (codes, in schema order). */
  row(x: ArrayLike<number>, work?: WorkOptions): Promise<ExplainedRow>;
  /** The plans of many; each equals what `row` says of it alone (for the goal `each` with the default coupling). */
  rows(x: Matrix, work?: WorkOptions): Promise<Explanation>;
  toJSON(): ExplainerState;
}

export interface ExplainerState {
  readonly type: "explainer";
  readonly version: 1;
  /** null when the model is a function and has to be given again. */
  readonly model: unknown;
  readonly references: SavedRows;
  readonly training: SavedRows | null;
  readonly schema: Schema | null;
  readonly options: PrepareOptions;
}

interface SavedRows {
  readonly cols: number;
  /** Row-major cells; null is missing. */
  readonly cells: readonly (number | null)[];
}

/** Keeps everything but the person: model, references, schema, constraints, options. */
export function prepare(input: PrepareInput): Explainer {
  const { constraints } = input;
  const schema = constraints
    ? withConstraints(input.schema ?? plainSchema(input.references.cols), constraints)
    : input.schema;
  const { model, references, training, options = {} } = input;
  const opened = open(
    { model, references, ...given({ schema, training, modelDigest: options.modelDigest }) },
    options,
  );
  const rows: Explainer["rows"] = (x, work) => opened.ask({ x }, work);
  return {
    rows,
    row: async (x, work) => (await rows(matrix(1, x.length, Float64Array.from(x)), work)).rows[0]!,
    toJSON: () => ({
      type: "explainer",
      version: 1,
      model: asModel(model).toJSON?.() ?? null,
      references: saved(references),
      training: training ? saved(training) : null,
      schema: schema ?? null,
      options: plain(options),
    }),
  };
}

/** The explainer a state describes; a function model has to be given again. */
export function loadExplainer(state: ExplainerState, model?: ModelLike): Explainer {
  if (state?.type !== "explainer" || state.version !== 1) {
    throw new ColaError("MODEL_FILE_INVALID", "loadExplainer: this is not an explainer state of version 1.");
  }
  if (!model && state.model === null) {
    throw new ColaError(
      "OPTION_INVALID",
      "loadExplainer: the state was made with a function as model; give it again as `model`.",
    );
  }
  return prepare({
    model: model ?? loadModel(state.model),
    references: restored(state.references),
    ...(state.training ? { training: restored(state.training) } : {}),
    ...(state.schema ? { schema: state.schema } : {}),
    options: state.options,
  });
}

function saved(rows: Matrix): SavedRows {
  return { cols: rows.cols, cells: Array.from(rows.data, (v) => (Number.isNaN(v) ? null : v)) };
}

function restored({ cols, cells }: SavedRows): Matrix {
  return matrix(
    cells.length / cols,
    cols,
    Float64Array.from(cells, (v) => v ?? Number.NaN),
  );
}
