import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../node/store/store.ts";
import { listen } from "../../server/listen.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshFolder } from "../support/server.ts";

const folder = temporaryFolder();

test("a port that is in use is told as such, and the store is free again", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as AddressInfo;
  const store = await freshFolder();
  const { code, err } = await cola("serve", "--port", String(port), "--store", store);
  expect(code, err).toBe(2);
  expect(err).toMatch(new RegExp(`127.0.0.1:${port} is in use .*--port.*\\[OPTION_INVALID\\]`));
  await (await openStore(store)).close();
  other.close();
  rmSync(store, { recursive: true, force: true });
});

test("every way not to get a socket has a remedy; what is no such way is not hidden", async () => {
  const failing = (code: string) => ({
    listen: () => Promise.reject(Object.assign(new Error(code), { code })),
  });
  for (const code of ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"])
    await expect(listen(failing(code), "h", 80)).rejects.toThrow(/^serve: h:80 is|^serve: h:80 may.*; give/);
  await expect(listen(failing("ESOMETHING"), "h", 80)).rejects.toThrow(/^ESOMETHING$/);
});

test("a store that is a file, or lies where nothing can be made, is told as such", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "text");
  for (const store of [file, join(file, "below")]) {
    const { code, err } = await cola("serve", "--port", "0", "--store", store);
    expect(code, err).toBe(2);
    expect(err).toMatch(/is a file, not a folder.*FILE_UNWRITABLE/);
    expect(err).not.toContain("defect");
  }
});

test("a damaged database is told as such, with what to do", async () => {
  const store = await freshFolder();
  writeFileSync(join(store, "database", "global", "pg_control"), Buffer.alloc(8192, 7));
  const { code, err } = await cola("serve", "--port", "0", "--store", store);
  expect(code, err).toBe(2);
  expect(err).toMatch(/the database in .* is damaged .* from a copy.*FILE_UNREADABLE/);
  await expect(openStore(store)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  rmSync(store, { recursive: true, force: true });
  mkdirSync(store);
  await (await openStore(store)).close();
  rmSync(store, { recursive: true, force: true });
});
