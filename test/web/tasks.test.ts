import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { gemmFile } from "../support/onnx-files.ts";
import { pageScene } from "../support/page.ts";
import { outcome, tab, violations, wanted } from "../support/studio.ts";

const SHARED = "../shared";
const scene = await pageScene(
  existsSync("../shared/data/heloc.csv")
    ? ""
    : "German, HELOC and Hotel are not beside this folder (../shared)",
);
const { missing } = scene;
const SLOW = { timeout: 90_000 };

const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });

/** The first rows of a table beside this folder. */
function firstRows(name: string, rows: number): Buffer {
  const lines = readFileSync(join(SHARED, "data", name), "utf8").split("\n");
  return Buffer.from(`${lines.slice(0, rows + 1).join("\n")}\n`);
}

/** German as the XGBoost file was trained on it: levels as their codes. */
function germanCodes(): Buffer {
  const { columns, X, y } = JSON.parse(readFileSync(join(SHARED, "fixtures/data_german.json"), "utf8")) as {
    columns: string[];
    X: number[][];
    y: number[];
  };
  const lines = X.map((row, i) => [...row, y[i] === 1 ? "bad" : "good"].join(","));
  return Buffer.from(`${[...columns, "risk"].join(",")}\n${lines.join("\n")}\n`);
}

/** Goes to an element as somebody without a mouse does. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  await to.waitFor();
  for (let i = 0; i < 300; i++) {
    if (await to.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${to} is not reached by Tab`);
}

async function pressOn(page: Page, to: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, to);
  await page.keyboard.press(key);
}

async function chosenByKey(
  page: Page,
  at: Locator,
  files: Parameters<Locator["setInputFiles"]>[0],
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), pressOn(page, at)]);
  await chooser.setFiles(files);
}

/** Is its middle what somebody sees there? */
const inSight = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === element;
  });

describe.skipIf(missing !== "")(`tasks, start to end${missing && `: ${missing}`}`, () => {
  test("a loan officer, by the keyboard alone: German and an XGBoost file, one applicant, what if, the letter", async () => {
    const page = await scene.open();
    await page.getByText("1,000 rows").waitFor(SLOW);
    const model = readFileSync(join(SHARED, "fixtures/xgb_german_default.model.json"));
    await chosenByKey(page, page.getByLabel(/Choose a table/), [
      file("xgboost.json", model),
      file("german.csv", germanCodes()),
    ]);
    await page.getByRole("button", { name: /^Data german.csv/ }).waitFor(SLOW);
    await tabTo(page, page.getByLabel("Known outcome"));
    await page.keyboard.type("risk");
    await page.getByText(/9 features, outcomes bad, good/).waitFor();
    await pressOn(page, page.getByRole("button", { name: /^Model/ }));
    await page.getByText("All 9 inputs of the model are made of columns of the table.").waitFor();
    for (const [i, name] of ["good", "bad"].entries()) {
      await tabTo(page, page.getByLabel(`Output ${i + 1}`));
      await page.keyboard.press("Control+a");
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await page.locator(`.outputs input[value="${name}"]`).waitFor();
    }
    await pressOn(page, page.getByRole("radio", { name: /^good/ }), "Space");
    await pressOn(page, page.getByRole("button", { name: /^Explain one person/ }));
    await tabTo(page, page.getByLabel("Row number, from 0"));
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: /^Plan for/ });
    await panel.getByText(/certified to be all sets of so few edits/).waitFor(SLOW);
    const why = await panel.locator(".reasons").textContent();
    await pressOn(page, panel.getByRole("button", { name: /^Load / }).first());
    await panel.getByText(/With these values: good .* reaches the goal/).waitFor();
    const slider = panel.getByRole("slider").last();
    await pressOn(page, slider, "ArrowRight");
    const score = panel.getByText(/With these values/);
    await score.waitFor();
    expect(await inSight(slider), "what is tried is in sight").toBe(true);
    expect(await inSight(score), "and so is the score").toBe(true);
    await pressOn(page, panel.getByRole("button", { name: "Undo" }));
    await pressOn(page, panel.getByRole("button", { name: /^Lock .* and try again/ }).first());
    await panel.getByText(/^Answered again in/).waitFor();
    expect(await panel.locator(".reasons").textContent(), "the reasons stay").toBe(why);
    expect(await violations(page)).toEqual([]);
    await pressOn(page, panel.getByRole("button", { name: "Letter" }));
    const letter = page.getByRole("dialog", { name: "Letter" });
    await letter.locator("article, [role=alert]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await letter.waitFor({ state: "detached" });
    await tabTo(page, panel.getByRole("button", { name: "Letter" }));
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("grid");
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);

  test("a data scientist: HELOC and an ONNX file, matched on screen, what is hard said, methods compared", async () => {
    const page = await scene.open();
    await page.getByText("1,000 rows").waitFor(SLOW);
    const weights = Array.from({ length: 23 }, (_, k) =>
      k === 0 ? 0.06 : k === 3 ? 0.03 : k === 17 ? -0.03 : 0,
    );
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles([
        file("heloc.csv", firstRows("heloc.csv", 1500)),
        file("score.onnx", Buffer.from(gemmFile(weights, -6))),
      ]);
    await page.getByText("Model of score.onnx").first().waitFor(SLOW);
    await outcome(page, "RiskPerformance");
    await page.getByText(/1,500 rows, 23 features/).waitFor();
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByText("All 23 inputs of the model are made of columns of the table.").waitFor();
    await wanted(page, "score >= 0.6");
    await page.getByRole("button", { name: /^Counterfactuals/ }).click();
    await page.getByLabel("People at most").fill("25");
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByRole("grid").waitFor(SLOW);
    const changed = page.getByRole("row").filter({ has: page.locator(".chip") });
    await changed.nth(1).click();
    const panel = page.getByRole("region", { name: /^Plan for/ });
    await panel
      .getByText(/certified to be all sets|Nothing smaller exists|smallest that are known/)
      .waitFor(SLOW);
    await panel
      .getByLabel(/^How hard it is to change/)
      .first()
      .selectOption("hard");
    await panel.getByText(/^Answered again in/).waitFor();
    expect(await violations(page)).toEqual([]);
    await tab(page, "Compare");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.locator("button.primary:enabled", { hasText: "Compare" }).waitFor(SLOW);
    const outcomes = page.getByRole("region", { name: "Outcome of each method" });
    expect(await outcomes.locator("tbody th").first().textContent()).toBe("This result");
    expect(await violations(page)).toEqual([]);
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);

  test("an auditor: Hotel and a model trained in the page, leaks out, groups, report; on a dark phone too", async () => {
    const page = await scene.open({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.getByText("1,000 rows").waitFor(SLOW);
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles(file("hotel.csv", firstRows("hotel_bookings.csv", 1500)));
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
    await page.getByRole("button", { name: /^Counterfactuals/ }).click();
    await page.getByLabel("People at most").fill("30");
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByRole("grid").waitFor(SLOW);
    await tab(page, "Group");
    expect(await violations(page)).toEqual([]);
    await tab(page, "Files");
    const [report] = await Promise.all([
      page.waitForEvent("download", SLOW),
      page.getByRole("button", { name: "Report" }).click(),
    ]);
    expect(report.suggestedFilename()).toBe("report.html");
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
