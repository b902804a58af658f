import { appendAudit, noteHead } from "../../node/audit.ts";
import type { Sql } from "../../node/store/database.ts";
import { insertExplanation } from "../../node/store/explanations.ts";
import type { Store } from "../../node/store/store.ts";
import type { Cooked } from "../work/messages.ts";
import type { Recipe } from "./recipe.ts";

export interface Finished {
  readonly id: string;
  readonly owner: string;
  readonly recipe: Recipe;
  readonly cooked: Cooked;
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
  const { result, model, seed, runHash } = finished.cooked;
  const { data, schema, constraints, factuals, encoding, counterfactuals, calibration } = recipe;
  const inputs = Object.entries({
    ...{ data, schema, constraints, factuals, encoding, counterfactuals, calibration },
  });
  const kept = await store.db.transaction(async (sql) => {
    if (!(await also(sql))) return false;
    const audit_seq = await appendAudit(sql, {
      explanation: id,
      owner,
      inputs: Object.fromEntries(inputs.map(([role, ref]) => [role, ref?.slice(0, 64) ?? "none"])),
      model,
      options: recipe.options,
      seed,
      runHash,
      result: result.slice(0, 64),
    });
    const row = { id, owner, recipe: JSON.stringify(recipe), result, run_hash: runHash, audit_seq };
    await insertExplanation(sql, row);
    return true;
  });
  if (kept) await noteHead(store);
  return kept;
}
