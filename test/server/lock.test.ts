import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockFolder } from "../../node/store/lock.ts";
import { openStore } from "../../node/store/store.ts";
import { problemOf } from "../../server/problem.ts";
import { lockByNumber } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { freshFolder } from "../support/server.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cola-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Silence is never waited out by a test that expects a living holder. */
const PATIENT = { beatMs: 20, staleMs: 50_000 };
const HASTY = { beatMs: 20, staleMs: 40 };
/** The lock of a process whose number says nothing here. */
const FOREIGN = "999999999 77 elsewhere/pid:[1] token";
const touchEvery = (ms: number): (() => void) => {
  const timer = setInterval(() => existsSync(path) && utimesSync(path, new Date(), new Date()), ms);
  return () => clearInterval(timer);
};

describe("a lock of another container or machine", () => {
  const keepsOut = async (lock: typeof lockFolder): Promise<void> => {
    writeFileSync(path, FOREIGN);
    const stop = touchEvery(20);
    const outcome = await lock(folder, PATIENT).then(
      () => "taken",
      (error: Error) => error.message,
    );
    stop();
    expect(outcome).toMatch(/another container or machine/);
    expect(readFileSync(path, "utf8")).toBe(FOREIGN);
  };

  test("keeps others out as long as it is touched, whatever its process number says here", async () => {
    await keepsOut(lockFolder);
    await refuses(() => keepsOut(lockByNumber));
  });

  test("is taken over once it is silent, and so is one that was cut off while it was written", async () => {
    for (const text of [FOREIGN, ""]) {
      writeFileSync(path, text);
      const { release } = await lockFolder(folder, HASTY);
      expect(readFileSync(path, "utf8").split(" ")[0]).toBe(String(process.pid));
      release();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of long ago is not waited for", async () => {
    writeFileSync(path, FOREIGN);
    const then = new Date(Date.now() - 3_600_000);
    utimesSync(path, then, then);
    (await lockFolder(folder, PATIENT)).release();
  });
});

describe("a lock of this machine", () => {
  test("of a dead process is not waited for, however young", async () => {
    const place = await lockFolder(folder).then((lock) => {
      const text = readFileSync(path, "utf8").split(" ")[2];
      lock.release();
      return text;
    });
    writeFileSync(path, `999999999 77 ${place} token`);
    (await lockFolder(folder, PATIENT)).release();
  });

  test("is touched while it is held", async () => {
    const { release } = await lockFolder(folder, PATIENT);
    const then = new Date(Date.now() - 3_600_000);
    utimesSync(path, then, then);
    await expect
      .poll(() => statSync(path).mtimeMs, { timeout: 200_000 })
      .toBeGreaterThan(then.getTime() + 1000);
    release();
  });

  test("that another has taken is noticed, and not given back", async () => {
    const leavesAlone = async (lock: typeof lockFolder): Promise<void> => {
      rmSync(path, { force: true });
      writeFileSync(path, "999999999 1");
      const held = await lock(folder, { beatMs: 0, staleMs: 1 });
      writeFileSync(path, FOREIGN);
      expect(() => held.check()).toThrow(/another process has taken/);
      held.release();
      expect(readFileSync(path, "utf8")).toBe(FOREIGN);
    };
    await leavesAlone(lockFolder);
    await refuses(() => leavesAlone(lockByNumber));
  });
});

test("a store whose folder was taken answers nothing more, which is no fault of the caller", async () => {
  const made = await freshFolder();
  const store = await openStore(made);
  expect(await store.db.query("select 1 as one")).toEqual([{ one: 1 }]);
  writeFileSync(join(made, "lock"), FOREIGN);
  await expect
    .poll(() => store.db.query("select 1").catch((error: unknown) => problemOf(error, made)), {
      timeout: 200_000,
    })
    .toMatchObject({ code: "STORE_LOCKED", status: 503 });
  await store.close();
  expect(readFileSync(join(made, "lock"), "utf8")).toBe(FOREIGN);
  rmSync(made, { recursive: true, force: true });
});

const unshare = ["unshare", "--pid", "--fork", "--mount-proc"];
const namespaces = spawnSync(unshare[0]!, [...unshare.slice(1), "true"]).status === 0;
test.skipIf(!namespaces)("a process in another PID namespace is refused", async () => {
  const { release } = await lockFolder(folder);
  const script = `import("./node/store/lock.ts").then(({ lockFolder }) => lockFolder(${JSON.stringify(folder)})).then(() => console.log("taken"), (error) => console.log(error.code))`;
  const words = [process.execPath, "--import", "tsx", "-e", script];
  const { stdout, stderr } = spawnSync(unshare[0]!, [...unshare.slice(1), ...words], { encoding: "utf8" });
  expect(stdout.trim(), stderr).toBe("STORE_LOCKED");
  release();
});
