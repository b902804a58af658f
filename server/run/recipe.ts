import type { Blobs, Ref } from "../../node/store/blobs.ts";
import type { Sql } from "../../node/store/database.ts";
import { findResource, type ResourceKind } from "../../node/store/resources.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import { HttpError } from "../problem.ts";
import type { RequestOptions } from "../schemas/options.ts";
import type { ExplanationRequest } from "../schemas/request.ts";

/** The model of a recipe: trained on its table, a stored file, or an HTTP model. */
export type RecipeModel =
  | { readonly train: string }
  | { readonly file: Ref }
  | { readonly url: string; readonly protocol: string; readonly modelName?: string };

/**
 * Everything an explanation is made from, with every input as a stored file: small, the same for the same
 * request, and enough to compute the explanation again.
 */
export interface Recipe {
  readonly version: 1;
  /** null is the embedded table. */
  readonly data: Ref | null;
  readonly schema: Ref | null;
  readonly constraints: Ref | null;
  readonly factuals: Ref | null;
  readonly encoding: Ref | null;
  /** Absent: a generator makes them. */
  readonly counterfactuals?: Ref;
  /** Absent: the model's scores count as they are. */
  readonly calibration?: Ref;
  readonly model: RecipeModel;
  /** The time limit is always there: it is part of how the result was made. */
  readonly options: RequestOptions & { readonly timeout: number };
}

/** The most one request may ask for. */
export interface Caps {
  readonly rows: number;
  readonly timeMs: number;
}

/** What a recipe needs to know of the house. */
export interface Kitchen {
  readonly store: Pick<Store, "db" | "blobs">;
  readonly allowHosts: readonly string[];
}

/** Keeps the inline parts of a request as files and looks up the named ones; nothing is computed yet. */
export async function recipeOf(
  kitchen: Kitchen,
  owner: string,
  request: ExplanationRequest,
  caps: Caps,
): Promise<Recipe> {
  const { db, blobs } = kitchen.store;
  checkRows(request, caps);
  const { data, model, constraints, counterfactuals, options } = request;
  const found = async (kind: ResourceKind, id: string): Promise<Ref> => {
    const ref = await refOf(db, owner, kind, id);
    blobs.touch(ref);
    return ref;
  };
  return {
    version: 1,
    data:
      "id" in data
        ? await found("data", data.id)
        : "rows" in data
          ? json(blobs, data.rows)
          : "csv" in data
            ? blobs.put(Buffer.from(data.csv), "csv")
            : null,
    schema: request.schema ? json(blobs, request.schema) : null,
    constraints: !constraints
      ? null
      : "id" in constraints
        ? await found("constraints", constraints.id)
        : json(blobs, constraints),
    factuals: request.factuals ? json(blobs, request.factuals) : null,
    encoding: "encoding" in model && model.encoding ? json(blobs, model.encoding) : null,
    model: "id" in model ? { file: await found("model", model.id) } : remoteOrTrained(kitchen, model),
    ...(counterfactuals
      ? {
          counterfactuals:
            "id" in counterfactuals
              ? await found("counterfactuals", counterfactuals.id)
              : "csv" in counterfactuals
                ? blobs.put(Buffer.from(counterfactuals.csv), "csv")
                : jsonLines(blobs, counterfactuals.rows),
        }
      : {}),
    ...(request.calibration ? { calibration: json(blobs, request.calibration) } : {}),
    options: { ...options, timeout: Math.min(options.timeout ?? Infinity, caps.timeMs / 1000) },
  };
}

function checkRows({ factuals, options }: ExplanationRequest, caps: Caps): void {
  const rows = factuals?.length ?? options.rows ?? 10;
  if (rows <= caps.rows) return;
  throw new ColaError(
    "SIZE_LIMIT",
    `explain: ${rows} rows to explain, more than ${caps.rows} here; send a job, or split the request.`,
    { rows, limit: caps.rows },
  );
}

function json(blobs: Blobs, value: unknown): Ref {
  return blobs.put(Buffer.from(JSON.stringify(value)), "json");
}

/** As lines, not as a list: a JSON file of counterfactuals is another tool's. */
function jsonLines(blobs: Blobs, rows: readonly unknown[]): Ref {
  return blobs.put(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")), "jsonl");
}

async function refOf(sql: Sql, owner: string, kind: ResourceKind, id: string): Promise<Ref> {
  const resource = await findResource(sql, owner, kind, id);
  if (resource) return resource.ref;
  throw new HttpError("NOT_FOUND", `There is no ${kind} ${id}; upload it first.`);
}

function remoteOrTrained(
  kitchen: Kitchen,
  model: Exclude<ExplanationRequest["model"], { id: string }>,
): RecipeModel {
  if ("train" in model) return { train: model.train };
  checkHost(kitchen, model.url);
  const { url, protocol, modelName } = model;
  return { url, protocol, ...(modelName === undefined ? {} : { modelName }) };
}

/** No address is called unless the operator named its host; redirects are refused where the model is called. */
export function checkHost({ allowHosts }: Pick<Kitchen, "allowHosts">, address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (plain && (allowHosts.includes(url.host) || allowHosts.includes(url.hostname))) return;
  throw new HttpError(
    "HOST_REFUSED",
    "The host of this model is not allowed here; the operator can allow it with --allow-hosts.",
  );
}
