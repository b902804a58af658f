import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { levelsOf } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Cell, Feature, Matrix, Schema } from "../../src/types.ts";
import { levelMutants, ruleMutants } from "../support/mutants/rules.ts";
import { refuses } from "../support/refuses.ts";
import {
  type Comparison,
  type Rule,
  type Ruled,
  ruled,
  UNKNOWN_LEVEL,
  type Writer,
  written,
} from "../support/rules.ts";

type Cells = ReadonlyMap<string, Cell>;

/** Does a rule hold for a row of cells as people write them? Read from the tree, never from its text. */
function meets(rule: Rule, cells: Cells): boolean {
  if ("not" in rule) return !meets(rule.not, cells);
  if ("both" in rule) return rule.both.every((part) => meets(part, cells));
  if ("either" in rule) return rule.either.some((part) => meets(part, cells));
  const { feature, op, with: other } = rule;
  const a = cells.get(feature.name)!;
  const b = typeof other === "object" ? cells.get(other.name)! : other;
  if (a === null || b === null) return op === "!=";
  if (op === "==") return a === b;
  if (op === "!=") return a !== b;
  const place = (cell: Cell): number =>
    typeof cell === "number" ? cell : feature.categories!.indexOf(String(cell));
  const gap = place(a) - place(b);
  if (gap === 0) return op.endsWith("=");
  return gap < 0 === op.startsWith("<");
}

function cellOf(feature: Feature, code: number): Cell {
  if (Number.isNaN(code)) return null;
  if (feature.kind === "boolean") return code === 1;
  return feature.categories ? feature.categories[code]! : code;
}

const cellsOf = ({ features }: Schema, row: readonly number[]): Cells =>
  new Map(features.map((feature, k) => [feature.name, cellOf(feature, row[k]!)]));

/** Every code counts, a gap for half; some rows of three or so are refused. */
const model = (rows: Matrix): number[] =>
  Array.from({ length: rows.rows }, (_, i) => {
    const row = [...rows.data.subarray(i * rows.cols, (i + 1) * rows.cols)];
    const sum = row.reduce((total, v, k) => total + (k % 3 === 0 ? -1 : 1) * (Number.isNaN(v) ? 0.5 : v), 0);
    return 1 / (1 + Math.exp(2.5 - sum));
  });

/** Changed rows seen, and those of them in which the rule made a difference to the plan. */
interface Seen {
  changed: number;
  barred: number;
}

/** No plan that is ok breaks the rule. */
const planLaw = (write: Writer | undefined, numRuns: number, seen: Seen): Promise<void> =>
  fc.assert(
    fc.asyncProperty(ruled, async ({ schema, rule, x, references }: Ruled) => {
      const input = { model, x: fromRows(x), references: fromRows(references) };
      const told = await explain({ ...input, schema: { ...schema, rules: [written(rule, write)] } });
      const free = await explain({ ...input, schema });
      told.rows.forEach((row, i) => {
        const planOf = ({ edits }: typeof row): Cells =>
          new Map([
            ...cellsOf(schema, x[i]!),
            ...edits.map(({ feature, to }): [string, Cell] => [feature, to]),
          ]);
        const other = free.rows[i]!;
        if (other.edits.length > 0 && !meets(rule, planOf(other))) seen.barred++;
        if (row.status !== "ok" || row.edits.length === 0) return;
        seen.changed++;
        expect(meets(rule, planOf(row)), `${written(rule)} in ${JSON.stringify([...planOf(row)])}`).toBe(
          true,
        );
      });
    }),
    { numRuns, seed: 5 },
  );

/** A row is legal exactly where the rule holds, and so is a column derived from it. */
const legalLaw = (write: Writer | undefined, numRuns: number): void =>
  fc.assert(
    fc.property(ruled, ({ schema, rule, x, references }) => {
      const text = written(rule, write);
      const derived: Feature = { name: "derived", kind: "boolean", derived: text };
      const rows = [...x, ...references];
      const expected = rows.map((row) => Number(meets(rule, cellsOf(schema, row))));
      expect([...compileConstraints({ ...schema, rules: [text] }).legal(fromRows(rows))], text).toEqual(
        expected,
      );
      const { complete } = compileConstraints({ features: [...schema.features, derived] });
      const full = complete(fromRows(rows.map((row) => [...row, Number.NaN])));
      expect([...full.data].filter((_, c) => c % full.cols === full.cols - 1)).toEqual(expected);
    }),
    { numRuns, seed: 6 },
  );

/** A rule about a level that is none is refused, wherever in the rule it stands. */
const levelLaw = (write: Writer | undefined): void =>
  fc.assert(
    fc.property(
      ruled,
      fc.nat(3),
      fc.constantFrom("==", "!="),
      fc.boolean(),
      ({ schema, rule }, k, op, first) => {
        const feature = schema.features[2 + k]!;
        const unknown: Comparison = {
          feature,
          op: op as "==",
          with: UNKNOWN_LEVEL,
          text: `'${UNKNOWN_LEVEL}'`,
        };
        const either: [Rule, Rule] = first ? [unknown, rule] : [rule, unknown];
        let message = "";
        try {
          compileConstraints({ ...schema, rules: [written({ either }, write)] });
        } catch (error) {
          message = String(error);
        }
        for (const part of [UNKNOWN_LEVEL, feature.name, levelsOf(feature).join(", ")])
          expect(message).toContain(part);
      },
    ),
    { numRuns: 100, seed: 7 },
  );

describe("rules mean what they say", () => {
  test("law: no plan breaks a rule, over schemas of all kinds", async () => {
    const seen = { changed: 0, barred: 0 };
    await planLaw(undefined, 150, seen);
    expect(seen.changed).toBeGreaterThan(50);
    expect(seen.barred).toBeGreaterThan(30);
  });

  test("law: a row is legal, and a derived column true, exactly where the rule holds", () => {
    legalLaw(undefined, 500);
  });

  test("law: a level that is none is refused with the levels there are", () => {
    levelLaw(undefined);
  });

  test.each(Object.entries(ruleMutants))("%s is found out", async (_, write) => {
    await refuses(() => planLaw(write, 300, { changed: 0, barred: 0 }));
    await refuses(() => legalLaw(write, 500));
  });

  test.each(Object.entries(levelMutants))("%s is found out", async (_, write) => {
    await refuses(() => levelLaw(write));
  });
});
