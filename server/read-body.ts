import { createHash } from "node:crypto";
import { HttpError } from "./problem.ts";
import { checkBody, type Sizes } from "./schemas/body.ts";
import { textOfBody } from "./text-fault.ts";

/** What stands for rows or a text until the body is put together again. */
export interface Place {
  /** The way to it, as "data", "rows". */
  readonly at: readonly string[];
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly digest: string;
}

/** A body without its rows and long texts, and these as the bytes they are kept as. */
interface ReadBody {
  readonly body: unknown;
  readonly places: readonly Place[];
}

/** Where rows and tables are in a body, and how they are kept. */
const TABLES: readonly (readonly [at: readonly string[], write: (value: unknown) => string])[] = [
  [["data", "rows"], JSON.stringify],
  [["data", "csv"], String],
  [["factuals"], JSON.stringify],
  [["instances"], JSON.stringify],
  [
    ["counterfactuals", "rows"],
    (rows) => (rows as unknown[]).map((row) => `${JSON.stringify(row)}\n`).join(""),
  ],
  [["counterfactuals", "csv"], String],
];

/** Texts shorter than this stay where they are. */
const LONG = 2 ** 16;

/** Reads a large body, refuses what is wrong about its rows, and takes them out. */
export async function readBody(bytes: Uint8Array, limits: Sizes): Promise<ReadBody> {
  const body = parsed(textOfBody(bytes));
  await checkBody(limits)({ body });
  const places = TABLES.flatMap(([at, write]) => {
    const value = at.reduce<unknown>(
      (found, name) => (found as Record<string, unknown> | undefined)?.[name],
      body,
    );
    const rows = Array.isArray(value);
    if (!rows && !(typeof value === "string" && value.length > LONG)) return [];
    const kept = Buffer.from(write(value));
    const digest = createHash("sha256").update(kept).digest("hex");
    return [{ at, bytes: new Uint8Array(kept), count: rows ? value.length : 0, digest }];
  });
  for (const { at } of places) put(body, at, null);
  return { body, places };
}

/** Puts a value where a way leads. */
export function put(body: unknown, at: readonly string[], value: unknown): void {
  const inside = at
    .slice(0, -1)
    .reduce((found, name) => found[name] as Record<string, unknown>, body as Record<string, unknown>);
  inside[at.at(-1)!] = value;
}

function parsed(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (body === undefined || isPoisoned(body))
    throw new HttpError(
      "REQUEST_INVALID",
      "The body is not JSON, or has a key __proto__ or constructor.prototype, which no request may have.",
    );
  return body;
}

/** Has anything in it a key that could reach the prototype of objects? */
function isPoisoned(body: unknown): boolean {
  const open = [body];
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, "__proto__")) return true;
    const { constructor: made } = value as { readonly constructor?: unknown };
    if (
      Object.hasOwn(value, "constructor") &&
      typeof made === "object" &&
      made !== null &&
      Object.hasOwn(made, "prototype")
    )
      return true;
    for (const inside of Object.values(value)) if (typeof inside === "object") open.push(inside);
  }
  return false;
}
