import { findExplanation } from "../../node/store/explanations.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { WorkOptions } from "../../src/types.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import { VERSION } from "../../src/version.ts";
import type { ServerConfig } from "../config.ts";
import { createCompute } from "./compute.ts";
import type { Recipe } from "./recipe.ts";
import { digestOfResult, resultOf } from "./result.ts";

export interface Replay {
  readonly id: string;
  /** The recomputed explanation has the stored bytes, or says all that a stored one of version 1 says. */
  readonly same: boolean;
  readonly bytes: number;
  /** Why the bytes may differ, where that is known. */
  readonly notes: readonly string[];
}

/** What a server took once is within the limits it had, whichever these were. */
const ANY_SIZE = { rows: Number.MAX_SAFE_INTEGER, columns: Number.MAX_SAFE_INTEGER };

/**
 * Computes a stored explanation again from its recipe and compares the bytes. One of version 1 was made when references
 * gave the values of every plan that did not say otherwise; compared is what it says.
 */
export async function replay(
  store: Store,
  id: string,
  outside: Pick<ServerConfig, "allowHosts" | "tokens"> = {},
  watch: Omit<WorkOptions, "limits"> = {},
): Promise<Replay> {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  const stored = uuid ? await findExplanation(store.db, id) : undefined;
  if (!stored)
    throw new ColaError("NAME_UNKNOWN", `replay: there is no explanation ${JSON.stringify(id)}.`, { id });
  const before = await store.blobs.get(stored.result);
  const old = resultOf(stored.result, before) as Omit<Explanation, "schemaVersion"> & {
    readonly schemaVersion: number;
  };
  const first = old.schemaVersion === 1;
  const kept = JSON.parse(stored.recipe) as Recipe;
  const recipe = first ? { ...kept, options: { values: "reference", ...kept.options } } : kept;
  const { whole } = createCompute({ blobs: store.blobs, allowHosts: [], ...outside }, ANY_SIZE);
  const { explanation } = await whole(recipe, watch);
  const same =
    first || old.digest === undefined
      ? says(JSON.parse(JSON.stringify(explanation)), first ? wordsOf1(old) : old)
      : digestOfResult(explanation) === stored.result.slice(0, 64);
  const notes: string[] = [];
  if (first) notes.push("kept in schema version 1: compared is all that version says but its run hash");
  if (old.versions["cola-xai"] !== undefined && old.versions["cola-xai"] !== VERSION)
    notes.push(`made by version ${old.versions["cola-xai"]}, replayed by ${VERSION}`);
  if (old.rows.some((row) => row.status === "budget")) notes.push("the first run was cut short by a limit");
  if ("url" in recipe.model) notes.push("the model is called over HTTP and may have changed");
  return { id, same, bytes: before.length, notes };
}

/** What an explanation of version 1 says; ranges, hash and program are told in other words since. */
function wordsOf1(old: unknown): object {
  const { runHash: _hash, versions: _versions, rows, ...head } = upgradeExplanation(old)!;
  return { ...head, rows: rows.map(({ ranges: _, ...row }) => row) };
}

/** Does `whole` say all that `part` says? */
function says(whole: unknown, part: unknown): boolean {
  if (part === null || typeof part !== "object") return Object.is(whole, part);
  if (whole === null || typeof whole !== "object") return false;
  if (Array.isArray(part) && (whole as unknown[]).length !== part.length) return false;
  return Object.entries(part).every(([name, value]) =>
    says((whole as Readonly<Record<string, unknown>>)[name], value),
  );
}
