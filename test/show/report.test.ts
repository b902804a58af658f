import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { de } from "../../show/locales/de.ts";
import { reportHtml } from "../../show/report/report.ts";
import type { Explanation } from "../../src/explanation.ts";
import { launchBrowser } from "../support/browser.ts";
import { loansExplanation, madeUpExplanation } from "../support/explanations.ts";
import { reportData } from "../support/report-data.ts";

const launched = await launchBrowser();
const browser = "browser" in launched ? launched.browser : undefined;
const folder = mkdtempSync(join(tmpdir(), "cola-report-"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const HOSTILE = `</script><!--<script><img src=x onerror="window.pwned=1">"'&{{7*7}}`;
const texts: Record<string, string> = {};
/** Rows of the largest report. */
const MANY = process.env["COLA_SOAK"] ? 10_000 : 2000;

beforeAll(async () => {
  const group = { kind: "group", level: 0.9 } as const;
  const explanations: Record<string, Explanation> = {
    loans: await loansExplanation(24),
    group: await loansExplanation(6, group),
    hostile: madeUpExplanation({ rows: 25, cols: 6, prefix: HOSTILE }),
    big: {
      ...madeUpExplanation({ rows: 1000, cols: 29 }),
      realism: [{ kind: "plan", plans: 1000, values: 2000, unusual: 11, rulesBroken: 3 }],
    },
    many: madeUpExplanation({ rows: MANY, cols: 20 }),
  };
  for (const [name, explanation] of Object.entries(explanations)) {
    const prefix = name === "hostile" ? HOSTILE : "";
    const reasons = { [`${prefix}f0`]: { code: `${prefix}R1`, text: `${prefix}own words` } };
    texts[name] = await reportHtml(explanation, { reasons, ...(prefix ? { title: prefix } : {}) });
    writeFileSync(join(folder, `${name}.html`), texts[name]!);
  }
  const german = await reportHtml(madeUpExplanation({ rows: 120, cols: 12 }), { locale: de });
  writeFileSync(join(folder, "german.html"), german);
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a report offline; whatever it complains about or asks for is collected. */
async function open(
  name: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; trouble: string[] }> {
  const context = await browser!.newContext({ offline: true, ...options });
  const page = await context.newPage();
  const trouble: string[] = [];
  const url = pathToFileURL(join(folder, `${name}.html`)).href;
  page.on("console", (message) => trouble.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("request", (request) => request.url() !== url && trouble.push(`request: ${request.url()}`));
  await page.goto(url);
  return { page, trouble };
}

/** The colour scheme changes colours alone, so the contrast is all there is to look at again. */
const CONTRAST = "color-contrast";
const PHONE = { width: 360, height: 740 };

interface Look {
  readonly rule?: string;
  /** A selector. */
  readonly part?: string;
}
interface Axe {
  run(root: string, options: object): Promise<{ violations: Found[]; passes: Found[] }>;
}
interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[] }[];
}

/** What axe-core finds wrong, by all its rules or one, on the page or in a part; it must have had something to look at. */
async function violations(page: Page, { rule, part = "html" }: Look = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(rule ? { runOnly: [rule] } : {}),
  };
  const found = await page.evaluate(
    async ([at, given]) => {
      const { violations: wrong, passes } = await (globalThis as unknown as { axe: Axe }).axe.run(at, given);
      return {
        passes: passes.length,
        wrong: wrong.map((v) => `${v.id} ${v.nodes.map((n) => n.target).join(" ")}`),
      };
    },
    [part, options] as const,
  );
  expect(found.passes).toBeGreaterThan(rule ? 0 : part === "html" ? 25 : 15);
  return found.wrong;
}

const titles = (page: Page): Promise<string[]> => page.locator(".card h3").allInnerTexts();

describe("the file", () => {
  test("is one of at most 1 MB at 1,000 rows × 29 columns, with every row in it", () => {
    expect(Buffer.byteLength(texts["big"]!)).toBeLessThanOrEqual(1_000_000);
    expect(reportData(texts["big"]!).rows.length).toBe(1000);
  });

  test(`holds all of ${MANY} rows in less than 5 MB of 10,000 rows`, () => {
    expect(reportData(texts["many"]!).rows.length).toBe(MANY);
    const most = 300_000 + (4_700_000 * MANY) / 10_000;
    expect(Buffer.byteLength(texts["many"]!)).toBeLessThan(most);
  });

  test("leaves rows out to stay small, and says how many", async () => {
    const explanation = madeUpExplanation({ rows: 100, cols: 29 });
    const whole = Buffer.byteLength(await reportHtml(explanation));
    const none = Buffer.byteLength(await reportHtml(explanation, { maxCards: 0 }));
    const budget = Math.floor(whole - (whole - none) / 4);
    const small = await reportHtml(explanation, { maxBytes: budget });
    expect(Buffer.byteLength(small)).toBeLessThanOrEqual(budget);
    expect(small).toMatch(/<p>\d+ further rows are not in this file/);
    const few = await reportHtml(explanation, { maxCards: 3 });
    expect(few).toContain("<p>97 further rows are not in this file");
    await expect(reportHtml(explanation, { maxBytes: -1 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  test("is the same bytes every time, and names no other address", async () => {
    const explanation = madeUpExplanation({ rows: 12, cols: 5 });
    const text = await reportHtml(explanation);
    expect(await reportHtml(explanation)).toBe(text);
    const addresses = [...text.matchAll(/https?:\/\/[^"'\s)]+/g)].map((m) => m[0]);
    expect([...new Set(addresses)]).toEqual(["http://www.w3.org/2000/svg"]);
    expect(text).not.toMatch(/ style=| on[a-z]+=/);
  });
});

const where = "missing" in launched ? ` (skipped: ${launched.missing})` : "";

describe.skipIf(!browser)(`in a browser${where}`, () => {
  test("a report opens without complaint; axe-core has none; the keyboard turns pages; no script is needed", async () => {
    const { page, trouble } = await open("loans");
    await figuresAreVisible(page);
    expect(await page.locator(".card").count()).toBe(10);
    const drawn = await page.locator("#list").innerHTML();
    const sign = await page.locator(".plan .sign").first().boundingBox();
    expect(sign!.height, "a plan stands right below its heading").toBeLessThan(30);
    const above = await page
      .locator(".plan")
      .first()
      .evaluate((plan) => {
        const box = (one: Element): DOMRect => one.getBoundingClientRect();
        return box(plan.querySelector(".sign")!).top - box(plan.previousElementSibling!).bottom;
      });
    expect(above).toBeLessThan(20);
    await turnsPagesByKeyboard(page);
    await page.locator("summary").first().click();
    expect(await violations(page)).toEqual([]);
    await inTheDark(page, async () => expect(await violations(page, { rule: CONTRAST })).toEqual([]));
    await page.check("#view-table");
    const part = "#plans";
    expect(await violations(page, { part })).toEqual([]);
    await inTheDark(page, async () => expect(await violations(page, { rule: CONTRAST, part })).toEqual([]));
    expect(trouble).toEqual([]);
    await page.context().close();

    const { page: still } = await open("loans", { javaScriptEnabled: false });
    expect(await still.locator("#list").innerHTML()).toBe(drawn);
    expect(await still.locator("#tools").isVisible()).toBe(false);
    expect(await still.locator("noscript").innerText()).toContain("first 10 rows");
    await still.context().close();
  });

  test(`every id of ${MANY} rows is found`, async () => {
    const { page, trouble } = await open("many");
    await page.locator("#tools").waitFor();
    for (let t = 0; t < 12; t++) {
      const id = `id-${Math.floor(((t + 0.5) * MANY) / 12)}`;
      await page.fill("#find", id.toUpperCase());
      expect((await titles(page))[0]).toBe(id);
    }
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  test("the report of a group opens without complaint", async () => {
    const { page, trouble } = await open("group");
    await figuresAreVisible(page);
    expect(await page.locator(".card").count()).toBe(6);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  test("a thousand rows: search, filter, order and sizes; nothing is wider than a phone; paper has no tools", async () => {
    const { page, trouble } = await open("big");
    await figuresAreVisible(page);
    expect(await page.locator(".card").count()).toBe(10);
    await page.fill("#find", "id-77");
    expect(await page.locator("#counted").innerText()).toBe("1–10 of 11");
    await page.fill("#find", "no such thing");
    expect(await page.locator("#counted").innerText()).toBe("No row fits.");
    await page.fill("#find", "");
    await page.setViewportSize(PHONE);
    const widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";
    expect(await page.evaluate(widths)).toEqual([360, 360]);
    await page.selectOption("#show", "bad");
    expect(await page.locator(".badge.good").count()).toBe(0);
    expect(await page.locator("#counted").innerText()).toBe("1–10 of 59");
    await page.selectOption("#show", "good");
    await page.selectOption("#order", "many");
    expect(await page.locator(".card").first().locator(".plan").first().locator("li").count()).toBe(4);
    await page.selectOption("#size", "50");
    expect(await page.locator(".card").count()).toBe(50);
    await page.check("#view-table");
    expect(await page.locator(".changes tbody tr").count()).toBe(50);
    expect(await page.locator(".changes td.same").first().innerText()).toBe("–");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("#tools").isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(29, 39, 51)");
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  test("hostile names are shown and do nothing", async () => {
    const { page, trouble } = await open("hostile");
    const inert = async (): Promise<void> => {
      expect(await page.locator("img, script:not([type]):not(:last-child), iframe").count()).toBe(0);
      expect(await page.evaluate("window.pwned")).toBeUndefined();
    };
    await inert();
    expect(await page.locator("h1").innerText()).toBe(HOSTILE);
    expect((await titles(page))[0]).toContain(`${HOSTILE}id-0`);
    await page.click("#next");
    await inert();
    await page.check("#view-table");
    await page.fill("#find", "<img src=x");
    await inert();
    expect(await page.locator("#counted").innerText()).toBe("1–10 of 25");
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  test("German fits a phone, and pages turn in German", async () => {
    const { page, trouble } = await open("german", { viewport: PHONE });
    await page.click("#next");
    expect(await page.locator("#counted").innerText()).toBe("11–20 von 120");
    const right = (selector: string): Promise<number> =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().right);
    expect(await right("#next")).toBeLessThanOrEqual(await right("#tools"));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    expect(await violations(page)).toEqual([]);
    expect(trouble).toEqual([]);
    await page.context().close();
  });
});

async function figuresAreVisible(page: Page): Promise<void> {
  const figures = page.locator("figure svg");
  expect(await figures.count()).toBe(5);
  const boxes = await figures.evaluateAll((all) => all.map((svg) => svg.getBoundingClientRect().toJSON()));
  for (const box of boxes) {
    expect(box.width).toBeGreaterThan(200);
    expect(box.height).toBeGreaterThan(90);
  }
  expect(await page.locator("figure svg text").count()).toBeGreaterThan(40);
}

/** There and back with Tab, Enter and Space, staying put at both ends. */
async function turnsPagesByKeyboard(page: Page): Promise<void> {
  const first = await titles(page);
  await page.focus("#find");
  for (let tabs = 0; tabs < 12 && (await page.evaluate("document.activeElement.id")) !== "next"; tabs++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  expect(await page.locator("#counted").innerText()).toBe("11–20 of 24");
  expect(await titles(page)).not.toEqual(first);
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  expect(await page.locator("#counted").innerText()).toBe("21–24 of 24");
  expect(await page.evaluate("document.activeElement.id")).toBe("next");
  expect(await page.getAttribute("#next", "aria-disabled")).toBe("true");
  await page.keyboard.press("Shift+Tab");
  for (const _ of [1, 2, 3]) await page.keyboard.press("Enter");
  expect(await titles(page)).toEqual(first);
}

async function inTheDark(page: Page, look: () => Promise<void>): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await look();
  await page.emulateMedia({ colorScheme: "light" });
}
