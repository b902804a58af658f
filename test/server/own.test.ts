import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../node/store/migrations.ts";
import { putResource, usedBytes } from "../../node/store/resources.ts";
import { replay } from "../../server/run/replay.ts";
import { diceJson } from "../../show/dice-json.ts";
import { letterHtml } from "../../show/letter/html.ts";
import { letterOf } from "../../show/letter/letter.ts";
import { letterText } from "../../show/letter/text.ts";
import { de } from "../../show/locales/de.ts";
import { cardOf } from "../../show/method-card/card.ts";
import { cardHtml } from "../../show/method-card/html.ts";
import { cardMarkdown } from "../../show/method-card/markdown.ts";
import { loans } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";
import { alibiOf } from "../support/alibi-of.ts";
import { scoringServer } from "../support/scoring-server.ts";
import { freshFolder, openStore, testApp } from "../support/server.ts";

let app: Awaited<ReturnType<typeof testApp>>;
let first: Explanation;
let firstId: string;
const ids: string[] = [];
beforeAll(async () => {
  app = await testApp();
  const answer = await app.inject({
    method: "POST",
    url: "/v1/explanations",
    payload: { options: { rows: 5 } },
  });
  first = answer.json();
  firstId = String(answer.headers["explanation-id"]);
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

const post = (url: string, payload: object | string | Buffer, type = "application/json") =>
  app.inject({ method: "POST", url, payload, headers: { "content-type": type } });

async function explained(payload: object): Promise<Explanation> {
  const answer = await post("/v1/explanations", payload);
  expect(answer.statusCode, answer.body).toBe(200);
  ids.push(String(answer.headers["explanation-id"]));
  return answer.json();
}

/** Rows of the embedded table that were granted, as objects. */
function granted(count: number): Record<string, Cell>[] {
  const { table, labels } = loans();
  const good = [...labels.keys()].filter((i) => labels[i] === 1).slice(0, count);
  return good.map((i) => Object.fromEntries(table.names.map((name, k) => [name, table.columns[k]![i]!])));
}

/** Every value a plan gives is one the counterfactuals have. */
function staysWithin({ rows }: Explanation, own: readonly Record<string, Cell>[]): void {
  const edits = rows.flatMap((row) => row.edits);
  expect(edits.length).toBeGreaterThan(0);
  for (const { feature, to } of edits) expect(own.map((row) => row[feature])).toContain(to);
}

describe("counterfactuals of one's own", () => {
  test("as rows, as CSV text and as an upload give the same plans, with their values only", async () => {
    const own = granted(6);
    const names = Object.keys(own[0]!);
    const csv = [names, ...own.map((row) => names.map((name) => row[name]))].map((r) => `${r}\n`).join("");
    const options = { rows: 4 };
    const byRows = await explained({ counterfactuals: { rows: own }, options });
    staysWithin(byRows, own);
    expect(byRows.rows).toHaveLength(4);
    const byText = await explained({ counterfactuals: { csv }, options });
    expect(byText.rows).toEqual(byRows.rows);
    const made = await post("/v1/counterfactuals?name=mine.csv", csv, "text/csv");
    expect(made.statusCode, made.body).toBe(201);
    const { id } = made.json();
    expect(made.json()).toMatchObject({ kind: "counterfactuals", name: "mine.csv", about: { rows: 6 } });
    const byId = await explained({ counterfactuals: { id }, options });
    expect(byId.rows).toEqual(byRows.rows);
    const file = await app.inject(`/v1/counterfactuals/${id}/file`);
    expect(file.body).toBe(csv);
  });

  test("of DiCE and of Alibi speak of their people; at most `rows` of them are explained", async () => {
    const dice = JSON.stringify(diceJson(first));
    const { id, about } = (await post("/v1/counterfactuals", dice, "application/octet-stream")).json();
    expect(about).toMatchObject({ format: "dice", rows: 5 });
    const all = await explained({ counterfactuals: { id } });
    expect(all.rows.map((row) => row.id)).toEqual(first.rows.map((row) => row.id));
    const some = await explained({ counterfactuals: { id }, options: { rows: 3 } });
    expect(some.rows.map((row) => row.x)).toEqual(first.rows.slice(0, 3).map((row) => row.x));

    const alibi = await post("/v1/counterfactuals", alibiOf(first));
    expect(alibi.statusCode, alibi.body).toBe(400); // a file, not a request of ours
    const kept = await post("/v1/counterfactuals", Buffer.from(alibiOf(first)), "application/octet-stream");
    expect(kept.json().about).toEqual({ format: "alibi", rows: 5 });
    const told = await explained({ counterfactuals: { id: kept.json().id } });
    expect(told.rows.map((row) => row.x)).toEqual(first.rows.map((row) => row.x));
    expect(told.totals.edits).toBe(first.totals.edits);
  });

  test("of rows that are given too are found among these", async () => {
    const names = first.schema.features.map(({ name }) => name);
    const person = (i: number) => Object.fromEntries(names.map((name, k) => [name, first.rows[i]!.x[k]!]));
    const dice = Buffer.from(JSON.stringify(diceJson({ ...first, rows: first.rows.slice(0, 2) })));
    const { id } = (await post("/v1/counterfactuals", dice, "application/octet-stream")).json();
    const told = await explained({ counterfactuals: { id }, factuals: [person(1), person(0)] });
    expect(told.rows.map((row) => row.x)).toEqual([first.rows[1]!.x, first.rows[0]!.x]);
    const others = await post("/v1/explanations", { counterfactuals: { id }, factuals: [person(3)] });
    expect([others.statusCode, others.json().code]).toEqual([422, "PAIRS_INVALID"]);
  });

  test("that are broken, unknown or of another kind are refused", async () => {
    const type = "application/octet-stream";
    for (const text of ['{"meta": 1}', '{"cfs_list": 1}', "", "{"]) {
      const answer = await post("/v1/counterfactuals", Buffer.from(text), type);
      expect([400, 422], `${text}: ${answer.body}`).toContain(answer.statusCode);
    }
    const data = (await post("/v1/data", "a,b\n1,2\n3,4\n", "text/csv")).json();
    for (const id of [data.id, `counterfactuals_${"0".repeat(32)}`]) {
      const answer = await post("/v1/explanations", { counterfactuals: { id } });
      expect([answer.statusCode, answer.json().code]).toEqual([404, "NOT_FOUND"]);
    }
  });
});

test("a calibrated model is asked in probabilities", async () => {
  const names = first.schema.features.map(({ name }) => name);
  const factuals = first.rows.map(({ x }) => Object.fromEntries(names.map((name, k) => [name, x[k]!])));
  const calibration = [
    [0, 0],
    [1, 0.8],
  ];
  const told = await explained({ calibration, factuals, options: { target: "score >= 0.6" } });
  told.rows.forEach((row, i) => {
    expect(row.before).toBeCloseTo(0.8 * first.rows[i]!.before!, 12);
    expect(row.after).toBeGreaterThanOrEqual(0.6);
  });
  const falling = [
    [0, 0],
    [1, 0.8],
    [2, 0.1],
  ];
  const bad = await post("/v1/explanations", { calibration: falling });
  expect([bad.statusCode, bad.json().code]).toEqual([422, "OPTION_INVALID"]);
});

test("a report comes in both languages, as a file and not as a page of the server", async () => {
  const url = `/v1/explanations/${firstId}/report`;
  const [en, de] = [await app.inject(url), await app.inject(`${url}?locale=de`)];
  for (const answer of [en, de]) {
    expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200);
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="report.html"');
    expect(answer.body).toContain(first.runHash);
  }
  expect(en.body).toContain('<html lang="en"');
  expect(de.body).toContain('<html lang="de"');
  expect((await app.inject(`${url}?locale=xx`)).statusCode).toBe(400);
  const none = "/v1/explanations/00000000-0000-4000-8000-000000000000/report";
  expect((await app.inject(none)).statusCode).toBe(404);
});

test("a letter is that of the command line, to keep, for a row by its name", async () => {
  const [row] = first.rows;
  const url = `/v1/explanations/${firstId}/letter?row=${row!.id ?? row!.row}&date=2026-05-31`;
  const told = first as unknown as Explanation;
  const letter = letterOf(told, told.rows[0]!, { date: "2026-05-31", locale: de });
  const [page, plain] = [
    await app.inject(`${url}&locale=de`),
    await app.inject(`${url}&locale=de&format=text`),
  ];
  expect([page.statusCode, plain.statusCode]).toEqual([200, 200]);
  expect(page.headers["content-disposition"]).toBe('attachment; filename="letter.html"');
  expect(plain.headers["content-type"]).toContain("text/plain");
  expect(page.body).toBe(letterHtml(letter));
  expect(plain.body).toBe(letterText(letter));
  const none = await app.inject(`/v1/explanations/${firstId}/letter?row=nobody`);
  expect([none.statusCode, none.json().code]).toEqual([422, "OPTION_INVALID"]);
  expect((await app.inject(`${url}1`)).statusCode).toBe(400);
});

test("a method card is that of the command line, as a page, as Markdown, or as data", async () => {
  const url = `/v1/explanations/${firstId}/card?date=2026-05-31&locale=de`;
  const card = cardOf(first as unknown as Explanation, { date: "2026-05-31", locale: de });
  for (const [format, text, type] of [
    ["html", cardHtml(card), "text/html"],
    ["markdown", cardMarkdown(card), "text/markdown"],
    ["json", `${JSON.stringify(card)}\n`, "application/json"],
  ] as const) {
    const answer = await app.inject(`${url}&format=${format}`);
    expect(answer.headers["content-type"]).toContain(type);
    expect(answer.headers["content-disposition"]).toMatch(/^attachment; filename="card\.(html|md|json)"$/);
    expect(answer.body).toBe(text);
  }
  expect((await app.inject(`${url}&format=pdf`)).statusCode).toBe(400);
});

test("what was made with files of one's own is replayed to the same bytes", async () => {
  await app.close();
  const store = await openStore(app.folder);
  try {
    expect(ids.length).toBeGreaterThan(6);
    for (const id of ids) expect(await replay(store, id)).toMatchObject({ same: true });
  } finally {
    await store.close();
  }
});

test("what a server with other limits took is replayed, and a model behind a token", async () => {
  const remote = await scoringServer();
  const { host } = new URL(remote.url);
  process.env["OWN_TOKEN"] = "not-told-to-anybody";
  const outside = { allowHosts: [host], tokens: { [host]: "OWN_TOKEN" } };
  const served = await testApp({ ...outside, limits: { columns: 1200 } });
  const names = Array.from({ length: 1001 }, (_, k) => `c${k}`);
  const row = (k: number): string => names.map((_, j) => (j === 0 ? k : j % 7)).join();
  const csv = [0, 1, 2, 3, 4, 5].map((k) => `${row(k)},${k > 2 ? "yes" : "no"}`);
  const wide = {
    data: { csv: `${names.join()},y\n${csv.join("\n")}\n` },
    options: { label: "y", target: "yes", rows: 1, generator: "direct" },
  };
  const behind = {
    data: { rows: [{ a: -3 }, { a: 4 }] },
    schema: { features: [{ name: "a", kind: "numeric" }] },
    model: { url: `${remote.url}/score` },
    options: { target: "score > 0.5" },
  };
  const kept: string[] = [];
  for (const payload of [wide, behind]) {
    const answer = await served.inject({ method: "POST", url: "/v1/explanations", payload });
    expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200);
    kept.push(String(answer.headers["explanation-id"]));
  }
  await served.close();
  const store = await openStore(served.folder);
  for (const id of kept) expect(await replay(store, id, outside)).toMatchObject({ same: true });
  const tokens = new Set(remote.requests.map(({ headers }) => headers.authorization));
  expect(tokens).toEqual(new Set(["Bearer not-told-to-anybody"]));
  await store.close();
  delete process.env["OWN_TOKEN"];
  await remote.close();
  rmSync(served.folder, { recursive: true, force: true });
});

test("a store of the first version is brought to the newest, and takes counterfactuals", async () => {
  const folder = await freshFolder();
  const old = await openStore(folder);
  const [{ schema }] = (await old.db.query<{ schema: string }>("select current_schema() as schema")) as [
    { schema: string },
  ];
  await old.db.script(`drop schema ${schema} cascade; create schema ${schema}`);
  await migrate(old.db, 1);
  const upload = { owner: "a", kind: "counterfactuals", name: "x", ref: "0", bytes: 1, about: "{}" } as const;
  await expect(putResource(old.db, upload)).rejects.toThrow();
  await old.close();
  const store = await openStore(folder);
  try {
    expect(await putResource(store.db, upload)).toMatchObject({ kind: "counterfactuals" });
    expect(await usedBytes(store.db, "a")).toBe(1);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
