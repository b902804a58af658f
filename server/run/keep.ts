import { appendAudit } from "../../node/audit/trail.ts";
import { sha256 } from "../../node/store/blobs.ts";
import type { Sql } from "../../node/store/database.ts";
import { insertExplanation } from "../../node/store/explanations.ts";
import type { Store } from "../../node/store/store.ts";
import type { Computed } from "../work/messages.ts";
import { nameFiles } from "./named.ts";
import type { Recipe } from "./recipe.ts";

interface Finished {
  readonly id: string;
  readonly owner: string;
  readonly recipe: Recipe;
  readonly computed: Computed;
}

/**
 * Keeps a result whose file is written: row and audit record in one transaction together with what `also` writes.
 * Nothing is kept when `also` says false.
 */
export async function keep(
  store: Store,
  finished: Finished,
  also: (sql: Sql) => Promise<boolean>,
): Promise<boolean> {
  const { id, owner, recipe } = finished;
  const { result, model, seed, runHash } = finished.computed;
  const { data, schema, constraints, factuals, encoding, counterfactuals, calibration } = recipe;
  const inputs = Object.entries({
    ...{ data, schema, constraints, factuals, encoding, counterfactuals, calibration },
  });
  const text = JSON.stringify(recipe);
  return store.db.transaction(async (sql) => {
    await nameFiles(sql, store.blobs, [result]);
    if (!(await also(sql))) return false;
    const { seq, at } = await appendAudit(store, sql, {
      explanation: id,
      owner,
      inputs: Object.fromEntries(inputs.map(([role, ref]) => [role, ref?.slice(0, 64) ?? "none"])),
      model,
      options: recipe.options,
      seed,
      runHash,
      result: result.slice(0, 64),
      recipe: sha256(text),
    });
    await insertExplanation(sql, {
      ...{ id, owner, recipe: text, result, run_hash: runHash },
      ...{ audit_seq: seq, created_at: new Date(at) },
    });
    return true;
  });
}
