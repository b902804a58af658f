import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diceJson } from "../../show/dice-json.ts";
import { explanationTables } from "../../show/export.ts";
import { principalReasons } from "../../show/reasons.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Cell, Table } from "../../src/types.ts";
import { loansExplanation, madeUpExplanation } from "../support/explanations.ts";
import { exportsTheProposal, readsOtherLevels } from "../support/mutants/show.ts";
import { refuses } from "../support/refuses.ts";

const column = (table: Table, name: string): readonly Cell[] => table.columns[table.names.indexOf(name)]!;

/** z is x but for the plan's edits, q is x but for the proposed ones, and lines of `edits` say the same. */
function tablesLaw(impl: typeof explanationTables): void {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(99),
      (rows, cols, seed) => {
        const explanation = madeUpExplanation({ rows, cols, seed });
        const { x, q, z, edits } = impl(explanation);
        for (const [table, of] of [
          [q, "proposal"],
          [z, "edits"],
        ] as const) {
          explanation.rows.forEach((row, i) => {
            explanation.schema.features.forEach((feature, k) => {
              const edit = row[of].find((e) => e.feature === feature.name);
              expect(column(x, feature.name)[i]).toBe(row.x[k]);
              expect(column(table, feature.name)[i]).toBe(edit ? edit.to : row.x[k]);
            });
          });
        }
        const count = (role: string): number => column(edits, "role").filter((cell) => cell === role).length;
        expect(count("plan")).toBe(explanation.totals.edits);
        expect(count("plan") + count("unneeded") + count("proposed")).toBe(explanation.totals.editsProposed);
      },
    ),
    { numRuns: 30 },
  );
}

describe("tables", () => {
  test("x, q and z differ in the edits and in nothing else", () => {
    tablesLaw(explanationTables);
  });

  test("a plan that is the proposal is noticed", async () => {
    await refuses(() => tablesLaw(exportsTheProposal));
  });

  /** Columns a feature was read from say the level it has, and with the reasons nothing of the rows is lost. */
  const indicatorsLaw = (impl: typeof explanationTables): void =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(99), (rows, seed) => {
        const made = madeUpExplanation({ rows, cols: 6, seed });
        const feature = made.schema.features.find((f) => f.kind === "categorical")!;
        const levels = feature.categories!;
        const columns = levels.map((level) => `is_${level}`);
        const indicators = [{ feature: feature.name, columns, levels }];
        const whole = explanationTables(made);
        const tables = impl({ ...made, options: { ...made.options, indicators } });
        for (const name of ["x", "q", "z"] as const) {
          expect(tables[name].names).not.toContain(feature.name);
          const told = column(whole[name], feature.name).map((cell) =>
            columns.map((_, k) => (cell === null ? null : Number(cell === levels[k]))),
          );
          const cells = columns.map((one) => column(tables[name], one));
          expect(told).toEqual(told.map((_, i) => cells.map((values) => values[i])));
          expect(column(tables[name], "f0")).toEqual(column(whole[name], "f0"));
        }
      }),
      { numRuns: 30 },
    );

  test("features of indicator columns are these columns again", async () => {
    indicatorsLaw(explanationTables);
    await refuses(() => indicatorsLaw(readsOtherLevels));
  });

  test("the reasons of each row are lines of a table, with their codes", async () => {
    const explanation = await loansExplanation(3);
    const codes = { amount: { code: "R7", text: "The amount" } };
    const { reasons } = explanationTables(explanation, { reasons: codes });
    const told = explanation.rows.flatMap((row) =>
      principalReasons(explanation.schema, row, { codes }).map((reason) => [
        row.id,
        reason.feature,
        reason.text,
      ]),
    );
    expect(told.length).toBeGreaterThan(3);
    expect(told.map((_, i) => ["id", "feature", "text"].map((name) => column(reasons, name)[i]))).toEqual(
      told,
    );
    const coded = column(reasons, "feature").map((name) => (name === "amount" ? "R7" : null));
    expect(column(reasons, "code")).toEqual(coded);
  });

  test("scores, labels and validity stand beside the rows", async () => {
    const explanation = await loansExplanation(4);
    const { x, q, z } = explanationTables(explanation);
    expect(z.names.slice(0, 7)).toEqual(["row", "id", "status", "valid", "score", "label", "age"]);
    expect(column(x, "label")).toEqual(["refused", "refused", "refused", "refused"]);
    expect(column(x, "valid")).toEqual([false, false, false, false]);
    expect(column(q, "valid")).toEqual([true, true, true, true]);
    expect(column(z, "label")).toEqual(["granted", "granted", "granted", "granted"]);
    expect(column(z, "score")).toEqual(explanation.rows.map((row) => row.after));
    expect(column(z, "id")).toEqual(["A-1000", "A-1001", "A-1002", "A-1003"]);
  });

  test("a feature called like a column keeps its name", () => {
    const made = madeUpExplanation({ rows: 2, cols: 3 });
    const named = JSON.parse(JSON.stringify(made).replaceAll('"f0"', '"score"')) as Explanation;
    expect(explanationTables(named).z.names).toEqual([
      "row",
      "id",
      "status",
      "valid",
      "_score",
      "label",
      "score",
      "f1",
      "f2",
    ]);
  });

  test("derived columns are recomputed after the edits", () => {
    const made = madeUpExplanation({ rows: 1, cols: 1 });
    const edit = { feature: "debt", from: 30, to: 10, attribution: 0 };
    const explanation: Explanation = {
      ...made,
      schema: {
        features: [
          { name: "debt", kind: "numeric" },
          { name: "income", kind: "numeric" },
          { name: "ratio", kind: "numeric", derived: "debt / income" },
        ],
      },
      rows: [{ ...made.rows[0]!, x: [30, 40, 0.75], edits: [edit], proposal: [edit], alternatives: [] }],
    };
    const { x, z } = explanationTables(explanation);
    expect([column(x, "ratio"), column(z, "ratio")]).toEqual([[0.75], [0.25]]);
  });

  test("where the score alone does not tell, validity and label are missing", () => {
    const made = madeUpExplanation({ rows: 1, cols: 2 });
    const three = { ...made, outputs: ["a", "b", "yes"], output: "yes" };
    const { x, z } = explanationTables(three);
    expect([column(x, "valid"), column(x, "label"), column(z, "label")]).toEqual([[null], [null], ["yes"]]);
    const group = explanationTables({ ...made, goal: { kind: "group" } });
    expect(column(group.q, "valid")).toEqual([null]);
  });
});

describe("DiCE's JSON", () => {
  test("has every field of schema 2.0, n factuals and the plans of each", () => {
    const explanation = madeUpExplanation({ rows: 20, cols: 6 });
    const json = JSON.parse(JSON.stringify(diceJson(explanation))) as ReturnType<typeof diceJson>;
    expect(Object.keys(json).sort()).toEqual([
      "cfs_list",
      "data_interface",
      "desired_class",
      "desired_range",
      "feature_names",
      "feature_names_including_target",
      "local_importance",
      "metadata",
      "model_type",
      "summary_importance",
      "test_data",
    ]);
    expect(json.metadata.version).toBe("2.0");
    expect(json.desired_class).toBe("yes");
    expect(json.feature_names_including_target).toEqual([...json.feature_names, "outcome"]);
    explanation.rows.forEach((row, i) => {
      expect(json.test_data[i]).toEqual([[...row.x, "no"]]);
      const plans = json.cfs_list[i]!;
      expect(plans.length).toBe(row.edits.length === 0 ? 0 : 1 + row.alternatives.length);
      expect(plans.every((plan) => plan.length === 7)).toBe(true);
      if (plans.length > 0) expect(plans[0]!.at(-1)).toBe("yes");
    });
    const changes = explanation.rows.flatMap((row) =>
      row.edits.length > 0 ? [row.edits, ...row.alternatives.map(({ edits }) => edits)] : [],
    );
    const share = changes.filter((plan) => plan.some((e) => e.feature === "f0")).length / changes.length;
    expect(json.summary_importance[0]).toBeCloseTo(share, 12);
  });

  test("a range becomes desired_range, open ends stay finite", () => {
    const made = madeUpExplanation({ rows: 1, cols: 2, goal: { kind: "each", target: { min: 3 } } });
    const json = diceJson({ ...made, outputs: ["price"], output: "price" }, { outcome: "f0" });
    expect(json).toMatchObject({
      model_type: "regressor",
      desired_class: null,
      desired_range: [3, Number.MAX_VALUE],
      data_interface: { outcome_name: "_f0" },
    });
  });
});
