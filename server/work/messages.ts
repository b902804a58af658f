import type { Ref } from "../../node/store/blobs.ts";
import type { FilesAt } from "../../node/store/store.ts";
import { ColaError, type ErrorCode, isColaError, messageOf } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import type { ServerLimits } from "../config.ts";
import { HttpError, type HttpProblem } from "../problem.ts";
import type { Uploaded } from "../run/inspect.ts";
import type { Plan } from "../run/plan.ts";
import type { Recipe } from "../run/recipe.ts";
import type { CardAsked, LetterAsked, ReportAsked } from "../run/report.ts";
import type { Kept } from "../run/result.ts";

/** What a process is started with. */
export interface Setting {
  /** Where the stored files are. */
  readonly files: FilesAt;
  readonly allowHosts: readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
  readonly limits: ServerLimits;
}

/** One piece of work: a recipe to compute, an uploaded file to look at, or a result to tell as a page. */
export type Order =
  | { readonly kind: "compute"; readonly recipe: Recipe }
  /** Compute, or cut where there are more rows than `size`. */
  | { readonly kind: "begin"; readonly recipe: Recipe; readonly size: number }
  | ({ readonly kind: "shard"; readonly limitMs: number } & ShardOf)
  | { readonly kind: "merge"; readonly recipe: Recipe; readonly plan: Plan; readonly shards: readonly Ref[] }
  | (Uploaded & { readonly kind: "data" })
  | (Uploaded & { readonly kind: "counterfactuals" })
  | { readonly kind: "report"; readonly result: Ref; readonly asked: ReportAsked }
  | { readonly kind: "letter"; readonly result: Ref; readonly asked: LetterAsked }
  | { readonly kind: "card"; readonly result: Ref; readonly asked: CardAsked }
  | { readonly kind: "model"; readonly bytes: Uint8Array };

/** One shard of a job. */
export interface ShardOf {
  readonly job: string;
  readonly number: number;
  readonly recipe: Recipe;
  readonly plan: Plan;
}

/** A computed explanation that is kept, with the digest of its model. */
export type Computed = Kept & { readonly model: string };

/** To a process: an order, or that the one in hand is not wanted any more. */
export type ToWorker = { readonly order: Order } | { readonly abort: true };

/** From a process: that it has started, how far it is, what came of it, or why nothing did. */
export type Reply =
  | { readonly ready: true }
  | { readonly progress: Progress }
  | { readonly value: unknown }
  | { readonly thrown: Thrown };

/** An error as it crosses between processes. */
interface Thrown {
  readonly kind: "cola" | "http" | "other";
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly stack: string;
}

export function packed(error: unknown): Thrown {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const plain = { message: messageOf(error), details: {}, stack };
  if (error instanceof HttpError) return { ...plain, kind: "http", code: error.code };
  if (!isColaError(error)) return { ...plain, kind: "other", code: "" };
  const details = JSON.parse(JSON.stringify(error.details)) as Record<string, unknown>;
  return { ...plain, kind: "cola", code: error.code, details };
}

export function unpacked({ kind, code, message, details, stack }: Thrown): Error {
  const error =
    kind === "cola"
      ? new ColaError(code as ErrorCode, message, details)
      : kind === "http"
        ? new HttpError(code as HttpProblem, message)
        : new Error(message);
  error.stack = stack;
  return error;
}
