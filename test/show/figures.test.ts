import { beforeAll, describe, expect, test } from "vitest";
import type { FigureSpec } from "../../show/figures/contract.ts";
import { blocksOf } from "../../show/figures/heat.ts";
import { renderPng } from "../../show/figures/png.ts";
import { figure, figures } from "../../show/figures/registry.ts";
import { renderSvg } from "../../show/figures/svg.ts";
import { en } from "../../show/locales/en.ts";
import type { Explanation } from "../../src/explanation.ts";
import { loansExplanation, madeUpExplanation } from "../support/explanations.ts";

const names = Object.keys(figures);
let real: Explanation;

beforeAll(async () => {
  real = await loansExplanation(5);
});

/** Texts of an SVG in reading order. */
const texts = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((m) => m[1]!);

const values = (spec: FigureSpec): Record<string, unknown>[] =>
  (spec as unknown as { data: { values: Record<string, unknown>[] } }).data.values;

describe.each(names)("%s", (name) => {
  test("is drawn the same twice, with its title, and says in words what it shows", async () => {
    const spec = figure(name, real);
    const svg = await renderSvg(spec);
    expect(await renderSvg(figure(name, real))).toBe(svg);
    expect(svg).toMatch(/^<svg font-family="DejaVu Sans" xmlns="http:\/\/www.w3.org\/2000\/svg" width="\d/);
    expect(texts(svg)).toContain(spec.title);
    expect(spec.description.length).toBeGreaterThan(spec.title.length + 10);
    expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
  });

  test("is a picture with its text: without the text it is another", async () => {
    const svg = await renderSvg(figure(name, real));
    const png = await renderPng(svg, { scale: 1 });
    expect([...png.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
    const bare = await renderPng(svg.replace(/<text[^>]*>[^<]*<\/text>/g, ""), { scale: 1 });
    expect(Buffer.compare(png, bare)).not.toBe(0);
    expect(png.length).toBeGreaterThan(bare.length + 500);
  });

  test("stays small and complete for many rows and columns, and for none that change", async () => {
    const many = await renderSvg(figure(name, madeUpExplanation({ rows: 400, cols: 29 })));
    expect(many.length).toBeLessThan(400_000);
    const one = madeUpExplanation({ rows: 1, cols: 1 });
    const still = {
      ...one,
      rows: one.rows.map((row) => ({ ...row, edits: [], proposal: [], attributions: [0] })),
    };
    expect(await renderSvg(figure(name, { ...still, curve: [] }))).toContain("<svg");
  });

  test("hostile names are text and nothing else", async () => {
    const prefix = `</text><script>alert(1)</script><img src=x onerror=alert(2)>"'&`;
    const svg = await renderSvg(figure(name, madeUpExplanation({ rows: 3, cols: 5, prefix })));
    expect(svg).not.toMatch(/<script|<img|<\/text><[^/gtlp]/);
    const tags = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map((m) => m[1]));
    expect([...tags].filter((tag) => !["svg", "g", "rect", "path", "line", "text"].includes(tag!))).toEqual(
      [],
    );
  });
});

const made = madeUpExplanation({ rows: 3, cols: 6, seed: 3 });

test("the curve, in numbers", () => {
  const spec = figure("curve", made);
  expect(spec.description).toMatchInlineSnapshot(
    `"How far the edits go: rows at the goal against edits spent, all rows together. 3 edits: 100 %."`,
  );
  const points = values(spec).map(({ edits, value }) => `${edits}: ${(value as number).toFixed(2)}`);
  expect(points.join(", ")).toMatchInlineSnapshot(`"0: 0.00, 1: 0.33, 2: 0.67, 3: 1.00"`);
});

test("the waterfall, in numbers", () => {
  const { layer } = figure("waterfall", made, { row: 1 }) as unknown as {
    layer: { data: { values: { label: string; from: number; to: number; text: string }[] } }[];
  };
  const steps = layer[0]!.data.values.map(
    ({ label, from, to }) => `${label} ${from.toFixed(3)} → ${to.toFixed(3)}`,
  );
  expect(steps).toMatchInlineSnapshot(`
    [
      "● Feature 2 0.043 → 0.080",
    ]
  `);
  expect(layer[2]!.data.values.map(({ label, text }) => `${label} ${text}`)).toMatchInlineSnapshot(`
    [
      "Examples 0.043",
      "This row 0.080",
    ]
  `);
});

test("the groups, in numbers", () => {
  const parts = values(figure("groups", made)).map(({ feature, part, rows }) => `${feature} ${part} ${rows}`);
  expect(parts).toMatchInlineSnapshot(`
    [
      "Feature 0 ▲ raised 1",
      "Feature 2 ▼ lowered 1",
      "Feature 5 ▼ lowered 1",
    ]
  `);
});

test("the heat maps show q beside z, and signs as glyphs", () => {
  const cells = values(figure("directions", made)).filter(({ row }) => row === "id-1");
  expect(cells.map(({ panel, feature, glyph }) => `${panel} ${feature} ${glyph}`)).toMatchInlineSnapshot(`
    [
      "Counterfactual: 3 edits Feature 2 ▼",
      "Plan: 3 edits Feature 2 ▼",
    ]
  `);
  const changes = values(figure("changes", real));
  const kept = changes.filter(({ panel }) => String(panel).startsWith("Plan"));
  expect(kept.length).toBe(real.totals.edits);
  expect(changes.length - kept.length).toBe(real.totals.editsProposed);
});

test("grouped rows are all there, and change alike", () => {
  const { rows } = madeUpExplanation({ rows: 103, cols: 6 });
  const blocks = blocksOf(rows, 40, en);
  expect(blocks.length).toBeLessThanOrEqual(40);
  expect(blocks.flatMap((block) => block.rows.map((row) => row.row)).sort((a, b) => a - b)).toEqual(
    rows.map((row) => row.row),
  );
});

test("a curve of many points is thinned, ends and chosen budget kept", () => {
  const many = madeUpExplanation({ rows: 400, cols: 8 });
  const drawn = values(figure("curve", many)).map(({ edits }) => edits);
  expect(drawn.length).toBeLessThanOrEqual(202);
  expect([drawn[0], drawn.at(-1)]).toEqual([0, many.totals.edits]);
});

test("a curve without a known effect shows the distance left; a group's mark is where its plans are", () => {
  const blind = { ...made, curve: made.curve.map((point) => ({ ...point, effect: null })) };
  expect(figure("curve", blind).description).toContain("distance left");
  const group = figure("curve", { ...made, goal: { kind: "group" } });
  expect(group.description).toContain(`${made.totals.edits} edits: 80\u00a0%`);
});

test("unknown figures, rows and scales are refused", async () => {
  const code = (name: string) => expect.objectContaining({ code: name });
  expect(() => figure("pie", real)).toThrow(code("NAME_UNKNOWN"));
  expect(() => figure("waterfall", real, { row: 99 })).toThrow(code("OPTION_INVALID"));
  await expect(renderPng("<svg/>", { scale: 0 })).rejects.toThrow(code("OPTION_INVALID"));
});

test.each([2, 3, 12])("the titles of both panels fit beside each other over %d features", async (cols) => {
  const svg = await renderSvg(figure("changes", madeUpExplanation({ rows: 20, cols })));
  const place =
    /translate\(([\d.]+),-?[\d.]+\)"><path d="[^"]*"\/>(?:<g[^>]*>)*<g aria-label="Title text '([^']+)'/g;
  const [left, right] = [...svg.matchAll(place)].map(([, x, title]) => ({ x: Number(x), title: title! }));
  expect(right!.title).toMatch(/^Plan: /);
  expect(right!.x - left!.x).toBeGreaterThan(6.5 * left!.title.length);
});
