import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { writeTable } from "../formats/index.ts";
import { loanClasses, loans } from "../src/data/loans.ts";
import type { Cell } from "../src/types.ts";
import { outcome, tab, wanted } from "../test/support/studio.ts";

const SLOW = { timeout: 300_000 };
const PEOPLE = 10_000;
/** The embedded applications, this often, each time a little different. */
const TIMES = 22;
const BUDGETS = [9000, 7000, 4000, 1000, 200, 6000, 8000];

/** Longest tasks of the page, in ms, as it says itself: while a result of ten thousand people arrives, and while the budget moves. */
export async function longTasks(
  address: string,
  browser: Browser,
  folder: string,
): Promise<{ readonly arrival: number; readonly slider: number }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(WATCH);
  await page.goto(address);
  await page.getByText("1,000 rows").waitFor(SLOW);
  const file = join(folder, "many.csv");
  writeFileSync(file, manyRows());
  await page.getByLabel(/Choose a table/).setInputFiles(file);
  await page.getByText("22,000 rows").waitFor(SLOW);
  await outcome(page, "decision");
  await wanted(page, "granted");
  await page.getByRole("button", { name: /^Counterfactuals/ }).click();
  await page.getByLabel("People at most").fill(String(PEOPLE));
  await longest(page);
  await page.getByRole("button", { name: "Find the few edits" }).click();
  await page.getByRole("grid").waitFor(SLOW);
  const arrival = await longest(page);
  await tab(page, "Budget");
  await page.getByText(/scored again/).waitFor(SLOW);
  await longest(page);
  for (const budget of BUDGETS) {
    await page.getByRole("slider").fill(String(budget));
    await page.waitForTimeout(150);
  }
  const slider = await longest(page);
  await page.close();
  return { arrival, slider };
}

/** In the page before anything else: tasks that hold it up (50 ms and more). */
const WATCH = `{
  window.held = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.held.push(one.duration);
  }).observe({ entryTypes: ["longtask"] });
}`;

/** The longest task since this was asked last; below 50 ms the browser tells none. */
async function longest(page: Page): Promise<number> {
  await page.waitForTimeout(1000);
  const held = await page.evaluate<number[]>("window.held.splice(0)");
  return Math.max(0, ...held);
}

function manyRows(): Uint8Array {
  const { table, labels } = loans();
  const often = (cells: readonly Cell[]): Cell[] =>
    Array.from({ length: TIMES }, (_, t) =>
      cells.map((cell, i) =>
        typeof cell === "number" && !Number.isInteger(cell)
          ? Number((cell * (1 + 0.0001 * ((31 * t + i) % 17))).toFixed(3))
          : cell,
      ),
    ).flat();
  const columns = [...table.columns, Array.from(labels, (label) => loanClasses[label]!)].map(often);
  return writeTable({ names: [...table.names, "decision"], columns, rows: table.rows * TIMES }, "csv");
}
