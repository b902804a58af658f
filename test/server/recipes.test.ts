import { rmSync } from "node:fs";
import { afterAll, expect, test, vi } from "vitest";
import { replay } from "../../server/run/replay.ts";
import type { defaultsOf } from "../../src/run/defaults.ts";
import { openStore, testApp } from "../support/server.ts";

/** A later version, in this process alone: the server computes beside it. */
const later = vi.hoisted(() => ({ version: false }));
vi.mock("../../src/run/defaults.ts", async (original) => {
  const own = await original<{ defaultsOf: typeof defaultsOf }>();
  const others = { policy: "greedy", values: "reference", plans: "borrowed", prefer: "near" } as const;
  return {
    defaultsOf: (asked: Parameters<typeof defaultsOf>[0]) => {
      const now = own.defaultsOf(asked);
      const left = Object.entries(others).filter(([name]) => name in now);
      return later.version ? { ...now, ...Object.fromEntries(left) } : now;
    },
  };
});

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("a recipe holds what stands where options are left out: other defaults of a later version replay to the same bytes", async () => {
  const app = await testApp();
  folders.push(app.folder);
  const asked = [
    { options: { rows: 2 } },
    { options: { rows: 3, effect: 0.6, generator: "direct" } },
    { options: { rows: 2, values: "near" } },
  ];
  const ids: string[] = [];
  for (const payload of asked) {
    const answer = await app.inject({ method: "POST", url: "/v1/explanations", payload });
    expect(answer.statusCode, answer.body).toBe(200);
    ids.push(String(answer.headers["explanation-id"]));
  }
  await app.close();
  const store = await openStore(app.folder);
  const recipes = await store.db.query<{ id: string; recipe: string }>("select id, recipe from explanations");
  const defaults = ids.map((id) => JSON.parse(recipes.find((row) => row.id === id)!.recipe).defaults);
  const each = { coupling: "match", policy: "minimal", values: "least", plans: "searched" };
  expect(defaults[0]).toEqual({
    ...each,
    ...{ objective: "edits", value: "most-likely", prefer: "margin", stop: "goal" },
  });
  expect(defaults[1]).toMatchObject({ coupling: "transport", policy: "greedy", plans: "borrowed" });
  expect(defaults[2]).not.toHaveProperty("values");
  const same = async (id: string): Promise<boolean> => (await replay(store, id)).same;
  for (const id of ids) expect(await same(id)).toBe(true);
  later.version = true;
  for (const id of ids) expect(await same(id)).toBe(true);
  // Without what was kept it is taken for one from before recipes held it: those were made otherwise.
  await store.db.script("update explanations set recipe = (recipe::jsonb - 'defaults')::text");
  for (const version of [true, false]) {
    later.version = version;
    expect(await same(ids[0]!)).toBe(false);
  }
  await store.close();
}, 300_000);
