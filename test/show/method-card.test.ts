import { beforeAll, describe, expect, test } from "vitest";
import { checkPaper } from "../../show/check-paper.ts";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { cardOf, type MethodCard } from "../../show/method-card/card.ts";
import { cardHtml } from "../../show/method-card/html.ts";
import { cardMarkdown } from "../../show/method-card/markdown.ts";
import { sealed } from "../../src/digest.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { loansExplanation, madeUpExplanation } from "../support/explanations.ts";

const DATE = "2026-05-31";
let made: Explanation;
beforeAll(async () => {
  const loans = await loansExplanation(24);
  const basis = {
    table: { rows: 1000, digest: "a".repeat(64) },
    model: { digest: "b".repeat(64), quality: { accuracy: 0.8, auc: 0.75, rows: 1000 } },
  };
  made = sealed({ ...loans, basis });
});

const card = (explanation: Explanation, locale = en): MethodCard =>
  cardOf(explanation, { date: DATE, locale });
const evidence = (explanation: Explanation, name: keyof typeof en.card) =>
  card(explanation).evidence.find((one) => one.name === en.card[name])!;
const figure = (explanation: Explanation, name: string) =>
  card(explanation).figures.find((one) => one.name === name);

test("sections stand in the order in which they are filed, each with something in it", () => {
  const { sections } = card(made);
  expect(sections.map(({ kind }) => kind)).toEqual([
    ...["identity", "purpose", "data", "approach"],
    ...["limits", "evidence", "monitoring", "repeat"],
  ]);
  for (const { texts, items, tables, heading } of sections)
    expect(texts.length + items.length + tables.length, heading).toBeGreaterThan(0);
  const text = cardMarkdown(card(made));
  for (const part of [made.runHash, made.digest!, "a".repeat(64), "b".repeat(64), "31 May 2026", "80 %"])
    expect(text.replaceAll("\u00a0", " "), part).toContain(part);
  for (const name of Object.keys(made.options)) expect(text).toContain(` (${name}) |`);
  expect(text).toContain("| Most edits (budget) | no limit |");
  expect(cardMarkdown(card(made, de))).toContain("| Höchstzahl der Änderungen (budget) | keine Grenze |");
  const limited = { ...made, options: { ...made.options, budget: { perRow: 2 }, limits: { timeMs: 1500 } } };
  for (const part of ["| 2 per row |", "| 1.5 seconds |"])
    expect(cardMarkdown(card(limited))).toContain(part);
  expect(text).not.toMatch(/\{|\}/);
});

describe("figures", () => {
  /** Ends at which a share would be 1.96 standard errors away, found by trial. */
  const ends = (share: number, n: number): number[] => {
    const inside = Array.from({ length: 100_001 }, (_, i) => i / 100_000).filter(
      (p) => Math.abs(share - p) <= 1.959964 * Math.sqrt((p * (1 - p)) / n) + 1e-12,
    );
    return [inside[0]!, inside.at(-1)!];
  };

  test("are those of a plain count over the rows", () => {
    const searched = made.rows.filter(({ status }) => status === "ok" || status === "infeasible");
    const planned = made.rows.filter(({ valid, edits }) => valid && edits.length > 0);
    const counts: Readonly<
      Record<string, readonly [readonly ExplainedRow[], (row: ExplainedRow) => boolean]>
    > = {
      atGoal: [searched, ({ valid }) => valid],
      oneEdit: [searched, ({ valid, edits }) => valid && edits.length === 1],
      proven: [planned, ({ proof }) => proof?.scope === "model" && proof.claim === "optimal"],
      budget: [made.rows, ({ status }) => status === "budget"],
    };
    for (const [name, [rows, is]] of Object.entries(counts)) {
      const share = rows.filter(is).length / rows.length;
      const told = figure(made, name)!;
      expect(told.value, name).toBe(share);
      expect(told.count).toBe(rows.length);
      const [low, high] = ends(share, rows.length);
      expect(told.low).toBeCloseTo(low!, 3);
      expect(told.high).toBeCloseTo(high!, 3);
    }
    const lengths = planned.map(({ edits }) => edits.length);
    expect(figure(made, "edits")!.value).toBeCloseTo(lengths.reduce((a, b) => a + b, 0) / lengths.length, 12);
    expect(figure(made, "accuracy")).toMatchObject({ value: 0.8, count: 1000 });
    expect(figure(made, "auc")).toMatchObject({ value: 0.75, low: null, high: null });
    expect(figure(made, "budget")!.expected).toBe(0);
  });

  test("means have an interval that never leaves the range of their values, and none of few or of values all alike", () => {
    const changes = (values: readonly number[]) => ({
      ...made,
      rows: values.map((change) => ({
        ...made.rows.find(({ edits }) => edits.length > 0)!,
        valid: true,
        change,
      })),
    });
    // 1 to 10: mean 5.5; means of resamples have the deviation 2.8723 / √10 = 0.9083.
    const ten = figure(changes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "change")!;
    expect(Math.abs(ten.high! - (5.5 + 1.96 * 0.9083))).toBeLessThan(0.2);
    expect(Math.abs(ten.low! - (5.5 - 1.96 * 0.9083))).toBeLessThan(0.2);
    const long = changes(Array.from({ length: 3000 }, (_, i) => i % 10));
    expect(figure(long, "change")!.high).toBeCloseTo(4.5 + (1.96 * 2.8728) / Math.sqrt(3000), 3);
    for (const values of [
      [0, 0, 0, 0, 7],
      [0.1, 0, 0, 0, 0, 0],
      [1e-6, 1e-6, 1e-6, 3, 0.2],
    ]) {
      const { low, high } = figure(changes(values), "change")!;
      expect(low!).toBeGreaterThanOrEqual(Math.min(...values));
      expect(high!).toBeLessThanOrEqual(Math.max(...values));
      expect(low!).toBeLessThan(high!);
    }
    expect(figure(changes([1, 2, 3, 4]), "change")).toMatchObject({ value: 2.5, low: null, high: null });
    expect(figure(changes([2, 2, 2]), "change")).toMatchObject({ value: 2, low: null, high: null });
  });

  test("leave out what the run has nothing of", () => {
    const none = { ...made, rows: made.rows.slice(0, 0) };
    expect(figure(none, "edits")).toBeUndefined();
    expect(figure(made, "survival")).toBeUndefined();
    expect(cardMarkdown(card(none))).toContain(en.card.rescoredNone);
  });
});

describe("evidence", () => {
  test("holds for a run as it was written, and says what was not looked at", () => {
    for (const { name, holds, text } of card(made).evidence) {
      expect(holds, `${name}: ${text}`).not.toBe(false);
      expect(text).not.toMatch(/undefined|NaN|\{/);
    }
    expect(evidence(made, "survival").holds).toBeNull();
    expect(evidence(made, "content").holds).toBe(true);
  });

  test("accuracy on the rows a model was trained on is not evidence, and has no interval", () => {
    const quality = { accuracy: 1, auc: 1, rows: 1000, trained: true as const };
    const trained = { ...made, basis: { ...made.basis!, model: { ...made.basis!.model, quality } } };
    expect(evidence(made, "quality").holds).toBe(true);
    expect(evidence(trained, "quality")).toMatchObject({
      holds: null,
      text: expect.stringMatching(/trained on these very rows.*says little/),
    });
    expect(figure(trained, "accuracyTrained")).toMatchObject({ value: 1, low: null, high: null });
    expect([figure(trained, "accuracy"), figure(trained, "auc")]).toEqual([undefined, undefined]);
  });

  const first = (change: (row: ExplainedRow) => object): Explanation => {
    const at = made.rows.findIndex(({ edits }) => edits.length > 0);
    return {
      ...made,
      rows: made.rows.with(at, { ...made.rows[at]!, ...change(made.rows[at]!) } as ExplainedRow),
    };
  };

  test.each([
    ["a changed score", () => first(() => ({ before: 0.123 })), ["content", "rows"]],
    [
      "a plan that starts elsewhere",
      () => first(({ edits }) => ({ edits: edits.map((e) => ({ ...e, from: -7 })) })),
      ["content", "rows"],
    ],
    ["a row at the goal that misses it", () => first(() => ({ after: 0.2 })), ["content", "rows"]],
    ["wrong counts", () => ({ ...made, totals: { ...made.totals, edits: 1 } }), ["content", "rows"]],
    [
      "a pairing that did not converge",
      () => sealed({ ...made, coupling: { ...made.coupling!, converged: false } }),
      ["coupling"],
    ],
  ] as const)("fails for %s", (_, change, names) => {
    const failed = card(change()).evidence.filter(({ holds }) => holds === false);
    expect(failed.map(({ name }) => name)).toEqual(names.map((name) => en.card[name]));
  });

  test("names a gap between groups beyond chance, and none within it", () => {
    const gap = {
      attribute: "age",
      measure: "within1",
      most: "< 30",
      least: "≥ 30",
      difference: 0.2,
      p: 0.001,
    } as const;
    const audit = { by: ["age:30"], draws: 1000, attributes: [], rules: [], confined: [] } as const;
    const told = (holm: number) =>
      evidence({ ...made, groups: { ...audit, gaps: [{ ...gap, holm }] } }, "groups");
    expect(told(0.012)).toMatchObject({
      holds: false,
      text: expect.stringContaining("< 30 against ≥ 30, corrected p 0.012"),
    });
    expect(told(0.4).holds).toBe(true);
  });

  test("warns of a protected attribute that plans may change", () => {
    const age = { name: "Age", kind: "integer" } as const;
    const row = { ...made.rows[0]! };
    const free = {
      ...made,
      schema: { features: [...made.schema.features, age] },
      rows: [{ ...row, x: [...row.x, 30], attributions: [...row.attributions, 0] }],
    };
    expect(cardMarkdown(card(free))).toContain("Age: MAY CHANGE");
    const locked = { ...free, schema: { features: [...made.schema.features, { ...age, immutable: true }] } };
    expect(cardMarkdown(card(locked))).not.toContain("MAY CHANGE");
  });
});

describe.each([en, de])("the page ($lang)", (locale) => {
  test("holds when opened, and says so when anything of it was changed", async () => {
    for (const text of [cardHtml(card(made, locale)), cardMarkdown(card(made, locale))]) {
      const fault = async (changed: string) => checkPaper(changed, { explanation: made, localeNamed });
      expect(await fault(text)).toEqual({ kind: "card", ok: true });
      for (const [from, to] of [
        [/✔/, "✘"],
        [/80[.,]0/, "90.0"],
        ["a".repeat(64), "c".repeat(64)],
        [/2026-05-31/, "2026-06-01"],
        [/([0-9A-Z]{4})-([0-9A-Z]{4})-/, "$2-$1-"],
        [/31\.? Ma[yi]/, "30. Mai"],
      ] as const) {
        expect(text).toMatch(from);
        expect(await fault(text.replace(from, to))).toMatchObject({ kind: "card", ok: false });
      }
    }
  });

  test("of made-up rows of every kind is whole, and nothing in it runs", () => {
    const hostile = "</td><script>alert(1)</script>|`*[x](y)";
    for (const goal of [undefined, { kind: "group", level: 0.8 } as const]) {
      const told = madeUpExplanation({ rows: 30, cols: 12, prefix: hostile, ...(goal ? { goal } : {}) });
      const [page, text] = [cardHtml(card(told, locale)), cardMarkdown(card(told, locale))];
      expect(page).not.toMatch(/<script|undefined|NaN|\{\w+\}/);
      expect(page).toContain("default-src &#39;none&#39;");
      expect(text).not.toMatch(/<script|undefined|NaN|[^\\]\[x\]/);
      for (const table of text.split("\n\n").filter((part) => part.startsWith("|"))) {
        const cells = table.split("\n").map((line) => line.match(/(?<!\\)\|/g)!.length);
        expect(new Set(cells).size, table).toBe(1);
      }
    }
  });
});
