import type { Explanation } from "../src/explanation.ts";
import type { TableKind } from "../src/run/near.ts";
import type { Options, Parts, Rows } from "../src/run/open.ts";
import type { Limits, Matrix, Progress, Trees } from "../src/types.ts";

/** What a thread opens its study from: tables are shared with the thread that started it, the model is loaded again. */
export interface PartStudy {
  /** The JSON of the model. */
  readonly model: unknown;
  /** Those of the models beside it. */
  readonly sturdy: { readonly also: readonly unknown[]; readonly judges: readonly unknown[] } | undefined;
  /** Whether plans of models without bounds come from a grid. */
  readonly grid: boolean;
  /** Whether reasons are measured against the nearest rows at the target. */
  readonly reasons: boolean;
  /** The forest of usual rows, without its kernels, which are functions. */
  readonly usual: Omit<Trees, "kernels"> | undefined;
  readonly references: Matrix;
  readonly training: Matrix | undefined;
  /** All else that is given, as plain data. */
  readonly options: Options & Pick<Parts, "schema" | "modelDigest">;
  readonly rows: Rows;
  readonly hash: string;
  /** Whether plans are compared with the training rows. */
  readonly realism: boolean;
}

/** To a thread: rows from … to − 1 are wanted, or nothing any more, or the rows at the target that it asked for. */
export type PartRequest =
  | { readonly from: number; readonly to: number; readonly limits: Limits | undefined }
  | { readonly target: Matrix }
  | { readonly targetError: PartError }
  | "abort";

/**
 * From a thread: how far it is; which rows at the target it needs, found once for all threads; or what came of its rows
 * and how many the model scored for them.
 */
export type PartReply =
  | { readonly progress: Progress }
  | { readonly wants: TableKind }
  | { readonly made: Explanation; readonly scored: number }
  | { readonly error: PartError; readonly scored: number };

/** An error as it crosses between threads; no code is a fault of ours. */
export interface PartError {
  readonly code?: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
