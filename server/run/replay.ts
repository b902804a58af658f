import { findExplanation } from "../../node/store/explanations.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { WorkOptions } from "../../src/types.ts";
import { VERSION } from "../../src/version.ts";
import { DEFAULT_LIMITS } from "../config.ts";
import { bytesOf, createCook } from "./cook.ts";
import type { Recipe } from "./recipe.ts";

export interface Replay {
  readonly id: string;
  /** The recomputed explanation has the stored bytes. */
  readonly same: boolean;
  readonly bytes: number;
  /** Why the bytes may differ, where that is known. */
  readonly notes: readonly string[];
}

/** Computes a stored explanation again from its recipe and compares the bytes. */
export async function replay(
  store: Store,
  id: string,
  allowHosts: readonly string[] = [],
  watch: Omit<WorkOptions, "limits"> = {},
): Promise<Replay> {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  const stored = uuid ? await findExplanation(store.db, id) : undefined;
  if (!stored)
    throw new ColaError("NAME_UNKNOWN", `replay: there is no explanation ${JSON.stringify(id)}.`, { id });
  const before = store.blobs.get(stored.result);
  const recipe = JSON.parse(stored.recipe) as Recipe;
  const cook = createCook({ blobs: store.blobs, allowHosts }, DEFAULT_LIMITS);
  const after = bytesOf((await cook(recipe, watch)).explanation);
  const old = JSON.parse(Buffer.from(before).toString()) as Explanation;
  const notes: string[] = [];
  if (old.versions["cola-xai"] !== undefined && old.versions["cola-xai"] !== VERSION)
    notes.push(`made by version ${old.versions["cola-xai"]}, replayed by ${VERSION}`);
  if (old.rows.some((row) => row.status === "budget")) notes.push("the first run was cut short by a limit");
  if ("url" in recipe.model) notes.push("the model is called over HTTP and may have changed");
  return { id, same: Buffer.compare(before, after) === 0, bytes: before.length, notes };
}
