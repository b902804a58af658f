import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { en } from "../../show/locales/en.ts";
import { sealed } from "../../src/digest.ts";
import type { Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import type { ModelFileSource } from "../../study/parts.ts";
import { tableAlone } from "../../web/engine/alone.ts";
import { calls } from "../../web/engine/calls.ts";
import { inParts, together } from "../../web/engine/in-parts.ts";
import { defaultChoices, moreOf } from "../../web/settings.ts";
import { budgetOf } from "../../web/state/budget.ts";
import { type Condition, cohortOf, figureKey } from "../../web/state/cohort.ts";
import { secondsLeft } from "../../web/state/ready.ts";
import { reduce } from "../../web/state/reduce.ts";
import { initial } from "../../web/state/state.ts";
import { madeUpExplanation } from "../support/explanations.ts";

const work = {};
const settings = { ...defaultChoices, overlay: {}, rows: 40 };
let run: Explanation;

beforeAll(async () => {
  await calls.embedded({}, work);
  run = (await calls.run(settings, work)).explanation;
}, 60_000);

/** Conditions drawn over the features of a result and the figures of its rows. */
function drawn(seed: number): Condition[] {
  const random = stream(seed, "cohort");
  return run.schema.features.flatMap((feature, k): Condition[] => {
    if (random.next() < 0.75) return [];
    const some = run.rows[random.int(run.rows.length)]!.x[k]!;
    if (typeof some !== "number") return [{ feature: feature.name, levels: [String(some)] }];
    return [{ feature: feature.name, ...(random.next() < 0.5 ? { from: some } : { to: some }) }];
  });
}

describe("some people only", () => {
  test("are those who meet every condition, with their own counts, over random conditions", () => {
    let smaller = 0;
    for (let seed = 0; seed < 200; seed++) {
      const conditions = drawn(seed);
      const { explanation, positions, whole } = cohortOf(run, conditions);
      const wanted = run.rows.filter(({ x }) =>
        conditions.every(({ feature, levels, from, to }) => {
          const cell = x[run.schema.features.findIndex(({ name }) => name === feature)]!;
          if (levels) return String(cell) === levels[0];
          return typeof cell === "number" && (from === undefined ? cell <= to! : cell >= from);
        }),
      );
      expect(explanation.rows).toEqual(wanted);
      expect(positions.map((i) => run.rows[i])).toEqual(wanted);
      expect(whole).toBe(conditions.length === 0);
      expect(explanation.totals.rows).toBe(wanted.length);
      expect(explanation.totals.edits).toBe(wanted.flatMap(({ edits }) => edits).length);
      expect(explanation.totals.valid).toBe(wanted.filter(({ valid }) => valid).length);
      smaller += Number(wanted.length < run.rows.length);
    }
    expect(smaller).toBeGreaterThan(100);
    const few = cohortOf(run, [{ feature: figureKey("edits"), to: 1 }]);
    expect(few.explanation.rows).toEqual(run.rows.filter(({ edits }) => edits.length <= 1));
    expect(cohortOf(run, [{ feature: "income" }]).whole, "nothing is said yet").toBe(true);
  });

  test("spend their own edits in the order of all, and a budget brings them as far as their plans say", async () => {
    const order = await calls.order({}, work);
    const everybody = budgetOf(cohortOf(run, []), order);
    const again = budgetOf({ ...cohortOf(run, []), whole: false }, order);
    expect(everybody.points!.at(-1)!.value).toBe(again.points!.at(-1)!.value);
    for (const point of again.points!) {
      const known = everybody.points!.filter(({ edits }) => edits <= point.edits).at(-1)!;
      expect(point.value, `with ${point.edits} edits`).toBeCloseTo(known.value, 12);
    }
    const cohort = cohortOf(run, [{ feature: "income", to: 40 }]);
    expect(cohort.positions.length).toBeGreaterThan(2);
    const { order: own, places, points } = budgetOf(cohort, order);
    expect(own).toHaveLength(cohort.explanation.totals.edits);
    for (const [row, at] of places.entries())
      expect(at).toHaveLength(cohort.explanation.rows[row]!.edits.length);
    for (const budget of [0, 1, own.length]) {
      const { reached } = await calls.scores({ edits: budget, among: cohort.positions }, work);
      const there = cohort.positions.filter((i) => reached[i] === 1).length;
      expect(points![budget]!.value).toBeCloseTo(there / cohort.positions.length, 12);
    }
  });
});

test("the curve of a feature is the model's answers for this person, and their mean over the table", async () => {
  const position = 3;
  const legal = await calls.legal({ position }, work);
  for (const { feature } of legal.slice(0, 5)) {
    const values = { debt: 3.5 };
    const told = await calls.dependence({ position, feature, values }, work);
    expect(told.at.length).toBeGreaterThan(1);
    const tries = told.at.map((cell) => ({ ...values, [feature]: cell }));
    const answers = await calls.tried({ position, values: tries }, work);
    expect(told.own).toEqual(answers.map(({ score }) => score));
    expect(told.mean).toHaveLength(told.at.length);
    for (const score of told.mean) expect(score >= 0 && score <= 1).toBe(true);
  }
  const own = run.rows[position]!.x[run.schema.features.findIndex(({ name }) => name === "income")];
  const told = await calls.dependence({ position, feature: "income", values: {}, also: [33.33, 1e9] }, work);
  expect(told.at).toContain(33.33);
  expect(told.at, "no value that is not permitted").not.toContain(1e9);
  expect(told.own[told.at.indexOf(own!)], "the person's own point is on it").toBe(run.rows[position]!.before);
});

test("a long result comes in parts and is put together as it was", () => {
  const long = sealed(madeUpExplanation({ rows: 777, cols: 3 }));
  for (const answer of [long, { explanation: long, model: null }]) {
    const { parts, rest } = inParts(answer);
    expect(parts.length).toBeGreaterThan(2);
    expect(JSON.stringify(rest).length).toBeLessThan(JSON.stringify(answer).length / 5);
    expect(together(rest, parts.flat())).toEqual(answer);
  }
  for (const answer of [null, 3, [1, 2], run, { rows: [] }])
    expect(inParts(answer)).toEqual({ parts: [], rest: answer });
});

test("how long a stage goes on is told once it is known, and anew for the next", () => {
  const step = (stage: string, done: number, at: number) =>
    ({ type: "progress", id: 1, progress: { stage, done, total: 100 }, at }) as const;
  const at = (...steps: ReturnType<typeof step>[]) =>
    secondsLeft(steps.reduce(reduce, reduce(initial("en", null), { type: "run", id: 1 })).run);
  expect(at(step("explain", 0, 0), step("explain", 1, 100))).toBeNull();
  expect(at(step("explain", 0, 0), step("explain", 20, 4000))).toBe(16);
  expect(at(step("explain", 0, 0), step("explain", 90, 4000), step("score", 0, 4100))).toBeNull();
});

test("lists that are typed are lists, and nothing typed is nothing asked", async () => {
  expect(moreOf({ by: " sex, age:25 ,45,", plausible: true })).toEqual({
    by: ["sex", "age:25", "45"],
    plausible: true,
  });
  expect(moreOf({ by: " , " })).toEqual({});
  const by = { ...settings, rows: 30, more: moreOf({ by: "housing" }) };
  const { explanation } = await calls.run(by, work);
  expect(explanation.groups?.attributes.map(({ name }) => name)).toEqual(["housing"]);
  const housing = explanation.schema.features.find(({ name }) => name === "housing");
  expect(housing?.immutable, "what groups are compared by is locked").toBe(true);
});

describe("a model alone", () => {
  const given = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(`examples/parts/${name}`)) });

  test("of trees is enough for one person who is filled in: the values are those its tests tell apart", async () => {
    await calls.embedded({}, work);
    await calls.model({ ...given("xgboost.json"), overlay: {} }, work);
    const { name, bytes } = await calls.alone({}, work);
    expect(name).toBe("values-of-xgboost.csv");
    const info = await calls.open({ name, bytes }, work);
    const model = await calls.match({ overlay: {}, outputs: ["refused", "granted"] }, work);
    expect(model?.match?.wrong, "every input is a column").toBeNull();
    const cells = Object.fromEntries(
      info.schema.features.map(({ name: feature }, k) => [feature, info.preview[0]![k]!]),
    );
    const one = { ...settings, model: "file", target: "granted", person: { cells, name: "Applicant" } };
    const { explanation } = await calls.run(one, work);
    expect(explanation.rows).toHaveLength(1);
    expect(explanation.rows[0]!.id).toBe("Applicant");
  });

  test("that says nothing of its inputs is told to need a table", () => {
    const source = {
      file: "m.onnx",
      bytes: new Uint8Array(),
      options: {},
      content: { model: { outputs: ["y"] } },
    };
    expect(() => tableAlone(source as unknown as ModelFileSource)).toThrow(/m\.onnx .* bring a table/);
  });

  test("saved with its encoder has the levels and numbers it was trained on", async () => {
    await calls.embedded({}, work);
    await calls.run({ ...settings, model: "tree" }, work);
    const [file] = await calls.files({ kind: "model", locale: en, reasons: {}, date: "2026-05-31" }, work);
    await calls.model({ ...file!, overlay: {} }, work);
    const info = await calls.open(await calls.alone({}, work), work);
    const names = (schema: typeof info.schema) => schema.features.map(({ name }) => name).sort();
    expect(names(info.schema)).toEqual(names(run.schema));
    const model = await calls.match({ overlay: {} }, work);
    expect(model?.match?.wrong ?? null).toBeNull();
  });
});
