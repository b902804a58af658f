import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { stream } from "../../src/num/random.ts";
import { pageScene } from "../support/page.ts";
import { tab, violations } from "../support/studio.ts";

const scene = await pageScene();
const { missing } = scene;
const SLOW = { timeout: 60_000 };

const SIZES = { phone: [390, 844], tablet: [768, 1024], desk: [1280, 900], wall: [3840, 2160] } as const;
type Size = keyof typeof SIZES;
type Test = readonly [language: string, scheme: "light" | "dark", sizes: readonly Size[]];

/** Every screen in both schemes; all sizes at each of them in the long run. */
const TESTS: readonly Test[] = process.env["COLA_SOAK"]
  ? ["en", "de"].flatMap((language) =>
      (["light", "dark"] as const).map((scheme): Test => [language, scheme, Object.keys(SIZES) as Size[]]),
    )
  : [
      ["en", "light", ["phone"]],
      ["de", "dark", ["wall"]],
    ];

/** Names of controls in the language of the page. */
const WORDS = {
  en: {
    run: "Find the few edits",
    plan: /^Plan for/,
    load: /^Load /,
    curve: /^Curve /,
    letter: "Letter",
    tabs: ["Budget", "Group", "Compare", "Files"],
    some: "Look at some people only",
    by: "Choose by",
    add: "Add",
    saved: "Open a saved run",
    file: "This run",
    checked: "What was checked on opening",
    close: "Close this person",
    certified: /certified to be all sets/,
  },
  de: {
    run: "Die wenigen Änderungen finden",
    plan: /^Plan für/,
    load: /^Laden /,
    curve: /^Verlauf /,
    letter: "Brief",
    tabs: ["Budget", "Gruppe", "Vergleich", "Dateien"],
    some: "Nur einen Teil der Personen ansehen",
    by: "Auswählen nach",
    add: "Hinzufügen",
    saved: "Gespeicherten Lauf öffnen",
    file: "Dieser Lauf",
    checked: "Was beim Öffnen geprüft wurde",
    close: "Diese Person schließen",
    certified: /nachweislich/,
  },
} as const;

const LONG = [
  "Durchschnittliches monatliches Nettoeinkommen des Haushalts in Euro",
  "Rst",
  "Art des Beschäftigungsverhältnisses",
] as const;
const LEVELS = [
  "unbefristet angestellt im öffentlichen Dienst seit über zehn Jahren",
  "befristet angestellt mit Aussicht auf eine Verlängerung",
  "selbständig",
];

/** An export with names as offices give them. */
function longNames(): string {
  const random = stream(5, "long names");
  const lines = Array.from({ length: 200 }, (_, i) => {
    const [income, behind, level] = [900 + 4100 * random.next(), random.int(10), random.int(3)];
    const good = income / 1000 - 0.3 * behind + (level === 0 ? 1 : 0) > 2.2;
    const cells = [`Antrag-2024-Filiale-Süd-${1000 + i}`, income.toFixed(2).replace(".", ","), behind];
    return [...cells, LEVELS[level], good ? "ja" : "nein"].join(";");
  });
  return `${["Kennung", ...LONG, "Zusage"].join(";")}\n${lines.join("\n")}\n`;
}

/** axe, and nothing wider than the screen, at each size. */
async function sound(page: Page, screen: string, sizes: readonly Size[]): Promise<void> {
  for (const size of sizes) {
    const [width, height] = SIZES[size];
    await page.setViewportSize({ width, height });
    expect(await violations(page), `${screen}, ${size}`).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, `${screen}, ${size}: nothing is wider than the screen`).toBeLessThanOrEqual(0);
  }
}

describe.skipIf(missing !== "")(`every screen${missing && `: ${missing}`}`, () => {
  test.each(TESTS)(
    "axe finds nothing, and nothing is cut off: %s, %s, %s",
    async (language, scheme, sizes) => {
      const words = WORDS[language as keyof typeof WORDS];
      const page = await scene.open({
        colorScheme: scheme,
        locale: language,
        reducedMotion: "reduce",
      });
      page.setDefaultTimeout(60_000);
      await page.locator("button.primary:enabled", { hasText: words.run }).waitFor(SLOW);
      const steps = page.locator(".step h2 button");
      for (let i = 0; i < (await steps.count()); i++) {
        if ((await steps.nth(i).getAttribute("aria-expanded")) === "false") await steps.nth(i).click();
        await page.locator(".step-body:not([hidden]) details:not([open]) > summary").evaluateAll((all) => {
          for (const one of all) (one as HTMLElement).click();
        });
        await sound(page, `step ${i}`, sizes);
      }
      await page.locator("button.primary:enabled", { hasText: words.run }).first().click();
      await page.getByRole("grid").waitFor(SLOW);
      await sound(page, "people", sizes);
      await page.getByRole("row").nth(2).click();
      const panel = page.getByRole("region", { name: words.plan });
      await panel.getByText(words.certified).waitFor();
      for (const card of [0, 1]) await panel.locator(".cards button[aria-pressed]").nth(card).click();
      await panel.getByRole("button", { name: words.load }).first().click();
      await panel.getByRole("button", { name: words.curve }).nth(1).click();
      await panel.locator(".dependence svg").waitFor();
      await sound(page, "person", sizes);
      await panel.getByRole("button", { name: words.letter, exact: true }).click();
      await page.locator("dialog article, dialog [role=alert]").first().waitFor();
      await sound(page, "letter", sizes);
      await page.keyboard.press("Escape");
      await panel.getByRole("button", { name: words.close }).click();
      await page.getByText(words.some).click();
      await page.getByLabel(words.by).selectOption({ index: 4 });
      await page.getByRole("button", { name: words.add, exact: true }).click();
      await sound(page, "some people", sizes);
      for (const name of words.tabs) {
        await page.getByRole("tab", { name }).click();
        await page.locator("[role=tabpanel] > :not(p.note)").first().waitFor();
        await sound(page, name, sizes);
      }
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: words.file }).click(),
      ]);
      await page.getByLabel(words.saved).setInputFiles({
        name: "explanation.json",
        mimeType: "application/json",
        buffer: readFileSync(await saved.path()),
      });
      await page.getByText(words.checked).click();
      await sound(page, "checks", sizes);
      expect(page.errors).toEqual([]);
      await page.close();
    },
    600_000,
  );

  test("long names of columns, levels and people on a phone: new values are whole, and groups compared fit", async () => {
    const page = await scene.open({ viewport: { width: 390, height: 844 }, locale: "de" });
    await page.getByText("1.000 Zeilen").waitFor(SLOW);
    const file = { name: "lang.csv", mimeType: "text/csv", buffer: Buffer.from(longNames()) };
    await page.locator("label.drop input").setInputFiles(file);
    await page.getByText("200 Zeilen").waitFor(SLOW);
    await page.getByLabel("Bekannter Ausgang").selectOption("Zusage");
    await page.getByText(/Ausgänge ja, nein/).waitFor(SLOW);
    await page.getByLabel("Benennt die Zeilen").selectOption("Kennung");
    await page.getByRole("button", { name: /^Modell/ }).click();
    await page.getByRole("radio", { name: /^ja/ }).check();
    await page.getByLabel("Modell", { exact: true }).selectOption("xgboost");
    await page.getByRole("button", { name: /^Kontrafaktuale/ }).click();
    await page.getByText("Zuordnung, Wahl der Änderungen, Startwert").click();
    await page.getByLabel(/^Gruppen vergleichen nach/).fill(LONG[2]);
    await page.locator("button.primary:enabled", { hasText: WORDS.de.run }).first().click();
    await page.getByRole("grid").waitFor(SLOW);
    /** What stands in less room than it needs. */
    const cut = (selector: string): Promise<string[]> =>
      page
        .locator(selector)
        .evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent ?? ""),
        );
    expect(await page.locator(".chip .cut").count()).toBeGreaterThan(5);
    expect((await cut(".chip .cut")).length, "names are cut").toBeGreaterThan(0);
    expect(await cut(".chip .to"), "new values are not").toEqual([]);
    const names = await page.locator(".people-body .name").allTextContents();
    expect(new Set(names).size, "people are told apart").toBe(names.length);
    expect(await cut(".people-body .name")).toEqual([]);
    await page.getByRole("row").nth(2).click();
    const panel = page.getByRole("region", { name: WORDS.de.plan });
    await panel.getByText(WORDS.de.certified).waitFor();
    for (const name of [LONG[0], LONG[2]])
      await panel.getByRole("button", { name: `Verlauf ${name}` }).click();
    await panel.locator(".dependence.levels li").first().waitFor();
    const narrow = await panel
      .locator(".tries label, .badge, header button")
      .evaluateAll((all) =>
        all
          .filter((one) => one.getBoundingClientRect().height > 5 * one.getBoundingClientRect().width)
          .map((one) => one.textContent),
      );
    expect(narrow, "nothing is one letter wide").toEqual([]);
    expect(await panel.locator(".dependence.levels li span").allTextContents()).toEqual([...LEVELS].sort());
    await sound(page, "person with long names", ["phone"]);
    await page.getByRole("tab", { name: "Gruppe" }).click();
    await page.getByRole("heading", { name: `Nach ${LONG[2]}` }).waitFor();
    await sound(page, "groups compared", ["phone"]);
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);

  test("a run that was changed is named and not opened; one of another model says so; report and letter are checked", async () => {
    const page = await scene.open();
    await page.getByText("1,000 rows").waitFor(SLOW);
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByRole("grid").waitFor(SLOW);
    await tab(page, "Files");
    const taken = async (name: string): Promise<string> => {
      const [saved] = await Promise.all([
        page.waitForEvent("download", SLOW),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return readFileSync(await saved.path(), "utf8");
    };
    const [run, report] = [await taken("This run"), await taken("Report")];
    const give = (name: string, content: string): Promise<void> =>
      page
        .getByLabel("Open a saved run")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
    await give("explanation.json", run.replace(/"before": 0\.\d+/, '"before": 0.4'));
    await page.getByRole("alert").filter({ hasText: "it was changed after it was written" }).waitFor();
    await give("explanation.json", run);
    await page.getByText("As far as it can be checked here, this run is as it was written.").waitFor();
    await give("report.html", report);
    await page.getByText("report.html: the report that this run gives, word for word.").waitFor(SLOW);
    await give("bent.html", report.replace("Income", "Outcome"));
    await page.getByText(/^bent\.html is not the report that this run gives/).waitFor(SLOW);
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("tree");
    await page
      .getByRole("button", { name: "Check again" })
      .or(page.getByText("What was checked on opening"))
      .first()
      .click();
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("This run is of another table or another model than those beside it.").waitFor(SLOW);
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);

  test("some people only: counts, plans and pictures follow, a click in a picture chooses them, and paper has them all", async () => {
    const page = await scene.open();
    await page.getByText("1,000 rows").waitFor(SLOW);
    await page.getByRole("button", { name: "Find the few edits" }).click();
    await page.getByRole("grid").waitFor(SLOW);
    await tab(page, "Group");
    await page.getByLabel("By", { exact: true }).selectOption({ label: "Housing" });
    const burden = page.getByRole("region", { name: "The burden by group" });
    const some = Number(await burden.getByRole("row").nth(1).getByRole("cell").first().textContent());
    expect(some).toBeGreaterThan(5);
    await burden.getByRole("button").first().click();
    await page.getByText(`Counts, plans and pictures are of ${some} of 100 people`).waitFor();
    expect(await burden.getByRole("row").count()).toBe(2);
    expect(await page.locator(".tile").first().textContent()).toContain(`of ${some}`);
    await tab(page, "Budget");
    await page.getByText(`of ${some}, scored again`).waitFor();
    await expect
      .poll(() => page.locator(".slider .tile").nth(2).locator(".value").textContent())
      .toBe(`${some}`);
    await page.getByRole("slider").fill("2");
    await expect.poll(() => page.locator(".slider .tile").nth(2).locator(".value").textContent()).toBe("2");
    await tab(page, "People");
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(`${some + 1}`);
    await page.getByRole("button", { name: "Everybody again" }).click();
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe("101");
    const drawn = (): Promise<number> => page.locator(".people-body .person").count();
    expect(await drawn()).toBeLessThan(60);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await drawn(), "all of them are on paper").toBe(100);
    const boxes = await page
      .locator(".people-body .person")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(boxes).size, "one below the other").toBe(100);
    const first = await page.evaluate(() => {
      const seen = [...document.querySelectorAll("body *")].find(
        (one) =>
          one.checkVisibility() && one.getBoundingClientRect().height > 0 && one.childElementCount === 0,
      );
      return seen?.closest("#result") !== null;
    });
    expect(first, "the result comes first").toBe(true);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await expect.poll(drawn).toBeLessThan(60);
    expect(page.errors).toEqual([]);
    await page.close();
  }, 180_000);
});
