import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { decodeText, readCsv } from "../../src/data/csv.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, readModelSource } from "../../study/model.ts";
import { certificateOf } from "../support/certificate-of.ts";
import { pageScene } from "../support/page.ts";
import { outcome, tab, violations } from "../support/studio.ts";

const SHARED = "../shared";
const scene = await pageScene(
  existsSync("../shared/data/hotel_bookings.csv")
    ? ""
    : "COMPAS, German and Hotel are not beside this folder (../shared)",
);
const { missing } = scene;
const SLOW = { timeout: 120_000 };

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content),
});

/** The first rows of a table beside this folder, of some of its columns. */
function firstRows(name: string, rows: number, columns?: readonly string[]): string {
  const text = decodeText(readFileSync(join(SHARED, "data", name)));
  if (!columns)
    return `${text
      .split("\n")
      .slice(0, rows + 1)
      .join("\n")}\n`;
  const table = readCsv(text, { dropRepeated: true });
  const places = columns.map((column) => table.names.indexOf(column));
  const lines = Array.from({ length: rows }, (_, i) =>
    places.map((k) => table.columns[k]![i] ?? "").join(","),
  );
  return `${[columns.join(","), ...lines].join("\n")}\n`;
}

const hotel = missing === "" ? firstRows("hotel_bookings.csv", 1500) : "";

async function saved(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download", SLOW),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  return readFileSync(await download.path(), "utf8");
}

/** Asks in the set-up for groups to be compared, and runs. */
async function compared(page: Page, by: string, people: number): Promise<void> {
  await page.getByRole("button", { name: /^Counterfactuals/ }).click();
  await page.getByLabel("People at most").fill(String(people));
  await page.getByText("Pairing, choice of edits, seed").click();
  await page.getByLabel(/^Compare groups by/).fill(by);
  await page.getByRole("button", { name: "Find the few edits" }).click();
  await page.getByRole("grid").waitFor(SLOW);
}

/** A figure of the table with its interval, as per cent or number: the figure lies in the interval. */
function figureIn(cell: string): number | undefined {
  const [value, low, high] = [...cell.matchAll(/[<>]?(\d+(?:\.\d+)?)/g)].map((m) => Number(m[1]));
  if (value === undefined) return undefined;
  expect(cell).toMatch(/^\S+(\s%)? \(\S+(\s%)? to \S+(\s%)?\)$/);
  expect(low!).toBeLessThanOrEqual(value + 1);
  expect(high!).toBeGreaterThanOrEqual(value - 1);
  return value;
}

/** What the table of an attribute shows of each group, held against a plain count over the rows of the run. */
async function groupsShown(page: Page, attribute: string, run: Explanation): Promise<void> {
  const k = run.schema.features.findIndex(({ name }) => name === attribute);
  const table = page.getByRole("region", { name: `By ${attribute}` });
  const lines = await table.locator("tbody tr").all();
  expect(lines.length).toBeGreaterThan(1);
  let people = 0;
  for (const line of lines) {
    const group = (await line.getByRole("rowheader").textContent())!;
    const cells = await line.getByRole("cell").allTextContents();
    const rows = run.rows.filter(({ x }) => String(x[k]) === group);
    const within = (edits: number) => (row: ExplainedRow) => row.valid && row.edits.length <= edits;
    expect(Number(cells[0]), group).toBe(rows.length);
    people += rows.length;
    for (const edits of [1, 2, 3]) {
      const told = figureIn(cells[edits]!);
      const share = (100 * rows.filter(within(edits)).length) / rows.length;
      if (told !== undefined)
        expect(Math.abs(told - share), `${group}, ${edits} edits`).toBeLessThanOrEqual(1);
    }
    const none = rows.filter(({ proof }) => proof?.claim === "none exists").length;
    const told = figureIn(cells[4]!);
    if (told !== undefined) expect(Math.abs(told - (100 * none) / rows.length)).toBeLessThanOrEqual(1);
  }
  expect(people, "everybody is in one group").toBe(run.rows.length);
}

const TABLES = [
  [
    "compas-scores-two-years.csv",
    "two_year_recid",
    "0",
    ["sex", "race"],
    ["sex", "race", "age_cat", "priors_count", "c_charge_degree", "juv_fel_count", "two_year_recid"],
  ],
  ["german_credit.csv", "Risk", "good", ["Sex"], undefined],
] as const;

describe.skipIf(missing !== "")(`an audit, start to end${missing && `: ${missing}`}`, () => {
  test.each(TABLES)(
    "%s: the page shows figures of groups with intervals, as a plain count has them",
    async (name, label, wanted, by, columns) => {
      const page = await scene.open();
      await page.getByText("1,000 rows").waitFor(SLOW);
      await page.getByLabel(/Choose a table/).setInputFiles(file(name, firstRows(name, 900, columns)));
      await page.getByText("900 rows").waitFor(SLOW);
      await outcome(page, label);
      await page.getByRole("button", { name: /^Model/ }).click();
      await page.getByLabel("Model", { exact: true }).selectOption("xgboost");
      await page.getByRole("radio", { name: new RegExp(`^${wanted}`) }).check();
      await compared(page, by.join(", "), 80);
      await tab(page, "Files");
      const run = JSON.parse(await saved(page, "This run")) as Explanation;
      await tab(page, "Group");
      for (const attribute of by) await groupsShown(page, attribute, run);
      await page.getByRole("heading", { name: "Largest gaps" }).waitFor();
      for (const row of run.rows)
        for (const { feature } of row.edits) expect(by, "groups are never plans").not.toContain(feature);
      expect(await violations(page)).toEqual([]);
      expect(page.errors).toEqual([]);
      await page.close();
    },
    300_000,
  );

  test("an auditor: Hotel and a model trained in the page, leaks out, groups compared; another opens the run and checks it, its certificate, card and report", async () => {
    const page = await scene.open({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.getByText("1,000 rows").waitFor(SLOW);
    await page.getByLabel(/Choose a table/).setInputFiles(file("hotel.csv", hotel));
    await page.getByText("1,500 rows").waitFor(SLOW);
    await outcome(page, "is_canceled");
    await page
      .getByText(/^reservation_status tells/)
      .first()
      .waitFor();
    expect((await page.locator(".leaks").allTextContents()).join("\n"), "in words of the page").not.toMatch(
      /--[a-z]|options\./,
    );
    await page.getByRole("button", { name: "Leave out reservation_status", exact: true }).first().click();
    await page
      .getByText(/^reservation_status tells/)
      .first()
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("tree");
    await page.getByRole("radio", { name: /^0/ }).check();
    await compared(page, "customer_type", 30);
    await tab(page, "Files");
    const run = await saved(page, "This run");
    await tab(page, "Group");
    await groupsShown(page, "customer_type", JSON.parse(run));
    expect(await violations(page)).toEqual([]);
    await tab(page, "Files");
    const [model, report, card] = [
      await saved(page, "Model"),
      await saved(page, "Report"),
      await saved(page, "Method card"),
    ];
    expect(card).toMatch(/^<!doctype html>/i);
    await checkedByAnother({ run, model, report, card });
    await page.getByRole("button", { name: /^Features/ }).click();
    await page.getByLabel("Lock lead_time").check();
    await page.getByText("The set-up beside it has changed since").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab(page, "People");
    await page.getByRole("row").nth(1).click();
    await page.getByRole("region", { name: /^Plan for/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, "nothing is wider than the phone").toBeLessThanOrEqual(0);
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);
});

interface Filed {
  readonly run: string;
  readonly model: string;
  readonly report: string;
  readonly card: string;
}

/** Somebody else, with table and model: opens the run, its certificate and its papers, and sees what was checked. */
async function checkedByAnother({ run, model, report, card }: Filed): Promise<void> {
  const explanation = JSON.parse(run) as Explanation;
  const source = await readModelSource("model.json", Buffer.from(model));
  const table = { source: "hotel.csv", table: readCsv(hotel) };
  const data = dataOf({ table, schema: explanation.schema, options: { label: "is_canceled" } });
  const bound = await modelOf({ model: source }, data, {});
  const certificate = await certificateOf(explanation, data, bound.model);
  const page = await scene.open();
  await page.getByText("1,000 rows").waitFor(SLOW);
  await page.getByLabel(/Choose a table/).setInputFiles(file("hotel.csv", hotel));
  await page.getByText("1,500 rows").waitFor(SLOW);
  await outcome(page, "is_canceled");
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("tree");
  const give = (name: string, content: string): Promise<void> =>
    page.getByLabel("Open a saved run").setInputFiles(file(name, content));
  await give("explanation.json", run);
  await page.getByText("As far as it can be checked here, this run is as it was written.").waitFor(SLOW);
  await page.getByText("What was checked on opening").click();
  const checks = page.getByRole("region", { name: "What was checked on opening" });
  for (const told of ["The table is the one", "The model is the one", "The model scores rows and plans"])
    await checks.locator("li.good").filter({ hasText: told }).waitFor();
  await give("certificate.json", certificate);
  await checks.locator("li.good").filter({ hasText: "The certificate proves its plans." }).waitFor(SLOW);
  await give("card.html", card);
  await page.getByText("card.html: the method card that this run gives, word for word.").waitFor(SLOW);
  await give("report.html", report);
  await page.getByText("report.html: the report that this run gives, word for word.").waitFor(SLOW);
  await give("certificate.json", certificate.replace(/"change":\s*[\d.]+/, '"change":0'));
  await checks.locator("li.bad").filter({ hasText: "The certificate proves its plans." }).waitFor(SLOW);
  await tab(page, "Group");
  await groupsShown(page, "customer_type", explanation);
  expect(await violations(page)).toEqual([]);
  expect(page.errors).toEqual([]);
  await page.close();
}
