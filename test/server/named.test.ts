import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { dropFiles, erase } from "../../node/erase.ts";
import type { Ref } from "../../node/store/blobs.ts";
import { findExplanation } from "../../node/store/explanations.ts";
import type { Store } from "../../node/store/store.ts";
import { keep } from "../../server/run/keep.ts";
import type { Recipe } from "../../server/run/recipe.ts";
import { freshFolder, openStore } from "../support/server.ts";

let folder = "";
let store: Store;
beforeAll(async () => {
  folder = await freshFolder();
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const recipe: Recipe = {
  ...{ version: 1, data: null, schema: null, constraints: null, factuals: null, encoding: null },
  ...{ model: { train: "tree" }, options: { timeout: 1 } },
};
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const finished = (n: number, owner: string, result: Ref) => ({
  ...{ id: uuid(n), owner, recipe },
  computed: { result, model: "m", seed: 0, runHash: "h" },
});
const yes = async (): Promise<boolean> => true;

test("what one owner erases while another's same result is being kept stays", async () => {
  const result = await store.blobs.put(Buffer.from('{"same":1}'), "json");
  let dropped: Promise<number> | undefined;
  await keep(store, finished(1, "ada", result), yes);
  // Bob's row is written, but not yet there for others, when Ada's is erased.
  await keep(store, finished(2, "bob", result), async () => {
    dropped = erase(store, [uuid(1)], { by: "ada" }).then(() => dropFiles(store, [result]));
    await new Promise((done) => setTimeout(done, 300));
    return true;
  });
  expect(await dropped).toBe(0);
  expect(await findExplanation(store.db, uuid(1))).toBeUndefined();
  expect(await store.blobs.has(result)).toBe(true);
  await erase(store, [uuid(2)], { by: "bob" });
  expect(await store.blobs.has(result)).toBe(false);
});

test("what is erased while the trail is verified is not missed; what was changed is found", async () => {
  const result = await store.blobs.put(Buffer.from('{"late":1}'), "json");
  await keep(store, finished(4, "ada", result), yes);
  const verifyWhile = (done: () => Promise<unknown>) =>
    verifyAudit({
      ...store,
      blobs: { ...store.blobs, check: async (ref) => done().then(() => store.blobs.check(ref)) },
    });
  const { problems } = await verifyWhile(() => store.blobs.remove(result));
  expect(problems).toEqual([expect.stringContaining("not there any more")]);
  await store.blobs.put(Buffer.from('{"late":1}'), "json");
  expect(await verifyWhile(() => erase(store, [uuid(4)], { by: "ada" }))).toMatchObject({ problems: [] });
});

test("a result whose file was removed before it was kept is not kept; the work is done again", async () => {
  const result = await store.blobs.put(Buffer.from('{"gone":1}'), "json");
  expect(await dropFiles(store, [result])).toBe(1);
  const late = keep(store, finished(3, "bob", result), yes);
  await expect(late).rejects.toMatchObject({ code: "BUSY" });
  expect(await findExplanation(store.db, uuid(3))).toBeUndefined();
});
