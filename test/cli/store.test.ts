import { afterEach, expect, test, vi } from "vitest";
import { placeOf } from "../../cli/store.ts";
import { openStore } from "../../node/store/store.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
afterEach(() => vi.unstubAllEnvs());

/** Nobody answers there. */
const NOWHERE = "postgres://cola@127.0.0.1:1/none";

test("the store that is named is the one that is used, whatever the environment names", async () => {
  await (await openStore(folder)).close();
  vi.stubEnv("DATABASE_URL", NOWHERE);
  for (const words of [
    ["audit", "verify"],
    ["forget", "--id", "4711"],
  ]) {
    expect(await cola(...words, "--store", folder), words.join(" ")).toMatchObject({ code: 0, err: "" });
    expect((await cola(...words)).err, words.join(" ")).toContain("STORE_UNREACHABLE");
  }
  expect(placeOf({ store: folder })).toEqual({ folder });
  expect(placeOf({ database: "postgres://db/a" })).toEqual({ database: "postgres://db/a" });
  expect(placeOf({})).toEqual({ database: NOWHERE });
  vi.stubEnv("DATABASE_URL", "");
  expect(placeOf({})).toEqual({ folder: "cola-store" });
});

test("a folder and a database at once are two places: neither is used", async () => {
  const { code, err } = await cola("audit", "verify", "--store", folder, "--database", NOWHERE);
  expect(code).toBe(2);
  expect(err).toContain("store: --store and --database name two places");
});
