import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { replay } from "../../server/run/replay.ts";
import { openStore, testApp } from "../support/server.ts";

/** Recipes and the bytes of their results, as they were kept when explanations had schema version 1. */
const { kept } = JSON.parse(readFileSync("test/fixtures/version-1.json", "utf8")) as {
  readonly kept: readonly { readonly recipe: string; readonly result: string }[];
};

test("results kept in version 1 are replayed", async () => {
  const app = await testApp();
  const asked = { method: "POST", url: "/v1/explanations", payload: { options: { rows: 1 } } } as const;
  const id = String((await app.inject(asked)).headers["explanation-id"]);
  await app.close();
  const store = await openStore(app.folder);
  const keep = async (recipe: string, result: string): Promise<void> => {
    const ref = await store.blobs.put(Buffer.from(result), "json");
    await store.db.query("update explanations set recipe = $2, result = $3 where id = $1", [id, recipe, ref]);
  };
  try {
    for (const { recipe, result } of kept) {
      await keep(recipe, result);
      expect(await replay(store, id)).toMatchObject({ same: true });
      const other = result.replace(/"before":[^,]+/, '"before":0.0123');
      expect(other).not.toBe(result);
      await keep(recipe, other);
      expect(await replay(store, id)).toMatchObject({ same: false });
    }
  } finally {
    await store.close();
  }
});
