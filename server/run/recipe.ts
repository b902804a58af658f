import { digestOf, type Ref } from "../../node/store/blobs.ts";
import type { Sql } from "../../node/store/database.ts";
import {
  findResource,
  hasInline,
  putInline,
  type Resource,
  type ResourceKind,
} from "../../node/store/resources.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import type { Defaults } from "../../src/run/open.ts";
import { defaultsFor } from "../../study/method.ts";
import type { RequestOptions } from "../../study/options.ts";
import { HttpError } from "../problem.ts";
import type { Quota } from "../quota.ts";
import { Packed } from "../schemas/packed.ts";
import type { ExplanationRequest } from "../schemas/request.ts";

/** The model of a recipe: trained on its table, a stored file, or an HTTP model. */
type RecipeModel =
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
  /** What people call the uploads among these. */
  readonly names?: { readonly data?: string; readonly model?: string; readonly counterfactuals?: string };
  /** Nobody asked for the time limit: it is the server's own. */
  readonly capped?: true;
  /** What stood where options were left out; absent in recipes of old. */
  readonly defaults?: Defaults;
  /** The time limit is always there: it is part of how the result was made. */
  readonly options: RequestOptions & { readonly timeout: number };
}

/** The stored files that a recipe is made from. */
export function filesOf(recipe: Recipe): readonly (Ref | null | undefined)[] {
  const { data, schema, constraints, factuals, encoding, counterfactuals, calibration, model } = recipe;
  const file = "file" in model ? model.file : undefined;
  return [data, schema, constraints, factuals, encoding, counterfactuals, calibration, file];
}

/** Characters of the options of one request. */
const MOST_OPTIONS = 2 ** 16;

/** The most one request may ask for. */
interface Caps {
  readonly rows: number;
  readonly timeMs: number;
}

/** What a recipe needs to know of the server. */
export interface RequestContext {
  readonly store: Pick<Store, "db" | "blobs">;
  readonly allowHosts: readonly string[];
  readonly quota: Quota;
}

/** A part of a request that is not stored yet. */
interface Inline {
  readonly bytes: Uint8Array;
  readonly kind: string;
}

/**
 * Looks up the named parts of a request and keeps the inline ones as files; nothing is computed yet. Whatever can be
 * refused is refused before the first file is written.
 */
export async function recipeOf(
  context: RequestContext,
  owner: string,
  request: ExplanationRequest,
  caps: Caps,
): Promise<Recipe> {
  const { db, blobs } = context.store;
  checkRows(request, caps);
  checkOptions(request);
  const { data, constraints, counterfactuals, calibration, options } = request;
  const names: Record<string, string> = {};
  const found = async (kind: ResourceKind, { id }: { readonly id: string }): Promise<Ref> => {
    const { ref, name } = await uploaded(db, owner, kind, id);
    if (name !== "") names[kind] = name;
    await blobs.touch(ref);
    return ref;
  };
  const model =
    "id" in request.model
      ? { file: await found("model", request.model) }
      : remoteOrTrained(context, request.model);
  const parts = {
    data: "id" in data ? await found("data", data) : tableOf(data),
    schema: request.schema && json(request.schema),
    constraints:
      constraints && ("id" in constraints ? await found("constraints", constraints) : json(constraints)),
    factuals: request.factuals && json(request.factuals),
    encoding:
      "encoding" in request.model && request.model.encoding ? json(request.model.encoding) : undefined,
    counterfactuals:
      counterfactuals &&
      ("id" in counterfactuals
        ? await found("counterfactuals", counterfactuals)
        : (tableOf(counterfactuals, jsonLines) as Inline)),
    calibration: calibration && json(calibration),
  };
  const refs = await keepInline(context, owner, parts);
  return {
    version: 1,
    data: refs.data ?? null,
    schema: refs.schema ?? null,
    constraints: refs.constraints ?? null,
    factuals: refs.factuals ?? null,
    encoding: refs.encoding ?? null,
    ...(refs.counterfactuals ? { counterfactuals: refs.counterfactuals } : {}),
    ...(refs.calibration ? { calibration: refs.calibration } : {}),
    model,
    ...(Object.keys(names).length > 0 ? { names } : {}),
    ...(options.timeout === undefined ? { capped: true } : {}),
    defaults: defaultsFor(options, refs.counterfactuals !== undefined),
    options: { ...options, timeout: Math.min(options.timeout ?? Infinity, caps.timeMs / 1000) },
  };
}

type Parts = Readonly<Record<string, Ref | Inline | undefined>>;

/** Stores what is inline, within what the owner may keep; the same content counts once. */
async function keepInline<P extends Parts>(
  { store: { db, blobs }, quota }: RequestContext,
  owner: string,
  parts: P,
): Promise<{ readonly [Role in keyof P]: Ref | undefined }> {
  const inline = Object.values(parts).filter((part) => typeof part === "object");
  let bytes = 0;
  for (const part of inline)
    if (!(await hasInline(db, owner, `${await digestOf(part.bytes)}.${part.kind}`)))
      bytes += part.bytes.length;
  return quota.within(owner, bytes, async () => {
    const refs: Record<string, Ref | undefined> = {};
    for (const [role, part] of Object.entries(parts)) {
      refs[role] = typeof part === "object" ? await blobs.put(part.bytes, part.kind) : part;
      if (typeof part === "object") await putInline(db, owner, refs[role]!, part.bytes.length);
    }
    return refs as { readonly [Role in keyof P]: Ref | undefined };
  });
}

/** A table as it is kept; undefined is the embedded one. */
function tableOf(
  data:
    | { readonly csv: string | Packed }
    | { readonly rows: readonly unknown[] | Packed }
    | { readonly embedded: true },
  write: (rows: readonly unknown[] | Packed) => Inline = json,
): Inline | undefined {
  if ("rows" in data) return write(data.rows);
  if (!("csv" in data)) return undefined;
  return { bytes: data.csv instanceof Packed ? data.csv.bytes : Buffer.from(data.csv), kind: "csv" };
}

/** Options go into every description of the run; long lists of features belong into the constraints. */
function checkOptions({ options }: ExplanationRequest): void {
  if (JSON.stringify(options).length <= MOST_OPTIONS) return;
  throw new HttpError(
    "BODY_TOO_LARGE",
    `/options: more than ${MOST_OPTIONS} characters; give long lists of features as constraints.`,
  );
}

function checkRows({ factuals, options }: ExplanationRequest, caps: Caps): void {
  const given = factuals instanceof Packed ? factuals.count : factuals?.length;
  const rows = given ?? options.rows ?? 10;
  if (rows <= caps.rows) return;
  throw new ColaError(
    "SIZE_LIMIT",
    `explain: ${rows} rows to explain, more than ${caps.rows} here; send a job, or split the request.`,
    { rows, limit: caps.rows },
  );
}

function json(value: unknown): Inline {
  return { bytes: value instanceof Packed ? value.bytes : Buffer.from(JSON.stringify(value)), kind: "json" };
}

/** As lines, not as a list: a JSON file of counterfactuals is another tool's. */
function jsonLines(rows: readonly unknown[] | Packed): Inline {
  if (rows instanceof Packed) return { bytes: rows.bytes, kind: "jsonl" };
  return { bytes: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")), kind: "jsonl" };
}

async function uploaded(sql: Sql, owner: string, kind: ResourceKind, id: string): Promise<Resource> {
  const resource = await findResource(sql, owner, kind, id);
  if (resource) return resource;
  throw new HttpError("NOT_FOUND", `There is no ${kind} ${id}; upload it first.`);
}

function remoteOrTrained(
  context: RequestContext,
  model: Exclude<ExplanationRequest["model"], { id: string }>,
): RecipeModel {
  if ("train" in model) return { train: model.train };
  checkHost(context, model.url);
  const { url, protocol, modelName } = model;
  return { url, protocol, ...(modelName === undefined ? {} : { modelName }) };
}

/** How an operator may name where an address leads, the narrowest first: with its port, also one that goes unsaid, or without. */
export function namesOfHost({ protocol, hostname, port }: URL): readonly string[] {
  return [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`, hostname];
}

/** No address is called unless the operator named its host; redirects are refused where the model is called. */
export function checkHost({ allowHosts }: Pick<RequestContext, "allowHosts">, address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  const allowed = allowHosts.map((host) => host.toLowerCase());
  if (plain && namesOfHost(url).some((name) => allowed.includes(name))) return;
  throw new HttpError(
    "HOST_REFUSED",
    "The host of this model is not allowed here; the operator can allow it with --allow-hosts.",
  );
}
