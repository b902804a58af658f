import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { salted, verifyAudit } from "../../node/audit.ts";
import { sha256 } from "../../node/store/blobs.ts";
import { openStore, type Store } from "../../node/store/store.ts";
import { replay } from "../../server/run/replay.ts";
import { verifyEachAlone } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { testApp } from "../support/server.ts";

let store: Store;
let ids: string[];
const cells = "income,granted\n10,no\n20,no\n30,yes\n40,yes\n";
beforeAll(async () => {
  const app = await testApp();
  const asks = [{ options: { rows: 2 } }, { options: { rows: 1, seed: 5 }, model: { train: "tree" } }];
  const own = {
    data: { csv: cells },
    options: { label: "granted", target: "yes", rows: 2, generator: "direct" },
  };
  ids = [];
  for (const payload of [...asks, own, { options: { rows: 3, effect: 0.6, policy: "greedy" } }]) {
    const answer = await app.inject({ method: "POST", url: "/v1/explanations", payload });
    expect(answer.statusCode, answer.body).toBe(200);
    ids.push(String(answer.headers["explanation-id"]));
  }
  await app.close();
  store = await openStore(app.folder);
});
afterAll(async () => {
  await store.close();
  rmSync(store.folder, { recursive: true, force: true });
});

interface Saved {
  readonly seq: number;
  readonly record: string;
  readonly hash: string;
}

/** The trail is put back before every test. */
let trail: readonly Saved[] | undefined;
async function write(records: readonly Saved[]): Promise<void> {
  await store.db.script(
    "alter table audit disable trigger all; truncate audit; alter table audit enable trigger all",
  );
  for (const { seq, record, hash } of records)
    await store.db.query("insert into audit (seq, record, hash) values ($1, $2, $3)", [seq, record, hash]);
}
beforeEach(async () => {
  trail ??= await store.db.query<Saved>("select seq, record, hash from audit order by seq");
  await write(trail);
});

describe("the audit trail", () => {
  test("verifies, and holds every explanation with its seed, model, options and result", async () => {
    expect(await verifyAudit(store)).toMatchObject({ ok: true, records: 4, problems: [] });
    const second = JSON.parse(trail![1]!.record);
    expect(second).toMatchObject({ explanation: ids[1], seed: 5, options: { rows: 1, seed: 5 } });
    expect(second.result).toMatch(/^[0-9a-f]{64}$/);
  });

  test("holds no cell, and no digest of a table that can be looked up without its salt", () => {
    const text = trail!.map((link) => link.record).join("");
    expect(text).not.toContain("income");
    expect(text).not.toContain(sha256(cells));
    const third = JSON.parse(trail![2]!.record);
    expect(third.inputs.data).toBe(salted(third.salt, sha256(cells)));
  });

  test("refuses to be edited through the database", async () => {
    await expect(store.db.query("update audit set record = 'x' where seq = 1")).rejects.toThrow(
      /append-only/,
    );
    await expect(store.db.query("delete from audit where seq = 4")).rejects.toThrow(/append-only/);
  });

  const rehash = (link: Saved, change: (record: Record<string, unknown>) => unknown): Saved => {
    const value = JSON.parse(link.record) as Record<string, unknown>;
    change(value);
    const record = JSON.stringify(value);
    return { seq: link.seq, record, hash: sha256(record) };
  };
  const tampered: readonly (readonly [string, (all: Saved[]) => Saved[]])[] = [
    [
      "a changed record",
      (all) => all.map((l) => (l.seq === 2 ? { ...l, record: l.record.replace('"seed":5', '"seed":6') } : l)),
    ],
    [
      "a changed record with its hash made anew",
      (all) => all.map((l) => (l.seq === 2 ? rehash(l, (r) => (r["seed"] = 6)) : l)),
    ],
    [
      "a changed last record with its hash made anew",
      (all) => all.map((l) => (l.seq === 4 ? rehash(l, (r) => (r["seed"] = 6)) : l)),
    ],
    ["a removed record", (all) => all.filter((l) => l.seq !== 2)],
    [
      "a removed record, the others renumbered",
      (all) => all.filter((l) => l.seq !== 2).map((l, k) => ({ ...l, seq: k + 1 })),
    ],
    ["a removed first record", (all) => all.slice(1)],
    ["a removed last record", (all) => all.slice(0, -1)],
    ["reordered records", (all) => [all[1]!, all[0]!, ...all.slice(2)].map((l, k) => ({ ...l, seq: k + 1 }))],
    [
      "a foreign record at the end",
      (all) => [
        ...all,
        rehash({ ...all[3]!, seq: 5 }, (r) => Object.assign(r, { seq: 5, previous: all[3]!.hash })),
      ],
    ],
  ];
  const detects = async (verify: typeof verifyAudit, change: (all: Saved[]) => Saved[]): Promise<void> => {
    await write(change([...trail!]));
    expect((await verify(store)).ok).toBe(false);
  };
  test.each(tampered)("%s is detected", async (_, change) => detects(verifyAudit, change));

  test("is not verified by looking at each record alone", async () => {
    const [removed, reordered] = [tampered[3]![1], tampered[7]![1]];
    await refuses(() => detects(verifyEachAlone, removed));
    await refuses(() => detects(verifyEachAlone, reordered));
  });

  test("misses a chain that was written anew from the hash that was kept elsewhere", async () => {
    const { head } = await verifyAudit(store);
    let previous = "0".repeat(64);
    const anew = trail!.map((link) => {
      const made = rehash(link, (r) => {
        r["previous"] = previous;
        r["seed"] = 77;
      });
      previous = made.hash;
      return made;
    });
    await write(anew);
    writeFileSync(join(store.folder, "audit.head"), `4 ${previous}\n`);
    expect((await verifyAudit(store)).ok).toBe(true);
    expect((await verifyAudit(store, head)).ok).toBe(false);
    writeFileSync(join(store.folder, "audit.head"), `4 ${head}\n`);
  });
});

describe("replay", () => {
  test("gives the stored bytes again, for every kind of request", async () => {
    for (const id of ids) expect(await replay(store, id)).toMatchObject({ id, same: true });
  });

  test("says when the stored bytes are others, or the recipe was changed", async () => {
    const rows = await store.db.query<{ recipe: string }>("select recipe from explanations where id = $1", [
      ids[0],
    ]);
    const changed = rows[0]!.recipe.replace('"seed":0', '"seed":1');
    expect(changed).not.toBe(rows[0]!.recipe);
    await store.db.query("update explanations set recipe = $2 where id = $1", [ids[0], changed]);
    expect(await replay(store, ids[0]!)).toMatchObject({ same: false });
    await store.db.query("update explanations set recipe = $2 where id = $1", [ids[0], rows[0]!.recipe]);
    await expect(replay(store, "nobody")).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
  });

  test("and the audit notice a result changed on disk", async () => {
    const rows = await store.db.query<{ result: string }>("select result from explanations where id = $1", [
      ids[3],
    ]);
    const { result } = rows[0]!;
    const path = join(store.folder, "files", result.slice(0, 2), result);
    const bytes = Buffer.from(store.blobs.get(result));
    writeFileSync(path, bytes.toString().replace('"seed":0', '"seed":2'));
    expect((await verifyAudit(store)).problems.join()).toMatch(/changed on disk/);
    await expect(replay(store, ids[3]!)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    writeFileSync(path, bytes);
    expect((await verifyAudit(store)).ok).toBe(true);
  });
});
