import { expect } from "vitest";
import { explain as explainRows } from "../../../src/explain.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import {
  answered,
  badInputs,
  call,
  cells,
  csv,
  explain,
  file,
  good,
  json,
  labelOf,
  misused,
  type Row,
  refused,
} from "../../support/bad-inputs.ts";
import { LIST } from "./list.ts";

const under = (constraints: unknown, ...rest: string[]): string[] =>
  explain(good, "--constraints", json(constraints), ...rest);
const feature = (fields: object, ...rest: string[]): string[] => under({ features: { a: fields } }, ...rest);
const raw = (text: string): string[] => explain(good, "--constraints", file(text, "c.json"));
const edited = ({ rows }: Explanation): string[] => rows.flatMap((row) => row.edits.map((e) => e.feature));

/** The good table with b as two indicator columns. */
const grouped = csv(
  ["a", "home_own", "home_rent", "y"],
  ...cells.map(([a, b]) => [a, b > 5 ? 1 : 0, b > 5 ? 0 : 1, labelOf(a, b)]),
);
const budget = (given: { total?: number; perRow?: number }) =>
  call(() =>
    explainRows({
      model: (rows) => rows.data.map((v) => v / 10),
      x: fromRows([[1]]),
      references: fromRows([[9]]),
      budget: given,
    }),
  );

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  ["4.1", "frozen", () => explain(good, "--freeze", "c"), refused("CONSTRAINT_INVALID", /no feature "c"; the features are a, b/)],
  ["4.1", "to vary", () => explain(good, "--vary", "a,c"), refused("CONSTRAINT_INVALID", /no feature "c"; the features are a, b/)],
  ["4.1", "bounded", () => under({ features: { c: { min: 1 } } }), refused("CONSTRAINT_INVALID", /no feature "c"/)],
  ["4.1", "in a rule", () => under({ rules: ["c < 1"] }), refused("CONSTRAINT_INVALID", /no feature "c"/)],
  ["4.1", "__proto__", () => raw('{"features":{"__proto__":{"min":1}}}'), refused("CONSTRAINT_INVALID", /no feature "__proto__"/)],
  ["4.1", "a field nobody knows", () => feature({ minimum: 1 }), refused("OPTION_INVALID", /constraints\.features\.a has "minimum".*may have .*min, max/)],
  ["4.1", "a level nobody knows", () => explain(grouped, "--constraints", json({ features: { home: { allowed: ["boat"] } } })), refused("CONSTRAINT_INVALID", /"boat".*own, rent/)],
  ["4.2", "frozen and to vary", () => explain(good, "--freeze", "a", "--vary", "a,b"), refused("CONSTRAINT_INVALID", "a is both frozen and")],
  ["4.2", "allowed values outside the range", () => feature({ min: 5, allowed: [1, 2] }), refused("CONSTRAINT_INVALID", /a: none of the values `allowed` \(1, 2\) meets .*"min":5/)],
  ["4.2", "no multiple of the step in the range", () => feature({ min: 1, max: 2, step: 5, allowed: [2] }), refused("CONSTRAINT_INVALID", /a: none of the values `allowed` \(2\) meets .*"step":5/)],
  [
    "4.2",
    "rules that no row meets",
    () => under({ rules: ["a < 1", "a > 2"] }),
    answered(1, ({ rows }) => {
      for (const row of rows) expect(row).toMatchObject({ status: "infeasible", edits: [] });
      expect(rows[0]!.reason).toMatch(/no permitted values reach the target/);
    }),
  ],
  ["4.3", "", () => feature({ min: 2, max: 1 }), refused("CONSTRAINT_INVALID", /a: `min` must not exceed `max` \(1\), but it is 2/)],
  ["4.3", "a bound that is text", () => feature({ min: "2" }), refused("OPTION_INVALID", /constraints\.features\.a\.min must be a number, not "2"/)],
  ["4.3", "an infinite bound", () => raw('{"features":{"a":{"min":1e999}}}'), refused("CONSTRAINT_INVALID", "`min` must be a finite number")],
  ["4.3", "no JSON", () => raw("{"), refused("OPTION_INVALID", "constraints file is not JSON")],
  ["4.3", "no object", () => raw("[1]"), refused("OPTION_INVALID", "constraints must be an object")],
  ["4.3", "null", () => raw("null"), refused("OPTION_INVALID", "constraints must be an object")],
  ["4.3", "a rule that is not a list", () => raw('{"rules":"a < 1"}'), refused("OPTION_INVALID", "constraints.rules must be a list")],
  ["4.3", "a direction nobody knows", () => feature({ direction: "sideways" }), refused("CONSTRAINT_INVALID", '`direction` must be "up" or "down"')],
  ["4.3", "a step of 0", () => feature({ step: 0 }), refused("CONSTRAINT_INVALID", "`step` must be finite and above 0")],
  [
    "4.4",
    "says what to unlock",
    () => explain(good, "--freeze", "a,b"),
    answered(1, ({ rows }) => {
      for (const row of rows) expect(row).toMatchObject({ status: "infeasible", edits: [] });
      expect(rows.some((row) => row.relaxation?.feature === "a")).toBe(true);
    }),
  ],
  [
    "4.5",
    "keeps its value or goes into the range",
    () => feature({ min: 10 }),
    answered(0, (e) => {
      expect(e.rows[0]!.x[0]).toBeLessThan(10);
      for (const edit of e.rows.flatMap((row) => row.edits.filter((one) => one.feature === "a")))
        expect(edit.to).toBeGreaterThanOrEqual(10);
      expect(edited(e)).toContain("a");
    }),
  ],
  ["4.6", "a member is not a feature", () => explain(grouped, "--freeze", "home_own"), refused("CONSTRAINT_INVALID", /no feature "home_own" \(did you mean "home"\?\); the features are a, home/)],
  [
    "4.6",
    "the group is one feature",
    () => explain(grouped, "--freeze", "home"),
    answered(0, (e) => {
      expect(e.schema.features.map((f) => f.name)).toEqual(["a", "home"]);
      expect(edited(e)).not.toContain("home");
    }),
  ],
  [
    "4.6",
    "one level of it may not be left",
    () =>
      explain(
        grouped,
        "--constraints",
        json({ features: { home: { transitions: { own: [], rent: ["own"] } } } }),
      ),
    answered(0, (e) => {
      for (const edit of e.rows.flatMap((row) => row.edits.filter((one) => one.feature === "home")))
        expect(edit).toMatchObject({ from: "rent", to: "own" });
    }),
  ],
  ["4.7", "two features", () => under({ features: { a: { derived: "b + 1" }, b: { derived: "a + 1" } } }), refused("CONSTRAINT_INVALID", /a, b depend on each other in a circle/)],
  ["4.7", "one feature", () => feature({ derived: "a + 1" }), refused("CONSTRAINT_INVALID", /a depend.* in a circle/)],
  ["4.8", "cannot be read", () => under({ rules: ["a <"] }), refused("CONSTRAINT_INVALID", /rule "a <".*unexpected/)],
  ["4.8", "nests too deeply", () => under({ rules: [`${"(".repeat(5000)}a${")".repeat(5000)} < 1`] }), refused("CONSTRAINT_INVALID", "nests deeper")],
  ["4.8", "is code", () => under({ rules: ["process.exit(1)"] }), refused("CONSTRAINT_INVALID", 'no feature "process.exit"')],
  ["4.8", "divides by zero: missing, so no row meets it", () => under({ rules: ["0 / (a - a) > 1"] }), answered(1, (e) => expect(edited(e)).toEqual([]))],
  ["4.9", "", () => feature({ cost: 0 }), refused("CONSTRAINT_INVALID", "`cost` must be finite and above 0, but it is 0")],
  ["4.10", "", () => feature({ cost: -1 }), refused("CONSTRAINT_INVALID", "`cost` must be finite and above 0, but it is -1")],
  ["4.11", "", () => raw('{"features":{"a":{"cost":1e999}}}'), refused("CONSTRAINT_INVALID", "`cost` must be finite and above 0")],
  ["4.12", "in all", () => explain(good, "--budget", "0"), answered(4, (e) => { expect(edited(e)).toEqual([]); expect(e.rows[0]!.reason).toMatch(/budget|edits/); })],
  ["4.12", "for each row", () => explain(good, "--per-row", "0"), answered(4, (e) => expect(edited(e)).toEqual([]))],
  ["4.13", "in all", () => explain(good, "--budget", "-1"), misused(/--budget.*at least 0/)],
  ["4.13", "for each row", () => explain(good, "--per-row", "-1"), misused(/--per-row.*at least 0/)],
  ["4.13", "by the library", () => budget({ total: -1 }), refused("BUDGET_INVALID", "-1")],
  ["4.14", "in all", () => explain(good, "--budget", "1.5"), misused(/--budget.*whole number/)],
  ["4.14", "by the library", () => budget({ perRow: 1.5 }), refused("BUDGET_INVALID", "1.5")],
  ["4.14", "no number", () => explain(good, "--budget", "many"), misused(/--budget.*whole number/)],
  ["4.14", "NaN", () => budget({ total: Number.NaN }), refused("BUDGET_INVALID", "NaN")],
  ["4.15", "changes nothing", () => explain(good, "--budget", "1000000"), answered(0, (e) => expect(edited(e).length).toBeGreaterThan(0))],
];

badInputs("4 constraints", LIST.constraints, ROWS);
