import fc from "fast-check";
import { expect, test } from "vitest";
import { bars, editBars } from "../../show/figures/bars.ts";
import { savedBy } from "../../show/saved.ts";
import { percent } from "../../show/sentences.ts";
import { summaryText } from "../../show/text.ts";
import type { Explanation } from "../../src/explanation.ts";
import { madeUpExplanation } from "../support/explanations.ts";
import { averagesShares, countsTwice } from "../support/mutants/show.ts";
import { refuses } from "../support/refuses.ts";

/** Rows whose counterfactual makes `proposed[i]` edits, of which the plan keeps `kept[i]`. */
function counted(pairs: readonly (readonly [kept: number, proposed: number])[]): Explanation {
  const whole = madeUpExplanation({ rows: pairs.length, cols: 12 });
  const rows = whole.rows.map((row, i) => {
    const [kept, proposed] = pairs[i]!;
    const all = whole.schema.features
      .slice(0, proposed)
      .map((f) => ({ feature: f.name, from: 0, to: 1, attribution: 0 }));
    return { ...row, status: "ok" as const, proposal: all, edits: all.slice(0, kept) };
  });
  return { ...whole, rows };
}

/** share = kept / (kept + unneeded), and the bars count every proposed edit once, however rows are grouped. */
function barsLaw(impl: typeof editBars): void {
  const pair = fc
    .integer({ min: 1, max: 12 })
    .chain((all) => fc.tuple(fc.integer({ min: 0, max: all }), fc.constant(all)));
  fc.assert(
    fc.property(
      fc.array(pair, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (pairs, maxRows) => {
        const drawn = impl(counted(pairs), maxRows);
        const sum = (of: (bar: (typeof drawn)[number]) => number): number =>
          drawn.reduce((s, bar) => s + of(bar), 0);
        expect(sum((bar) => bar.kept)).toBe(pairs.reduce((s, [kept]) => s + kept, 0));
        expect(sum((bar) => bar.unneeded)).toBe(pairs.reduce((s, [kept, all]) => s + all - kept, 0));
        for (const bar of drawn) expect(bar.share).toBeCloseTo(bar.kept / (bar.kept + bar.unneeded), 12);
        expect(new Set(drawn.map((bar) => bar.label)).size).toBe(drawn.length);
      },
    ),
    { numRuns: 60 },
  );
  expect(percent(impl(counted([[1, 2]]), 1)[0]!.share)).toBe("50\u00a0%");
}

test("bars count edits, and 1 of 2 is 50 %", () => {
  barsLaw(editBars);
});

test("a row without a plan has no bar and saves nothing", () => {
  const whole = counted([
    [1, 2],
    [0, 4],
  ]);
  const rows = whole.rows.map((row, i) => (i === 0 ? row : { ...row, status: "infeasible" as const }));
  expect(editBars({ ...whole, rows }).map(({ unneeded }) => unneeded)).toEqual([1]);
  expect(savedBy({ ...whole, rows })).toEqual({ rows: 1, edits: 1, proposed: 2, change: 0 });
  expect(savedBy(whole)).toEqual({ rows: 2, edits: 1, proposed: 6, change: 0 });
  const group = { kind: "group" as const };
  expect(savedBy({ rows, goal: group })).toEqual({ rows: 2, edits: 1, proposed: 6, change: 0 });
  const unbegun = rows.map((row) => ({ ...row, status: "budget" as const, valid: false, edits: [] }));
  expect(savedBy({ rows: unbegun, goal: group })).toEqual({ rows: 0, edits: 0, proposed: 0, change: 0 });
});

test("an effect that is not of all rows says of how many it is", () => {
  const whole = counted([
    [1, 2],
    [2, 2],
  ]);
  const scored = { before: 0.1, after: 0.9, proposed: 0.9 };
  const of = (known: number): string =>
    summaryText({
      ...whole,
      rows: whole.rows.map((row, i) => ({ ...row, ...(i < known ? scored : { before: null }) })),
    });
  expect(of(1)).toContain("scores of the 1 row that was scored cover");
  expect(of(2)).toContain("The scores cover");
});

test.each([countsTwice, averagesShares])("bars with other shares are noticed: %o", async (mutant) => {
  await refuses(() => barsLaw(mutant));
});

test("what is drawn is what was counted", () => {
  const { data } = bars(
    counted([
      [1, 2],
      [3, 4],
    ]),
  ) as unknown as { data: { values: Record<string, unknown>[] } };
  expect(data.values.map(({ part, share, text }) => [part, share, text])).toEqual([
    ["in the plan", 0.5, "1 of 2 · 50\u00a0%"],
    ["proposed, not needed", 0.5, ""],
    ["in the plan", 0.75, "3 of 4 · 75\u00a0%"],
    ["proposed, not needed", 0.25, ""],
  ]);
});

test("the title of the axis begins with the bars: it is wider, and in the middle the figure would cut it", () => {
  const { layer } = bars(counted([[1, 2]])) as unknown as {
    layer: { encoding: { x: { axis?: { titleAnchor?: string } } } }[];
  };
  expect(layer[0]!.encoding.x.axis!.titleAnchor).toBe("start");
});
