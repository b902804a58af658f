import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { buildStudioFile } from "../../scripts/build-web.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { reportHtml } from "../../show/report/report.ts";
import { loans } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import { german } from "../../web/words/de.ts";
import { english } from "../../web/words/said.ts";
import { madeUpExplanation } from "../support/explanations.ts";
import { temporaryFolder } from "../support/folder.ts";
import { gemmFile } from "../support/onnx-files.ts";
import { builtPage, pageScene } from "../support/page.ts";
import { FILES, outcome, ownFile, tab, text, violations, wanted } from "../support/studio.ts";

const scene = await pageScene();
const { missing } = scene;
const temporary = temporaryFolder();
let folder = "";

beforeAll(async () => {
  folder = await builtPage();
}, 240_000);

async function ran(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Find the few edits" }).click();
  await page.getByRole("grid").waitFor({ timeout: 60_000 });
}

/** What is seen or read aloud. */
async function readable(page: Page): Promise<string> {
  const attributes = await page
    .locator("[aria-label], [placeholder], [title]")
    .evaluateAll((all) =>
      all.flatMap((one) =>
        ["aria-label", "placeholder", "title"].map((name) => one.getAttribute(name) ?? ""),
      ),
    );
  return [await page.locator("body").innerText(), ...attributes].join("\n");
}

/** Sentences of the studio that are English and not German too. */
function leftOver(seen: string): string[] {
  const fixed = (words: object): string[] =>
    Object.values(words as Record<string, string>).flatMap((template) =>
      template.split(/\{[^}]*\}/).flatMap((part) => (part.trim().length >= 5 ? [part.trim()] : [])),
    );
  const own = fixed({ ...german.locale.words, ...german.words }).join("\n");
  const parts = fixed({ ...english.locale.words, ...english.words });
  return parts.filter((part) => !own.includes(part) && seen.includes(part));
}

describe("sizes", () => {
  /** At brotli's own default quality. */
  const brotli = (file: string): number => brotliCompressSync(readFileSync(file)).length;
  const assets = (): string[] =>
    readdirSync(join(folder, "assets")).map((name) => join(folder, "assets", name));

  test("the first load is at most 200 kB, everything without ONNX at most 800 kB", () => {
    const html = readFileSync(join(folder, "index.html"), "utf8");
    const entry = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((m) => join(folder, m[1]!));
    const worker = assets().filter((file) => /worker-[^/]*\.js$/.test(file));
    expect(entry.length).toBeGreaterThanOrEqual(2);
    expect(worker).toHaveLength(1);
    // What entry and worker import without being asked.
    const eager = new Set([join(folder, "index.html"), ...entry, ...worker]);
    for (const file of eager) {
      if (!file.endsWith(".js")) continue;
      for (const m of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
        eager.add(join(folder, "assets", m[1]!));
      }
    }
    const first = [...eager].reduce((sum, file) => sum + brotli(file), 0);
    const all = assets()
      .filter((file) => !/onnx|ort-wasm/.test(file))
      .reduce((sum, file) => sum + brotli(file), 0);
    expect(first).toBeLessThanOrEqual(200_000);
    expect(all).toBeLessThanOrEqual(800_000);
    expect(all).toBeGreaterThan(first);
  });
});

describe.skipIf(missing !== "")(`in a browser${missing && `: ${missing}`}`, () => {
  test("the whole path: own file, constraints, forest, run, search, download, open again", async () => {
    const page = await scene.open();
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: ownFile() });
    await page.getByText("1,000 rows").waitFor();
    await outcome(page, "decision");
    await page.getByLabel("Names the rows").selectOption("applicant");
    await page.getByText(/1,000 rows, 11 features/).waitFor();
    await page.getByRole("button", { name: /^Features/ }).click();
    await page.getByLabel("Lock amount").check();
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("forest");
    await page.getByLabel("What should be reached").fill("granted");
    await ran(page);
    expect(await page.getByRole("row").count()).toBeGreaterThan(5);
    await page.getByLabel("Search").fill("income");
    await page.getByText(/of 100 people/).waitFor();
    await tab(page, "Files");
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "This run" }).click(),
    ]);
    const explanation = JSON.parse(await text(saved)) as Explanation;
    expect(explanation.rows).toHaveLength(100);
    expect(String(explanation.rows[0]!.id)).toMatch(/^A-\d+$/);
    const touched = explanation.rows.flatMap((row) => row.edits.map((edit) => edit.feature));
    expect(touched.length).toBeGreaterThan(50);
    expect(touched).not.toContain("amount");
    const [report] = await Promise.all([
      page.waitForEvent("download", { timeout: 60_000 }),
      page.getByRole("button", { name: "Report" }).click(),
    ]);
    expect(report.suggestedFilename()).toBe("report.html");
    const written = await text(report);
    const date = /<time datetime="([^"]+)">/.exec(written)![1]!;
    expect(written, "figures and script too").toBe(await reportHtml(explanation, { date }));
    await page.getByText(/^Saved report/).waitFor();
    const tables: string[] = [];
    page.on("download", (download) => tables.push(download.suggestedFilename()));
    for (const name of Object.keys(FILES)) {
      await page.getByRole("button", { name, exact: true }).click();
      const file = FILES[name]!;
      await page.getByText(new RegExp(`^Saved .*${file}`)).waitFor({ timeout: 30_000 });
      await expect.poll(() => tables).toContain(file);
    }
    await page.reload();
    await page.getByLabel("Open a saved run").setInputFiles({
      name: "run.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(explanation)),
    });
    await page.getByText(explanation.runHash.slice(0, 12)).waitFor();
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("a column that gives the outcome away is told at once, left out with one click, and taken back", async () => {
    const page = await scene.open();
    const lines = ownFile().toString().trim().split("\n");
    const leaky = lines.map((line, i) => {
      const at = line.lastIndexOf(",");
      const outcome = line.slice(at + 1).trim();
      const status = i === 0 ? "reservation_status" : outcome === "granted" ? "Check-Out" : "Canceled";
      return `${line.slice(0, at)},${status},${outcome}`;
    });
    const buffer = Buffer.from(leaky.join("\n"));
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles({ name: "leaky.csv", mimeType: "text/csv", buffer });
    await outcome(page, "decision");
    await page
      .getByText(/^reservation_status tells .* of every row/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: /^Features/ }).click();
    await page.getByLabel("Lock amount").check();
    await page.getByRole("button", { name: /^Data/ }).click();
    await page.getByRole("button", { name: "Leave out reservation_status" }).first().click();
    await page
      .getByText(/^reservation_status tells/)
      .first()
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Features/ }).click();
    await page.getByText("reservation_status is left out: neither model nor plan sees it.").waitFor();
    expect(await page.getByLabel("Lock amount").isChecked(), "what was said of others stays").toBe(true);
    expect(await page.getByLabel("Lock reservation_status").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await wanted(page, "granted");
    await ran(page);
    await tab(page, "Files");
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "This run" }).click(),
    ]);
    const { schema, rows } = JSON.parse(await text(saved)) as Explanation;
    expect(schema.features.map(({ name }) => name)).not.toContain("reservation_status");
    expect(rows.flatMap((row) => row.edits.map(({ feature }) => feature))).not.toContain("amount");
    await page.getByRole("button", { name: /^Features/ }).click();
    await page.getByRole("button", { name: "Take reservation_status back" }).click();
    await page.getByLabel("Lock reservation_status").waitFor();
    await page.locator(".language").selectOption("de");
    await page.getByRole("button", { name: /^Daten/ }).click();
    await page
      .getByText(/^reservation_status verrät .* in jeder Zeile/)
      .first()
      .waitFor();
    await page.screenshot({ path: process.env["COLA_PICTURE"] ?? join(temporary, "leak.png") });
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("lock and try again leaves the feature alone; unlocking brings the first plan back", async () => {
    const page = await scene.open();
    await ran(page);
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const panel = page.getByRole("region", { name: /^Plan for/ });
    const why = await panel.locator(".reasons li").allTextContents();
    expect(why.length).toBeGreaterThan(0);
    expect(why.length).toBeLessThanOrEqual(4);
    for (const reason of why)
      expect(reason).toMatch(
        /^[^:]+: [^;]+(; typically \S.* in similar cases with the outcome sought)?( \(.+\))?$/,
      );
    expect(why.join("\n"), "compared with those who are there").toContain("typically");
    const lock = panel.getByRole("button", { name: /^Lock .* and try again/ }).first();
    const feature = (await lock.textContent())!.replace(/^Lock (.*) and try again$/, "$1");
    await lock.press("Enter");
    const told = await panel.getByText(/^Answered again in/).textContent();
    expect(told).toMatch(/ \d+ ms\.$/);
    const plan = await panel.locator(".plan, .plan ~ p").allTextContents();
    expect(plan.join(" ")).not.toContain(`${feature} from`);
    await panel.getByRole("button", { name: /let it change again/ }).click();
    await panel.getByRole("button", { name: `Lock ${feature} and try again` }).waitFor();
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("reasons are told in one's own codes, in the panel and in the report; vague ones are refused", async () => {
    const page = await scene.open();
    await ran(page);
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    const reasons = page.getByRole("region", { name: /^Plan for/ }).locator(".reasons");
    const label = (await reasons.locator("li").first().textContent())!.replace(/:.*/, "");
    const first = loans().schema.features.find((feature) => feature.label === label)!.name;
    await tab(page, "Files");
    const give = (codes: object) =>
      page.getByLabel(/reason codes/).setInputFiles({
        name: "codes.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(codes)),
      });
    await give({ [first]: { code: "R7", text: "internal policy" } });
    await page.getByText(/too vague/).waitFor();
    await give({ [first]: { code: "R7", text: "Too little of it" } });
    await page.getByText(/Reasons of 1 feature are told as in codes\.json/).waitFor();
    const [report] = await Promise.all([
      page.waitForEvent("download", { timeout: 60_000 }),
      page.getByRole("button", { name: "Report" }).click(),
    ]);
    expect(await text(report)).toContain("Too little of it");
    await tab(page, "People");
    await expect.poll(() => reasons.textContent()).toContain("R7 Too little of it");
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("the budget slider moves curve, people at the target and plans", async () => {
    const page = await scene.open();
    await ran(page);
    await tab(page, "Budget");
    const reached = page.locator(".slider .tile").nth(2).locator(".value");
    await expect.poll(() => reached.textContent()).toMatch(/^\d+$/);
    const all = Number(await reached.textContent());
    expect(all).toBeGreaterThan(90);
    await page.getByRole("slider").fill("20");
    await expect.poll(async () => Number(await reached.textContent())).toBe(20);
    expect(await page.locator(".heat").nth(1).textContent()).toContain("What the plans change with 20 edits");
    const chips = await page.getByRole("grid").locator(".chip").count();
    expect(chips).toBeLessThanOrEqual(20);
    await page.getByRole("slider").press("Home");
    await expect.poll(async () => Number(await reached.textContent())).toBe(0);
    expect(await page.locator(".heat").nth(1).locator("rect:not(.none)").count()).toBe(0);
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("counterfactuals of another tool: the DiCE file of a run is read again, with its people", async () => {
    const page = await scene.open();
    await page.getByRole("button", { name: /^Counterfactuals/ }).click();
    await page.getByLabel("People at most").fill("12");
    await ran(page);
    await tab(page, "Files");
    const [dice] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "DiCE JSON" }).click(),
    ]);
    const buffer = Buffer.from(await text(dice));
    const own = page.getByLabel(/Use counterfactuals of your own/);
    await own.setInputFiles({
      name: "x.json",
      mimeType: "application/json",
      buffer: Buffer.from('{"meta": 1}'),
    });
    await page.getByRole("alert").getByText("The counterfactuals could not be read").waitFor();
    await own.setInputFiles({ name: "dice.json", mimeType: "application/json", buffer });
    await page.getByLabel("Counterfactuals from").locator("option", { hasText: "dice.json" }).waitFor({
      state: "attached",
    });
    await page.getByLabel("People at most").fill("100");
    const before = await page.locator(".summary code").textContent();
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await expect.poll(() => page.locator(".summary code").textContent()).not.toBe(before);
    await page.getByText("12 of 12").first().waitFor();
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("in German nothing is left in English, and a change of language or part keeps what was chosen", async () => {
    const page = await scene.open();
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("forest");
    await ran(page);
    await page.getByLabel("Order").selectOption("many");
    await page.getByRole("row").nth(2).click();
    await page
      .getByRole("button", { name: /^Lock .* and try again/ })
      .first()
      .click();
    await page.getByText(/^Answered again/).waitFor();
    const held = await page.locator(".held button").allTextContents();
    const plan = await page.locator(".person-panel h3").textContent();
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "COLA-Studio" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
    const seen: string[] = [];
    for (const step of [/^Daten/, /^Merkmale/, /^Modell/, /^Kontrafaktuale/]) {
      const button = page.getByRole("button", { name: step });
      if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
      seen.push(await readable(page));
    }
    for (const name of ["Budget", "Gruppe", "Vergleich", "Dateien", "Personen"]) {
      await page.getByRole("tab", { name }).click();
      await page.getByText("Einen Moment …").waitFor({ state: "hidden" });
      seen.push(await readable(page));
    }
    expect(leftOver(seen.join("\n"))).toEqual([]);
    expect(await page.locator(".person-panel h3").textContent()).toBe(plan!.replace("Row", "Zeile"));
    expect(await page.locator(".held button").count()).toBe(held.length);
    expect(await page.getByLabel("Reihenfolge").inputValue()).toBe("many");
    await page.reload();
    await page.getByRole("heading", { name: "COLA-Studio" }).waitFor();
    await page.getByLabel("Sprache").selectOption("en");
    await page.getByRole("heading", { name: "COLA studio" }).waitFor();
    expect(leftOver(await readable(page)).length, "English is found where it is").toBeGreaterThan(10);
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("a run can be cancelled and another one made", async () => {
    const page = await scene.open();
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("gp");
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByRole("progressbar").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled").waitFor();
    expect(await page.getByRole("grid").count()).toBe(0);
    await page.getByLabel("Model", { exact: true }).selectOption("tree");
    await ran(page);
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("bad files are refused with a message that says what to do, and nothing breaks", async () => {
    const page = await scene.open();
    const data = page.getByLabel(/Choose a table/);
    await data.setInputFiles({ name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1\n") });
    await page.getByRole("alert").getByText("The data could not be read").waitFor();
    await page.getByRole("button", { name: "Close the message" }).click();
    const hostile = "<img src=x onerror=alert(1)>";
    const lines = Array.from(
      { length: 60 },
      (_, i) => `${i},"${i % 3 ? hostile : "b"}",${i > 30 ? "yes" : "no"}`,
    );
    const buffer = Buffer.from(`"${hostile}",colour,y\n${lines.join("\n")}\n`);
    await data.setInputFiles({ name: "hostile.csv", mimeType: "text/csv", buffer });
    await page.getByText("60 rows").waitFor();
    await outcome(page, "y");
    await wanted(page, "yes");
    await ran(page);
    expect(await page.locator("img").count()).toBe(0);
    await page
      .getByLabel("Open a saved run")
      .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.getByRole("alert").getByText("The run could not be opened").waitFor();
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("ten thousand people: few rows in the page, the last one reached by a key; on a phone tiles and tabs fit", async () => {
    const page = await scene.open();
    const big = madeUpExplanation({ rows: 10_119, cols: 12 });
    const file = join(temporary, "big.json");
    writeFileSync(file, JSON.stringify(big));
    await page.getByLabel("Open a saved run").setInputFiles(file);
    await page.getByRole("grid").waitFor({ timeout: 60_000 });
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await page.getByRole("row", { selected: true }).waitFor();
    expect(await page.getByRole("row", { selected: true }).getAttribute("aria-rowindex")).toBe("10120");
    expect(await page.getByRole("row").count()).toBeLessThan(60);
    await page.getByLabel("Only changes").uncheck();
    expect(await page.getByRole("grid").getByRole("columnheader").count()).toBe(15);
    await page.getByLabel("Only changes").check();

    await page.setViewportSize({ width: 375, height: 740 });
    const wide = await page
      .locator(".tile")
      .evaluateAll((tiles) => tiles.filter((tile) => tile.scrollWidth > tile.clientWidth).length);
    expect(wide).toBe(0);
    await page
      .getByText(/of 10,119$/)
      .first()
      .waitFor();
    for (const name of ["People", "Budget", "Group", "Compare", "Files"]) {
      const box = (await page.getByRole("tab", { name }).boundingBox())!;
      expect(box.x + box.width, name).toBeLessThanOrEqual(375);
    }
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBe(375);
    expect(page.errors).toEqual([]);
    await page.goto("about:blank");
    await page.setContent(await reportHtml(big, { locale: localeNamed("de") }));
    expect(await width()).toBe(375);
    await page.close();
  });

  test("a run by the keyboard leaves the focus at its result; a heat map says whom a line stands for", async () => {
    const page = await scene.open();
    const run = page.locator("button.primary:enabled", { hasText: "Find the few edits" });
    await run.waitFor();
    await run.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("grid").waitFor({ timeout: 60_000 });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("result");
    await tab(page, "Budget");
    expect(await page.getByText(/^Each line is 2 people/).count()).toBe(2);
    await tab(page, "Group");
    await page.getByLabel("By", { exact: true }).selectOption({ label: "Education" });
    const order = await page
      .getByRole("region", { name: "The burden by group" })
      .locator("tbody th")
      .allTextContents();
    const levels = loans().schema.features.find(({ label }) => label === "Education")!.categories!;
    expect(order).toEqual(levels.filter((level) => order.includes(level)));
    expect(page.errors).toEqual([]);
    await page.close();
  });

  test("a range without a value is told at its fields, and nothing is run with it", async () => {
    const page = await scene.open();
    const run = page.getByRole("button", { name: "Find the few edits" });
    await page.getByRole("button", { name: /^Features/ }).click();
    await page
      .locator(".features details", { has: page.getByLabel(/^Smallest/) })
      .first()
      .locator("summary")
      .click();
    await page
      .getByLabel(/^Smallest/)
      .first()
      .fill("90");
    await page
      .getByLabel(/^Largest/)
      .first()
      .fill("10");
    await page.getByText(/is above the largest: no value is left/).waitFor();
    expect(await run.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page
      .getByLabel(/^Largest/)
      .first()
      .fill("100");
    await expect.poll(() => run.isEnabled()).toBe(true);
    await page.close();
  });

  test("axe finds nothing in any part, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await scene.open({ colorScheme, reducedMotion: "reduce" });
      await page.getByRole("button", { name: /Try it on/ }).waitFor();
      expect(await violations(page)).toEqual([]);
      for (const step of [/^Features/, /^Model/, /^Counterfactuals/]) {
        await page.getByRole("button", { name: step }).click();
        expect(await violations(page)).toEqual([]);
      }
      await ran(page);
      await page.getByRole("row").nth(2).click();
      await page
        .getByRole("button", { name: /^Lock .* and try again/ })
        .first()
        .click();
      await page.getByText(/^Answered again/).waitFor();
      expect(await violations(page)).toEqual([]);
      for (const name of ["Budget", "Group", "Files", "Compare"]) {
        await tab(page, name);
        if (name === "Compare") {
          await page.getByRole("button", { name: "Compare", exact: true }).click();
          await page.getByRole("heading", { name: "Outcome" }).waitFor({ timeout: 60_000 });
          await page.locator("button.primary:enabled", { hasText: "Compare" }).waitFor({ timeout: 60_000 });
        }
        expect(await violations(page)).toEqual([]);
      }
      expect(page.errors).toEqual([]);
      await page.close();
    }
  }, 180_000);

  test("studio.html from disk with the network cut: the whole path, nothing asked for", async () => {
    const file = join(temporary, "studio.html");
    await buildStudioFile(file);
    const context = await scene.browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const asked: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(pathToFileURL(file).href);
    await context.setOffline(true);
    await ran(page);
    await tab(page, "Files");
    const [report] = await Promise.all([
      page.waitForEvent("download", { timeout: 60_000 }),
      page.getByRole("button", { name: "Report" }).click(),
    ]);
    expect(statSync(await report.path()).size).toBeGreaterThan(20_000);
    await tab(page, "People");
    await page.getByRole("row").nth(1).click();
    await page
      .getByRole("button", { name: /^Lock .* and try again/ })
      .first()
      .click();
    await page.getByText(/^Answered again/).waitFor();
    // A table and an ONNX model of somebody's own: score = σ(0.1 · a − 2); the runtime is inside the file.
    const lines = Array.from({ length: 200 }, (_, i) => `${i % 50},${(i * 7) % 40}`);
    await page.getByLabel(/Choose a table/).setInputFiles({
      name: "own.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(`a,b\n${lines.join("\n")}\n`),
    });
    await page.getByText("200 rows, 2 features").waitFor();
    const buffer = Buffer.from(gemmFile([0.1, 0], -2));
    await page.getByRole("button", { name: /^Model/ }).click();
    await page
      .getByLabel(/^Load XGBoost, .*ONNX …$/)
      .setInputFiles({ name: "m.onnx", mimeType: "application/octet-stream", buffer });
    await page.getByText("Model of m.onnx").first().waitFor({ timeout: 30_000 });
    await page.getByLabel("What should be reached").fill("score >= 0.5");
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByText(/· Model of m\.onnx ·/).waitFor({ timeout: 30_000 });
    await tab(page, "Group");
    const changed = await page.locator(".bars tbody th").allTextContents();
    expect(changed).toEqual(["a"]);
    expect(asked.filter((address) => !/^(file|blob|data):/.test(address))).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });
});
