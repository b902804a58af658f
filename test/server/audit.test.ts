import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newKeys, signerOf } from "../../node/audit/sign.ts";
import { type AuditRemoval, appendEvent, salted } from "../../node/audit/trail.ts";
import { verifyAudit } from "../../node/audit/verify.ts";
import { sha256 } from "../../node/store/blobs.ts";
import { insertExplanation, type StoredExplanation } from "../../node/store/explanations.ts";
import { putResource } from "../../node/store/resources.ts";
import type { Store } from "../../node/store/store.ts";
import { replay } from "../../server/run/replay.ts";
import { verifyEachAlone } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { openStore, testApp } from "../support/server.ts";

const keys = newKeys();
const { publicKey } = keys;
let store: Store;
let folder = "";
let ids: string[];
const cells = "income,granted\n10,no\n20,no\n30,yes\n40,yes\n";
beforeAll(async () => {
  const app = await testApp({ auditKey: keys.privateKey });
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
  folder = app.folder;
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Saved {
  readonly seq: number;
  readonly record: string;
  readonly hash: string;
  readonly signature: string | null;
}

/** The trail, its head and what it is about are put back before every test. */
let trail: readonly Saved[] | undefined;
let head: { readonly seq: number; readonly hash: string; readonly signature: string };
let kept: readonly StoredExplanation[];
async function write(records: readonly Saved[]): Promise<void> {
  await store.db.script(
    "alter table audit disable trigger user; truncate audit; alter table audit enable trigger user",
  );
  for (const { seq, record, hash, signature } of records)
    await store.db.query("insert into audit (seq, record, hash, signature) values ($1, $2, $3, $4)", [
      ...[seq, record, hash, signature],
    ]);
}
async function writeHead({ seq, hash, signature }: typeof head): Promise<void> {
  await store.db.script("delete from audit_head");
  await store.db.query("insert into audit_head (seq, hash, signature) values ($1, $2, $3)", [
    seq,
    hash,
    signature,
  ]);
}
beforeEach(async () => {
  if (!trail) {
    trail = await store.db.query<Saved>("select seq, record, hash, signature from audit order by seq");
    head = (await store.db.query<typeof head>("select seq, hash, signature from audit_head"))[0]!;
    kept = await store.db.query<StoredExplanation>("select * from explanations");
  }
  await write(trail);
  await writeHead(head);
  await store.db.script("delete from explanations; delete from jobs; delete from resources");
  for (const row of kept) await insertExplanation(store.db, row);
});

describe("the audit trail", () => {
  test("verifies, and holds every explanation with its seed, model, options and result", async () => {
    expect(await verifyAudit(store, { publicKey })).toMatchObject({
      ok: true,
      records: 4,
      signed: 4,
      problems: [],
    });
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
    return { seq: link.seq, record, hash: sha256(record), signature: link.signature };
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

  /** What somebody may do who can write to the whole database but has no key. */
  const done: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["a cut tail with its explanation, and the head with it", () => cutTail(async () => {})],
    ["a cut tail without a head", () => cutTail(() => store.db.script("delete from audit_head"))],
    [
      "a cut tail with a head that fits",
      () => cutTail(() => store.db.query("update audit_head set seq = 3, hash = $1", [trail![2]!.hash])),
    ],
    ["another owner", () => store.db.query("update explanations set owner = 'eve' where id = $1", [ids[1]])],
    [
      "another recipe",
      () => store.db.query("update explanations set recipe = replace(recipe, '\"seed\":5', '\"seed\":6')"),
    ],
    [
      "another time",
      () =>
        store.db.query("update explanations set created_at = created_at - interval '1 day' where id = $1", [
          ids[0],
        ]),
    ],
    [
      "another result",
      () => store.db.query("update explanations set result = $1 where id = $2", [kept[0]!.result, ids[2]]),
    ],
    [
      "another run hash",
      () => store.db.query("update explanations set run_hash = 'x' where id = $1", [ids[2]]),
    ],
    [
      "an explanation that vanished",
      () => store.db.query("delete from explanations where id = $1", [ids[3]]),
    ],
    [
      "a forged removal",
      async () => {
        await store.db.query("delete from explanations where id = $1", [ids[3]]);
        await store.db.transaction((sql) => appendEvent({}, sql, { removed: [4], by: "age" }));
      },
    ],
    [
      "a removal signed with another key",
      async () => {
        await store.db.query("delete from explanations where id = $1", [ids[3]]);
        const signer = signerOf(newKeys().privateKey);
        await store.db.transaction((sql) => appendEvent({ signer }, sql, { removed: [4], by: "age" }));
      },
    ],
    [
      "an explanation with a number below all records",
      () => insertExplanation(store.db, { ...kept[0]!, id: randomUUID(), audit_seq: -7 }),
    ],
    [
      "an explanation with the first id there can be",
      () =>
        insertExplanation(store.db, { ...kept[0]!, id: `${ids[0]!.replace(/[^-]/g, "0")}`, audit_seq: 99 }),
    ],
    ["a record before the first", () => write([{ ...trail![0]!, seq: -3, hash: "other" }, ...trail!])],
    [
      "a job of another owner than its explanation",
      () =>
        store.db.query(
          "insert into jobs (id, owner, state, recipe) select id, 'eve', 'done', recipe from explanations limit 1",
        ),
    ],
    [
      "a signature cut short",
      () =>
        write(
          trail!.map((link) =>
            link.seq === 2 ? { ...link, signature: link.signature!.slice(0, 40) } : link,
          ),
        ),
    ],
    [
      "signatures that changed places",
      () => write(trail!.map((link, k) => ({ ...link, signature: trail![k ^ 1]!.signature }))),
    ],
    [
      "a record that is signed and comes twice",
      () => write([...trail!, { ...trail![1]!, seq: 5, hash: `${trail![1]!.hash} ` }]),
    ],
    ["signatures that were taken off", () => write(trail!.map((link) => ({ ...link, signature: null })))],
    [
      "a trail that was written anew, with its head",
      async () => {
        let previous = "0".repeat(64);
        const anew = trail!.map((link) => {
          const made = rehash(link, (r) => Object.assign(r, { previous, seed: 77 }));
          previous = made.hash;
          return made;
        });
        await write(anew);
        await writeHead({ ...head, hash: previous });
      },
    ],
  ];
  const cutTail = async (andHead: () => Promise<unknown>): Promise<void> => {
    await write(trail!.slice(0, -1));
    await store.db.query("delete from explanations where id = $1", [ids[3]]);
    await andHead();
  };
  test.each(done)("%s is found", async (_, tamper) => {
    expect((await verifyAudit(store, { publicKey })).problems).toEqual([]);
    await tamper();
    expect((await verifyAudit(store, { publicKey })).ok).toBe(false);
  });

  const upload = { owner: "local", kind: "data", name: "x", bytes: 3, about: "{}" } as const;
  const ref = `${sha256("a table")}.csv`;
  const signer = signerOf(keys.privateKey);
  const uploads: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
    ["moved to another owner", () => store.db.query("update resources set owner = 'eve'")],
    ["with other bytes", () => store.db.query("update resources set ref = $1", [`${sha256("b")}.csv`])],
    ["that vanished", () => store.db.query("delete from resources")],
    ["given to another owner, too", () => putResource(store.db, { ...upload, owner: "eve", ref })],
    [
      "that came back after it was removed",
      (id) => appendEvent({ signer }, store.db, { event: "delete", owner: "local", upload: id }),
    ],
    [
      "that came back after its person was forgotten",
      (id) => appendEvent({ signer }, store.db, { removed: [], uploads: [id] } as AuditRemoval),
    ],
  ];
  test.each(uploads)("an upload %s is found", async (_, tamper) => {
    const { id } = await putResource(store.db, { ...upload, ref });
    await appendEvent({ signer }, store.db, { event: "upload", owner: "local", upload: id, bytes: 3 });
    expect((await verifyAudit(store, { publicKey })).problems).toEqual([]);
    await tamper(id);
    expect((await verifyAudit(store, { publicKey })).problems.join()).toMatch(/upload data_/);
  });

  test("is verified with the keys that signed it one after the other; an old one signs nothing after the next", async () => {
    const next = newKeys();
    const both = `${publicKey}${next.publicKey}`;
    const event = { event: "access", uses: {} } as const;
    await appendEvent({ signer: signerOf(next.privateKey) }, store.db, event);
    expect(await verifyAudit(store, { publicKey: both })).toMatchObject({ problems: [], signed: 5 });
    for (const wrong of [publicKey, next.publicKey, `${next.publicKey}${publicKey}`])
      expect((await verifyAudit(store, { publicKey: wrong })).ok).toBe(false);
    await appendEvent({ signer }, store.db, event);
    expect((await verifyAudit(store, { publicKey: both })).ok).toBe(false);
  });

  test("misses a chain that was written anew from the hash that was kept elsewhere", async () => {
    const { head: anchor } = await verifyAudit(store);
    let previous = "0".repeat(64);
    const anew = trail!.map((link) => {
      const made = rehash(link, (r) => {
        r["previous"] = previous;
        r["options"] = {};
      });
      previous = made.hash;
      return made;
    });
    await write(anew);
    await store.db.query("update audit_head set hash = $1", [previous]);
    expect((await verifyAudit(store)).ok).toBe(true);
    expect((await verifyAudit(store, { head: anchor })).ok).toBe(false);
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
    const path = join(folder, "files", result.slice(0, 2), result);
    const bytes = Buffer.from(await store.blobs.get(result));
    writeFileSync(path, bytes.toString().replace('"seed":0', '"seed":2'));
    expect((await verifyAudit(store)).problems.join()).toMatch(/changed on disk/);
    await expect(replay(store, ids[3]!)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
    writeFileSync(path, bytes);
    expect((await verifyAudit(store)).ok).toBe(true);
  });
});
