import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { pageScene } from "../support/page.ts";
import { outcome, tab, text, violations, wanted } from "../support/studio.ts";

const scene = await pageScene();
const { missing } = scene;
const SLOW = { timeout: 60_000 };

const part = (name: string): string => join("examples/parts", name);
const csv = (name: string, content: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(content) });

/** In the page: the start of the hash of the result that is kept, once one is. */
const KEPT = `new Promise((resolve) => {
  const request = indexedDB.open("cola-studio", 1);
  request.onerror = () => resolve("");
  request.onsuccess = () => {
    const asked = request.result.transaction("session").objectStore("session").get("result");
    asked.onsuccess = () => {
      request.result.close();
      resolve(asked.result ? asked.result.runHash.slice(0, 12) : "");
    };
  };
})`;

async function begun(): Promise<Page & { errors: string[] }> {
  const page = await scene.open();
  await page.getByText("1,000 rows").waitFor(SLOW);
  return page;
}

const whyNot = (page: Page) => page.locator("#why-not");
const run = (page: Page) => page.getByRole("button", { name: "Find the few edits" });
const step = (page: Page, name: RegExp) => page.getByRole("button", { name });

async function ran(page: Page): Promise<void> {
  await run(page).click();
  await page.getByRole("grid").waitFor(SLOW);
}

/** The line of a person in the table of the result. */
async function line(page: Page, id: string): Promise<string> {
  return (await page.getByRole("row").filter({ hasText: id }).first().textContent()) ?? "";
}

describe.skipIf(missing !== "")(`files of one's own${missing && `: ${missing}`}`, () => {
  test("README's files in any order: ONNX with its encoding, then XGBoost with constraints and outputs named", async () => {
    const page = await begun();
    const drop = page.getByLabel(/Choose a table/);
    await drop.setInputFiles([part("model.onnx"), part("encoding.json"), part("loans.csv")]);
    await page.getByText("60 rows").waitFor();
    await page.getByText("Model of model.onnx").first().waitFor(SLOW);
    expect(await run(page).isDisabled(), "what should be reached is asked for").toBe(true);
    expect(await whyNot(page).textContent()).toBe("Choose what should be reached: see Model.");
    await page.getByLabel("Names the rows").selectOption("id");
    await page.getByText("60 rows, 11 features").waitFor();
    await step(page, /^Model/).click();
    await page.getByText("All 17 inputs of the model are made of columns of the table.").waitFor();
    await page.getByLabel("granted", { exact: true }).check();
    await ran(page);
    expect(await line(page, "A103"), "as README says").toContain("income 35 → 81.1");

    await step(page, /^Data/).click();
    await drop.setInputFiles([part("constraints.json"), part("xgboost.json"), part("loans.csv")]);
    await page.getByText("Model of xgboost.json").first().waitFor(SLOW);
    await page.getByLabel("Names the rows").selectOption("id");
    await page.getByText("60 rows, 11 features").waitFor();
    await step(page, /^Features/).click();
    await page.getByText("debt + amount <= 2 * income").waitFor();
    await page.getByLabel("Lock income").check();
    await step(page, /^Model/).click();
    for (const [i, name] of ["refused", "granted"].entries()) {
      await page.getByLabel(`Output ${i + 1}`).fill(name);
      await page.getByLabel(`Output ${i + 1}`).press("Enter");
      await page.locator(`.outputs input[value="${name}"]`).waitFor();
    }
    await page.getByLabel("granted", { exact: true }).check();
    await run(page).click();
    await page.getByText(/loans\.csv · Model of xgboost\.json/).waitFor(SLOW);
    expect(await line(page, "A103"), "as README says").toContain("amount 35.1 → 10.4");
    expect(await violations(page)).toEqual([]);

    await step(page, /^Data/).click();
    await drop.setInputFiles(part("dice.json"));
    await step(page, /^Counterfactuals/).click();
    await page
      .getByLabel("Counterfactuals from")
      .locator("option", { hasText: "dice.json" })
      .waitFor({ state: "attached" });
    expect(page.errors).toEqual([]);
    await page.close();
  }, 120_000);

  test("an input that no column is named after is made of one on screen; the choice is saved as an encoding file", async () => {
    const page = await begun();
    const table = readFileSync(part("loans.csv"), "utf8").replace(",income,", ",earnings,");
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles([
        { name: "m.json", mimeType: "application/json", buffer: readFileSync(part("xgboost.json")) },
        csv("renamed.csv", table),
      ]);
    await page.getByText("60 rows").waitFor();
    await whyNot(page)
      .filter({ hasText: "Say how the model's inputs are made of the columns: see Model." })
      .waitFor(SLOW);
    expect(await run(page).isDisabled()).toBe(true);
    await page.getByLabel("Names the rows").selectOption("id");
    await page.getByText("60 rows, 11 features").waitFor();
    await step(page, /^Model/).click();
    const panel = page.getByRole("region", { name: "Inputs of the model" });
    await panel.getByText(/The model cannot be asked yet/).waitFor();
    expect(await panel.textContent(), "in words of the page").not.toMatch(/--[a-z]|options\./);
    await panel.getByLabel("Column of income").selectOption("earnings");
    await panel.getByText(/^All \d+ inputs of the model are made of columns/).waitFor();
    expect(await violations(page)).toEqual([]);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      panel.getByRole("button", { name: "Save as an encoding file" }).click(),
    ]);
    const { inputs } = JSON.parse(await text(saved)) as { inputs: { feature: string; level?: string }[] };
    expect(inputs).toContainEqual({ feature: "earnings" });
    await wanted(page, "1");
    await ran(page);
    expect(await line(page, "A102")).toContain("amount 22.5 → 18.1");
    expect(page.errors).toEqual([]);
    await page.close();
  }, 120_000);

  test("nothing is lost: a reload brings files, set-up and result back; the session opens from its file elsewhere", async () => {
    const page = await begun();
    await page.getByLabel(/Choose a table/).setInputFiles([part("xgboost.json"), part("loans.csv")]);
    await page.getByText("Model of xgboost.json").first().waitFor(SLOW);
    await page.getByLabel("Names the rows").selectOption("id");
    await page.getByText("60 rows, 11 features").waitFor();
    await wanted(page, "1");
    await step(page, /^Features/).click();
    await page.getByLabel("Lock income").check();
    await ran(page);
    const hash = await page.locator(".summary code").textContent();
    const planned = await line(page, "A103");
    await tab(page, "Files");
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the session" }).click(),
    ]);
    const session = Buffer.from(await text(saved));
    await expect.poll(() => page.evaluate(KEPT), SLOW).toBe(hash);
    await page.reload();
    await page.getByRole("grid").waitFor(SLOW);
    const back = async (): Promise<void> => {
      expect(await page.locator(".summary code").textContent()).toBe(hash);
      expect(await line(page, "A103")).toBe(planned);
      expect(await page.getByText("The set-up beside it has changed since").count()).toBe(0);
      await page.getByRole("row").filter({ hasText: "A103" }).first().click();
      await page.getByText(/certified to be all sets of so few edits/).waitFor(SLOW);
    };
    await back();
    await tab(page, "Files");
    await page.getByRole("button", { name: "Forget it and begin anew" }).click();
    await page.getByRole("button", { name: "Try it on the example" }).waitFor(SLOW);
    const file = { name: "session.json", mimeType: "application/json", buffer: session };
    await page.getByLabel("Open a saved run").setInputFiles(file);
    await page.getByRole("grid").waitFor(SLOW);
    await back();
    expect(page.errors).toEqual([]);
    await page.close();
  }, 120_000);

  test("pictures answer: a cell opens its person, a point of the curve is a budget, a bar names its people", async () => {
    const page = await begun();
    await step(page, /^Model/).click();
    await page.getByLabel("Model", { exact: true }).selectOption("xgboost");
    await run(page).click();
    await page.getByRole("grid").waitFor(SLOW);
    await page.getByRole("row").nth(3).click();
    const panel = page.getByRole("region", { name: /^Plan for/ });
    const pins = panel.getByRole("button", { name: /^Pin / });
    await expect.poll(() => pins.count(), SLOW).toBeGreaterThan(1);
    await pins.nth(0).click();
    await pins.nth(1).click();
    const beside = panel.getByRole("region", { name: "Plans side by side" });
    const enough = beside.getByRole("row", { name: /^Values that are enough/ }).getByRole("cell");
    await expect
      .poll(() => enough.allTextContents(), SLOW)
      .toContainEqual(expect.stringMatching(/ (at least|at most|between) \S/));
    await panel.locator(".front circle").last().click();
    await panel.getByText(/With these values: .* reaches the goal/).waitFor();
    expect(await violations(page)).toEqual([]);
    await panel.getByRole("button", { name: "Close this person" }).click();
    await tab(page, "Budget");
    await page.locator("svg.curve").click({ position: { x: 200, y: 100 } });
    const slider = page.getByRole("slider");
    expect(Number(await slider.inputValue())).toBeLessThan(100);
    const cell = page.locator(".heat rect").first();
    const person = (await cell.locator("title").textContent())!.replace(/:.*/, "");
    await cell.click();
    await page.getByRole("region", { name: `Plan for ${person}` }).waitFor();
    await tab(page, "Group");
    const bar = page.locator(".bars tbody tr").first();
    const people = await bar.locator("td.number").textContent();
    await bar.getByRole("button").click();
    await page.getByText(new RegExp(`^${people} of 100 people`)).waitFor();
    expect(page.errors).toEqual([]);
    await page.close();
  }, 120_000);

  test("nothing is guessed: outcome asked for, decimal comma a switch, a column left out, the model measured", async () => {
    const page = await begun();
    const lines = Array.from({ length: 200 }, (_, i) => {
      const income = 20 + ((i * 37) % 60);
      return `P${i};${income},5;${(i * 7) % 40};${income + ((i * 13) % 20) > 55 ? "yes" : "no"}`;
    });
    await page
      .getByLabel(/Choose a table/)
      .setInputFiles(csv("comma.csv", `who;income;debt;paid\n${lines.join("\n")}\n`));
    await page.getByText("200 rows").waitFor();
    expect(await page.getByLabel("Known outcome").inputValue(), "not guessed").toBe("");
    expect(await whyNot(page).textContent()).toBe(
      "Choose the column with the known outcome, or load a model.",
    );
    // The page reads the file again before the box is ticked.
    await page.getByLabel(/^Decimal comma/).click();
    await page
      .getByLabel(/^Decimal comma/)
      .and(page.locator(":checked"))
      .waitFor();
    await outcome(page, "paid");
    await page.getByLabel("Names the rows").selectOption("who");
    await page.getByText("200 rows, 2 features").waitFor();
    await step(page, /^Features/).click();
    expect(await page.getByLabel("Kind of income").inputValue()).toBe("numeric");
    await step(page, /^Model/).click();
    expect(await page.locator(".classes meter").count(), "the distribution is in view").toBe(2);
    expect(await whyNot(page).textContent()).toBe("Choose what should be reached: see Model.");
    await page.getByRole("radio", { name: /^yes/ }).check();
    await page.getByRole("button", { name: "Measure the model on this table" }).click();
    await page.getByText(/of 200 outcomes called right; area under the curve for yes 0\.9/).waitFor(SLOW);
    expect(await violations(page)).toEqual([]);
    await step(page, /^Features/).click();
    await page.getByRole("button", { name: "Leave out debt" }).click();
    await page.getByText("debt is left out: neither model nor plan sees it.").waitFor();
    await wanted(page, "yes");
    expect(await page.getByText(/outcomes called right/).count(), "of another set-up").toBe(0);
    await ran(page);
    expect(await page.getByRole("row").nth(1).textContent()).toContain("income");
    expect(page.errors).toEqual([]);
    await page.close();
  }, 120_000);
});
