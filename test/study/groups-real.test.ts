import { dirname } from "node:path";
import { expect, test } from "vitest";
import { readSetTable } from "../../node/sets.ts";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import { hasLevels, levelsOf, matrixToTable } from "../../src/data/schema.ts";
import { dataSet } from "../../src/data/sets/registry.ts";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import { matrix, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { answered } from "../../study/answer.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import { posed, questionOf, studyOf } from "../../study/study.ts";
import { dataFile } from "../support/fixtures.ts";

/** What the page says of recourse between groups of people in two public data sets. */
const SETS = [
  { name: "compas", file: "compas-scores-two-years.csv", by: ["Sex", "Race"], vary: ["C_Charge_Degree"] },
  { name: "german", file: "german_credit.csv", by: ["Sex", "Age:25", "45"], vary: ["Job", "Housing"] },
] as const;
const SAMPLES = 10_000;
const SOAK = process.env["COLA_SOAK"] !== undefined;
const ROWS = SOAK ? 600 : 60;

test.skipIf(SETS.some(({ file }) => !dataFile(file))).each(SETS)(
  "$name: figures with intervals, by a plain count; nobody certified without a plan has one",
  async ({ name, file, by, vary }) => {
    const { info, product } = dataSet(name);
    const whole = product(await readSetTable(info, dirname(dataFile(file)!)));
    const { schema, classes } = whole;
    const chosen = [...whole.labels.keys()].filter(
      (i) => SOAK || i % Math.ceil(whole.labels.length / 700) === 0,
    );
    const rows = takeRows(whole.rows, chosen);
    const labels = Int32Array.from(chosen, (i) => whole.labels[i]!);
    const table = {
      source: info.title,
      table: matrixToTable(schema, rows),
      known: { schema, labels, classes },
    };
    const options = { by: [...by], vary: [...vary] };
    const data = dataOf({ table, schema, options });
    const model = await modelOf({ model: { train: "tree" } }, data, {});
    const study = studyOf(data, model, { ...options, rows: ROWS, only: "plans" });
    const told = await answered(study, await explain(questionOf(study, await posed(study, {}))), {});

    const page = await reportHtml(told, { locale: en });
    const german = await reportHtml(told, { locale: de });
    const random = stream(4, name);
    const groupOf = (row: ExplainedRow, attribute: string): string => {
      const cell = row.x[schema.features.findIndex((feature) => feature.name === attribute)]!;
      return attribute === "Age"
        ? Number(cell) < 25
          ? "< 25"
          : Number(cell) < 45
            ? "25 – < 45"
            : "≥ 45"
        : String(cell);
    };
    let certified = 0;
    for (const { name: attribute, groups } of told.groups!.attributes)
      for (const { group, rows: count, within1, none, edits } of groups) {
        const own = told.rows.filter((row) => groupOf(row, attribute) === group);
        expect(own.length, group).toBe(count);
        if (count === 0) continue;
        const share = (is: (row: ExplainedRow) => boolean): number => own.filter(is).length / count;
        expect(within1!.value).toBeCloseTo(
          share((row) => row.valid && row.edits.length <= 1),
          12,
        );
        expect(none!.value).toBeCloseTo(
          share((row) => row.proof?.claim === "none exists"),
          12,
        );
        for (const figure of [within1!, none!]) expect(figure.low! <= figure.high!).toBe(true);
        if (edits?.low) expect(edits.low).toBeLessThanOrEqual(edits.value);
        const shown = (value: number): string => `${Math.round(100 * value)}`;
        for (const text of [page, german])
          expect(text).toMatch(
            new RegExp(`[ >]>?${shown(within1!.value)}\\u00a0% \\([<>]?(lt;|gt;|&lt;|&gt;)?\\d`),
          );
        const without = own.filter(({ proof, valid }) => !valid && proof?.claim === "none exists");
        if (without.length === 0) continue;
        certified += without.length;
        const drawn = Array.from({ length: SAMPLES }, () => {
          const member = without[random.int(without.length)]!;
          return schema.features.map((feature, k) => {
            const cell = member.x[k]!;
            const code =
              cell === null
                ? Number.NaN
                : hasLevels(feature)
                  ? levelsOf(feature).indexOf(String(cell))
                  : Number(cell);
            if (data.schema.features[k]!.immutable) return code;
            if (hasLevels(feature)) return random.int(levelsOf(feature).length);
            return data.rows.data[random.int(data.rows.rows) * data.rows.cols + k]!;
          });
        });
        const codes = matrix(SAMPLES, schema.features.length, Float64Array.from(drawn.flat()));
        const wanted = model.model.outputs.indexOf(told.output);
        const scores = await model.model.predict(codes, wanted);
        expect(
          Array.from(scores).filter((score) => score > 0.5),
          `${attribute} ${group}`,
        ).toEqual([]);
      }
    expect(certified).toBeGreaterThan(10);
  },
  120_000,
);
