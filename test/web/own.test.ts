import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PAPER_METHODS } from "../../experiments/methods.ts";
import { diceJson } from "../../show/dice-json.ts";
import type { Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import { alibiOf } from "../support/alibi-of.ts";
import { gemmFile } from "../support/onnx-files.ts";
import { opened, tab, text, violations } from "../support/studio.ts";
import { studioScene } from "../support/studio-scene.ts";
import { xgboostDocument, xgboostJson } from "../support/xgboost-files.ts";

const scene = await studioScene();
const { missing } = scene;

const jobOf = (it: Page): string => new URL(it.url()).searchParams.get("job") ?? "";

const resultOf = async (id: string): Promise<Explanation> =>
  (await (await fetch(`${scene.serve.url}/v1/jobs/${id}/result`)).json()) as Explanation;

/** Runs on the server, and gives what it made once the page shows it. */
async function ran(it: Page): Promise<Explanation> {
  const before = jobOf(it);
  await it.getByRole("button", { name: "Find the few edits" }).click();
  await expect.poll(() => jobOf(it), { timeout: 60_000 }).not.toBe(before);
  await it.getByRole("grid").waitFor({ timeout: 60_000 });
  const made = await resultOf(jobOf(it));
  await it.getByText(made.runHash.slice(0, 12)).waitFor();
  return made;
}

/** The same settings in the page. */
async function ranHere(it: Page): Promise<Explanation> {
  await it.getByLabel("this page").check();
  await it.getByRole("button", { name: "Find the few edits" }).click();
  await expect.poll(() => jobOf(it), { timeout: 60_000 }).toBe("");
  await tab(it, "Files");
  const [saved] = await Promise.all([
    it.waitForEvent("download"),
    it.getByRole("button", { name: "This run" }).click(),
  ]);
  return JSON.parse(await text(saved)) as Explanation;
}

/** The first edit of a person is locked, and another plan comes. */
async function locks(it: Page): Promise<void> {
  await it.getByRole("row").nth(1).click();
  const panel = it.getByRole("region", { name: /^Plan for/ });
  await panel
    .getByRole("button", { name: /^Lock .* and try again/ })
    .first()
    .click();
  await panel.getByText(/^Answered again in/).waitFor();
}

const file = (name: string, content: string | Uint8Array) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content),
});

describe.skipIf(missing !== "")(`files of one's own on the server${missing && `: ${missing}`}`, () => {
  test.each([
    ["m.onnx", "a,b", () => gemmFile([1.5, 0], -2)],
    ["m.json", "f0,f1", () => xgboostJson(xgboostDocument(stream(5, "model"), { cols: 2, rounds: 8 }))],
  ] as const)("%s goes up, is used there, and answers questions here", async (name, columns, content) => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    const random = stream(3, "table");
    const cell = (): string => (4 * random.next() - 2).toFixed(3);
    const lines = Array.from({ length: 200 }, () => `${cell()},${cell()}`);
    await it.getByLabel(/Choose a table/).setInputFiles(file("own.csv", `${columns}\n${lines.join("\n")}\n`));
    await it.getByText("200 rows, 2 features").waitFor();
    await it.getByRole("button", { name: /^Model/ }).click();
    await it.getByLabel(/^Load XGBoost, .*ONNX …$/).setInputFiles(file(name, content()));
    await it.getByText(`Model of ${name}`).first().waitFor({ timeout: 30_000 });
    await it.getByLabel("What should be reached").fill("score >= 0.5");
    const there = await ran(it);
    await it.getByText(new RegExp(`own\\.csv · Model of ${name}`)).waitFor();
    expect(there.totals.valid).toBeGreaterThan(0);
    await tab(it, "Budget");
    const reached = it.locator(".slider .tile").nth(2).locator(".value");
    await expect.poll(async () => Number(await reached.textContent())).toBe(there.totals.valid);
    const here = await ranHere(it);
    expect(here.rows.map((row) => row.x)).toEqual(there.rows.map((row) => row.x));
    const plans = ({ rows }: Explanation) => rows.map((row) => row.edits.map((e) => [e.feature, e.to]));
    expect(plans(here)).toEqual(plans(there));
    expect(it.errors).toEqual([]);
    await it.close();
  });

  test("counterfactuals of DiCE and Alibi: the server's plans are the page's, and people are asked again", async () => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    await it.getByRole("button", { name: /^Counterfactuals/ }).click();
    await it.getByLabel("People at most").fill("8");
    const first = await ran(it);
    const own = it.getByLabel(/Use counterfactuals of your own/);
    for (const [name, content] of [
      ["dice.json", JSON.stringify(diceJson(first))],
      ["alibi.json", alibiOf(first)],
    ] as const) {
      await it.getByLabel("the server").check();
      await own.setInputFiles(file(name, content));
      await it
        .getByLabel("Counterfactuals from")
        .locator("option", { hasText: `${name} (8 rows)` })
        .waitFor({ state: "attached" });
      await it.getByLabel("People at most").fill("6");
      const there = await ran(it);
      expect(there.rows.map((row) => row.x)).toEqual(first.rows.slice(0, 6).map((row) => row.x));
      expect(there.totals.valid).toBe(6);
      await tab(it, "Budget");
      const reached = it.locator(".slider .tile").nth(2).locator(".value");
      await expect.poll(async () => Number(await reached.textContent())).toBe(6);
      const here = await ranHere(it);
      expect(here.rows).toEqual(there.rows);
    }
    expect(it.errors).toEqual([]);
    await it.close();
  });

  test("a table of counterfactuals; its job is opened again and a feature is locked", async () => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    const { rows, schema } = await (async () => {
      await it.getByRole("button", { name: /^Counterfactuals/ }).click();
      return ran(it);
    })();
    const cells = rows
      .slice(0, 40)
      .map((row) =>
        row.x.map((cell, k) => row.edits.find((e) => e.feature === schema.features[k]!.name)?.to ?? cell),
      );
    const csv = [schema.features.map(({ name }) => name), ...cells].map((row) => `${row}\n`).join("");
    await it.getByLabel(/Use counterfactuals of your own/).setInputFiles(file("mine.csv", csv));
    await it.getByText("mine.csv").first().waitFor();
    await ran(it);
    await it.reload();
    await it.getByRole("grid").waitFor({ timeout: 60_000 });
    await locks(it);
    expect(it.errors).toEqual([]);
    await it.close();
  });

  test("report and figures in German, the schema for the command line", async () => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    const made = await ran(it);
    await tab(it, "Files");
    await it.getByLabel("Language of report and figures").selectOption("de");
    const save = async (name: string): Promise<string> => {
      const [saved] = await Promise.all([
        it.waitForEvent("download", { timeout: 60_000 }),
        it.getByRole("button", { name, exact: true }).click(),
      ]);
      await it.getByText(/^Saved /).waitFor();
      return text(saved);
    };
    expect(await save("Report")).toContain('<html lang="de"');
    expect(JSON.parse(await save("Schema"))).toEqual(made.schema);
    expect(it.errors).toEqual([]);
    await it.close();
  });

  test("axe finds nothing on a phone in the dark, in any part of a job's result", async () => {
    const it = await opened(scene.browser, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    await it.goto(scene.serve.url);
    await it.getByText("1,000 rows").waitFor();
    expect(await violations(it)).toEqual([]);
    await ran(it);
    for (const name of ["People", "Budget", "Group", "Compare", "Files"]) {
      await tab(it, name);
      if (name === "Compare") {
        const names = (await it.locator(".methods small").allTextContents()).join(" ");
        for (const method of PAPER_METHODS) expect(names).toContain(`[${method.name}`);
        await it.getByLabel(/\[RB-p_OT\]/).check();
        await it.getByRole("button", { name: "Compare", exact: true }).click();
        await it.locator("button.primary:enabled", { hasText: "Compare" }).waitFor({ timeout: 60_000 });
        expect(
          await it.getByRole("region", { name: "Outcome of each method" }).locator("tbody tr").count(),
        ).toBe(6);
        const letters = await it.locator(".curve text").first().boundingBox();
        expect(letters!.height, "letters of the figure").toBeGreaterThan(9);
      }
      expect(await violations(it), name).toEqual([]);
      expect(await it.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBe(0);
    }
    await it.getByRole("button", { name: /^Model Log/ }).click();
    await it.getByLabel("What should be reached").fill("nobody");
    await it.getByRole("button", { name: "Find the few edits" }).click();
    await it.getByRole("heading", { name: "The job failed" }).waitFor({ timeout: 30_000 });
    expect(await violations(it)).toEqual([]);
    expect(it.errors).toEqual([]);
    await it.close();
  });
});
