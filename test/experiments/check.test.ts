import { expect, test } from "vitest";
import { GERMAN_KNN, germanKnnSheet, germanKnnVerdict } from "../../experiments/german-knn.ts";
import { RERUN } from "../../experiments/paper-values.ts";
import { reasonOf } from "../../experiments/reason.ts";
import { agreementText, type Draw, inRange, rerunSheet } from "../../experiments/rerun.ts";
import { scenarioOf } from "../../experiments/settings.ts";
import { ColaError } from "../../src/errors.ts";
import { reasonMutants } from "../support/mutants/experiments.ts";
import { scenarioResult } from "../support/scenario-results.ts";

test("in range: 10 % outside the extremes of our draws, not more; never without a draw that reached it", () => {
  expect(inRange(0.9, [1, 2, null])).toBe(true);
  expect(inRange(2.2, [1, 2, null])).toBe(true);
  expect(inRange(0.89, [1, 2])).toBe(false);
  expect(inRange(2.21, [1, 2])).toBe(false);
  expect(inRange(1, [null])).toBe(false);
});

test("the other program's thirteen rows: each agrees with itself, and with nothing a fifth away", () => {
  expect(RERUN).toHaveLength(13);
  const draw = (scale: number, of = RERUN[0]!): Draw => ({
    start: of.start,
    unaligned: of.unaligned,
    firstHit: of.firstHit.map((v) => scale * v),
    meanCurve: of.meanCurve,
  });
  const all = (scale: number) => new Map(RERUN.map((r) => [r.scenario, [draw(scale, r)]]));
  expect(rerunSheet(all(1)).agreement).toEqual({ compared: 13, agree: 13, whole: 13 });
  expect(rerunSheet(all(1.2)).agreement).toEqual({ compared: 13, agree: 0, whole: 0 });
  const off = new Map([[RERUN[0]!.scenario, [{ ...draw(1), meanCurve: [9, 9] }]]]);
  expect(rerunSheet(off).agreement).toEqual({ compared: 1, agree: 1, whole: 0 });
  expect(agreementText(rerunSheet(off).agreement)).toContain("1 of 1 rows agree");
  const { sheet, agreement } = rerunSheet(new Map([["loans-forest-knn", [draw(1)]]]));
  expect(agreement).toEqual({ compared: 0, agree: 0, whole: 0 });
  expect(sheet.rows[0]).toHaveLength(sheet.columns.length);
});

test("German Credit with KNN: the fewest edits by the mean curve, scenario by scenario and in the mean", () => {
  expect(GERMAN_KNN.map(({ id }) => id)).toEqual(
    expect.arrayContaining(RERUN.slice(0, 4).map((r) => r.scenario)),
  );
  const [first, second] = GERMAN_KNN.map(({ id }) => scenarioOf(id));
  const good = scenarioResult(first!, { "CF-p_OT": 3, "RB-p_OT": 7, "CF-p_Uni": null });
  const bad = scenarioResult(second!, { "CF-p_OT": 5, "RB-p_OT": 4.5, "CF-p_Uni": null });
  const { rows, columns } = germanKnnSheet([good, bad]);
  const won = rows.filter((row) => row[1] === "100 %").map((row) => row[columns.indexOf("fewest")]);
  expect(won).toEqual(["CF-p_OT", "RB-p_OT", "CF-p_OT"]);
  expect(rows.at(-1)![columns.indexOf("CF-p_Uni")]).toBe("–");
  expect(germanKnnVerdict([good, bad])).toContain(`1 of 2 scenarios, but in ${second!.id} (RB-p_OT)`);
  expect(germanKnnVerdict([])).toContain("not run");
  const tied = scenarioResult(first!, { "CF-p_OT": 3, "RB-p_OT": 3 });
  expect(germanKnnSheet([tied]).rows[0]!.at(-1)).toBe("RB-p_OT, CF-p_OT");
  expect(germanKnnVerdict([tied])).toContain("1 of 1 scenarios;");
});

/** What a scenario may come to is a reason; a fault of files or programs is thrown as it is. */
function keepsOnlyExpected(reason: typeof reasonOf): void {
  for (const code of ["FIT_FAILED", "INPUT_EMPTY", "PAIRS_INVALID", "LIMIT_BYTES"] as const) {
    expect(reason(new ColaError(code, "of the scenario"))).toBe("of the scenario");
  }
  const codes = ["ABORTED", "FILE_UNREADABLE", "TABLE_INVALID", "OPTION_INVALID", "INTERNAL"] as const;
  for (const error of [new TypeError("x is undefined"), ...codes.map((code) => new ColaError(code, "no"))]) {
    expect(() => reason(error)).toThrow(error);
  }
}

test("a scenario that makes no sense leaves its reason; any other error ends the work", () => {
  keepsOnlyExpected(reasonOf);
  const gradient = new ColaError("OPTION_INVALID", "no gradient");
  expect(reasonOf(gradient, ["OPTION_INVALID"])).toBe("no gradient");
});

test.each(Object.entries(reasonMutants))("%s is noticed", (_, mutant) => {
  expect(() => keepsOnlyExpected(mutant)).toThrow();
});
