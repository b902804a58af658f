import { beforeAll, describe, expect, test } from "vitest";
import { explainOnThreads } from "../../node/parallel.ts";
import { letterOf } from "../../show/letter/letter.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell, Table } from "../../src/types.ts";
import { answered } from "../../study/answer.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import type { Given } from "../../study/options.ts";
import type { Data, StudyModel } from "../../study/parts.ts";
import { posed, questionOf, type Study, studyOf } from "../../study/study.ts";
import { refuses } from "../support/refuses.ts";

/** Applicants of whom two in three women are refused whatever they earn, in an order of its own for each `turn`. */
function applicants(weight: number, turn = 0): Table {
  const random = stream(19, "applicants");
  const rows = Array.from({ length: 400 }, (_, i): Cell[] => {
    const [sex, income, debt] = [
      random.next() < 0.5 ? "f" : "m",
      20 + 60 * random.next(),
      30 * random.next(),
    ];
    const score =
      income - 45 - 0.7 * (debt - 15) + (sex === "m" ? weight : -weight) + 8 * (random.next() - 0.5);
    return [`A${i}`, sex, Math.round(income), Math.round(debt), score > 0 ? "granted" : "refused"];
  });
  const turned = [...rows.slice(turn), ...rows.slice(0, turn)];
  const names = ["id", "sex", "income", "debt", "outcome"];
  return { names, columns: names.map((_, k) => turned.map((row) => row[k]!)), rows: rows.length };
}

interface Opened {
  readonly data: Data;
  readonly model: StudyModel;
}

function dataWith(weight: number, constraints: Overlay = {}, turn = 0): Data {
  const table = { source: "applicants", table: applicants(weight, turn) };
  return dataOf({ table, constraints, options: { label: "outcome", id: "id" } });
}

async function opened(train: string, weight: number): Promise<Opened> {
  const data = dataWith(weight);
  return { data, model: await modelOf({ model: { train } }, data, {}) };
}

const OPTIONS: Given = { target: "granted", id: "id", ids: ["A0", "A3", "A8", "A20", "A31", "A44", "A60"] };
const studyWith = ({ data, model }: Opened, options: Given = {}): Study =>
  studyOf(data, model, { ...OPTIONS, ...options });

async function toldOf(study: Study): Promise<Explanation> {
  return answered(study, await explain(questionOf(study, await posed(study, {}))), {});
}

const reasonsOf = ({ rows }: Explanation) =>
  JSON.stringify(rows.map(({ id, attributions, typical, base }) => ({ id, attributions, typical, base })));

const LOCKS: readonly Overlay[] = [
  { freeze: ["income"] },
  { vary: ["debt"] },
  { features: { sex: { immutable: false } } },
  { features: { income: { direction: "down" }, debt: { min: 29, max: 30 } } },
  { features: { income: { allowed: [20, 21] } } },
];

describe.each(["logistic", "xgboost", "mlp"])("%s", (train) => {
  let free: Opened;
  beforeAll(async () => {
    free = await opened(train, 12);
  }, 60_000);

  test("a protected attribute that weighs is named, and there is no letter, though no plan may change it", async () => {
    const explanation = await toldOf(studyWith(free));
    const refused = explanation.rows.filter((row) => row.x[0] === "f" && row.edits.length > 0);
    expect(refused.length).toBeGreaterThan(1);
    for (const row of refused)
      expect(() => letterOf(explanation, row, { date: "2026-05-31" })).toThrow(
        expect.objectContaining({
          code: "LETTER_REFUSED",
          details: expect.objectContaining({ protected: ["sex"] }),
        }),
      );
  });

  /** What a person may change says nothing about why the model decided. */
  async function ignoresLocks(asked: (study: Study) => Promise<Explanation>): Promise<void> {
    const study = studyWith(free);
    const reasons = reasonsOf(await asked(study));
    for (const constraints of LOCKS) {
      const data = dataWith(12, constraints);
      expect(reasonsOf(await asked({ ...study, data })), JSON.stringify(constraints)).toBe(reasons);
    }
  }
  test("reasons are the same bytes whatever is locked, bounded or allowed", async () => {
    await ignoresLocks(toldOf);
    await refuses(() =>
      ignoresLocks(async (study) => {
        const { reasons: _, ...coupled } = questionOf(study, await posed(study, {}));
        return explain(coupled);
      }),
    );
  }, 60_000);

  test("reasons of a row are the same bytes beside other rows, and in any order of the table", async () => {
    const all = await toldOf(studyWith(free));
    for (const row of all.rows.slice(0, 3)) {
      const alone = await toldOf(studyWith(free, { ids: [String(row.id)] }));
      expect(alone.rows[0]!.attributions).toEqual(row.attributions);
    }
    const turned = await toldOf(studyWith({ ...free, data: dataWith(12, {}, 150) }));
    const byId = new Map(turned.rows.map((row) => [row.id, row]));
    for (const row of all.rows)
      row.attributions.forEach((phi, k) => {
        expect(byId.get(row.id!)!.attributions[k]).toBeCloseTo(phi, 12);
      });
  }, 60_000);

  test("reasons add up to the score less the mean score of the rows compared with", async () => {
    for (const row of (await toldOf(studyWith(free))).rows) {
      const sum = row.attributions.reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(row.before! - row.base!, 9);
      expect(row.base!).toBeGreaterThan(0.5);
    }
  });
});

test("threads give the same bytes", async () => {
  const { ids: _, ...options } = OPTIONS;
  const study = { ...studyWith(await opened("xgboost", 12)), options: { ...options, rows: 150 } };
  const question = questionOf(study, await posed(study, {}));
  const told = await explain(question);
  expect(told.rows.every((row) => row.typical)).toBe(true);
  expect(JSON.stringify(await explainOnThreads(question, 2))).toBe(JSON.stringify(told));
}, 60_000);

describe("letters", () => {
  const letter = (explanation: Explanation) =>
    letterOf(explanation, explanation.rows.find(({ edits }) => edits.length > 0)!, { date: "2026-05-31" });

  test("where it does not weigh, the letter says what is typical of those who had the outcome", async () => {
    const told = letter(await toldOf(studyWith(await opened("tree", 0))));
    const reasons = told.parts.find(({ kind }) => kind === "reasons")!;
    expect(reasons.items.join("\n")).toMatch(/typically \d+ in similar cases with the outcome sought/);
    expect(reasons.after.join()).toContain("“Typically”");
    expect(JSON.stringify(told.parts)).not.toMatch(/sex/i);
  });

  test("are refused where reasons are those of references that keep what is locked, and it is said what to ask instead", async () => {
    for (const options of [{ values: "reference" }, { coupling: "transport" }] as const) {
      const explanation = await toldOf(studyWith(await opened("tree", 0), options));
      expect(() => letter(explanation)).toThrow(
        /keep sex as the constraints say.*options\.values least or near/,
      );
    }
  });

  test("are refused where no row of the table reaches the goal, or no reasons were asked for, each in its own words", async () => {
    const free = await opened("logistic", 12);
    const none = await toldOf(studyWith(free, { target: "score >= 0.999999999", vary: ["debt"] }));
    expect(() => letterOf(none, none.rows[0]!, { date: "2026-05-31" })).toThrow(
      /no row of the table reaches the goal/,
    );
    const plans = await toldOf(studyWith(free, { only: "plans" }));
    expect(() => letter(plans)).toThrow(/without options\.only/);
  });
});
