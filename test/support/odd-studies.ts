import { stream } from "../../src/num/random.ts";
import { type GeneratedStudy, generatedStudy } from "./door-studies.ts";

interface Person {
  readonly id: string;
  readonly income: number;
  readonly age: number;
  readonly debt: number | null;
  readonly job: string;
  readonly city: string;
  readonly since: string;
}

const random = stream(5, "odd");
const one = (values: readonly string[]): string => values[random.int(values.length)]!;
const people: readonly Person[] = Array.from({ length: 60 }, (_, i) => ({
  id: `A${i}`,
  income: Math.round(200 + 800 * random.next()) / 10,
  age: 18 + random.int(50),
  debt: random.next() < 0.12 ? null : Math.round(300 * random.next()) / 10,
  job: one(["clerk", "nurse", "cook", "chief"]),
  city: one(["Ulm", "Bonn"]),
  since: `201${random.int(9)}-0${1 + random.int(9)}-11`,
}));
const merit = ({ income, debt, job }: Person): number =>
  income / 10 - (debt ?? 15) / 8 + (job === "chief" ? 1.5 : 0) - 3;
const outcome = (person: Person): string => (merit(person) > 0 ? "yes" : "no");
const grade = (person: Person): string => (merit(person) < -1 ? "low" : merit(person) < 1.5 ? "mid" : "top");

const NAMES = ["id", "income", "age", "debt", "job"] as const;
type Column = keyof Person;

interface Written {
  readonly names?: readonly Column[];
  readonly label?: (person: Person) => string;
  readonly gap?: string;
  readonly sign?: readonly [separator: string, decimal: string];
}

function csv(
  rows: readonly Person[],
  { names = NAMES, label, gap = "", sign = [",", "."] }: Written = {},
): string {
  const cell = (value: Person[Column]): string =>
    value === null ? gap : typeof value === "number" ? String(value).replace(".", sign[1]) : value;
  const lines = rows.map((person) => [
    ...names.map((name) => cell(person[name])),
    ...(label ? [label(person)] : []),
  ]);
  return [[...names, ...(label ? ["out"] : [])], ...lines]
    .map((cells) => `${cells.join(sign[0])}\n`)
    .join("");
}

const base = { label: "out", id: "id", target: "yes", rows: 3 };
const plain = { table: csv(people, { label: outcome }), constraints: {} };
const own = csv([2, 5, 9].map((i) => ({ ...people[40 + i]!, id: `A${i}`, income: 95, job: "pilot" })));
const factuals = people
  .slice(0, 3)
  .map(({ id, debt }, i) => ({ id, income: 22.5 + i, age: 30.5, debt, job: "pilot" }));

/** The model file of a generated study with inputs that are scaled, and its table. */
const { table, model } = generatedStudy(3);

/** Studies with options that the generated ones leave out; together they have every option of a request. */
export const oddStudies: Readonly<Record<string, GeneratedStudy>> = {
  "some classes, own counterfactuals of a new level, people by id": {
    ...plain,
    table: csv(people, { label: grade }),
    model: { train: "tree" },
    counterfactuals: own,
    options: { ...base, target: "not low", ids: ["A5", "A9"], alternatives: 2, front: 1 },
  },
  "groups by a number, a feature and a column that is none": {
    table: csv(people, { names: [...NAMES, "city"], label: outcome }),
    constraints: { freeze: ["debt"] },
    model: { train: "tree" },
    options: { ...base, exclude: ["city"], by: ["city", "age:30,50", "job"], where: "income < 60" },
  },
  "other models, plausible plans": {
    ...plain,
    model: { train: "tree" },
    options: { ...base, plausible: true, retrain: 2, judges: 2, effort: 3000, seed: 3 },
  },
  "gaps with a word, parts of dates": {
    table: csv(people, { names: [...NAMES, "since"], label: outcome, gap: "n/a" }),
    constraints: {},
    model: { train: "logistic" },
    options: { ...base, missing: ["n/a"], dateParts: ["since"], strict: true, freeze: ["age"] },
  },
  "decimal commas, costs and limits in any order": {
    table: csv(people, { label: outcome, sign: [";", ","] }),
    constraints: {
      rules: ["debt <= 40"],
      features: {
        debt: { max: 25, cost: 2, min: 0.1 },
        income: { step: 0.5, direction: "up", label: "Income" },
      },
    },
    model: { train: "logistic" },
    options: {
      ...base,
      decimalComma: true,
      vary: ["income", "debt", "job"],
      objective: "cost",
      timeout: 15,
    },
  },
  "one counterfactual for two": {
    ...plain,
    model: { train: "logistic" },
    options: { ...base, coupling: "joint", reuse: "2", capped: true },
  },
  "a budget for all, a policy": {
    ...plain,
    model: { train: "logistic" },
    options: { ...base, policy: "greedy", budget: 2, perRow: 1, generator: "nice" },
  },
  "a group": { ...plain, model: { train: "tree" }, options: { ...base, effect: 0.7, divergence: "mean" } },
  "plans alone, of a range of scores": {
    ...plain,
    model: { train: "tree" },
    options: { ...base, only: "plans", target: "score in [0.4, 1]" },
  },
  "rows of their own that the table's columns do not hold": {
    ...plain,
    model: { train: "tree" },
    factuals,
    options: { ...base, ids: ["A2", "A0"] },
  },
  "own counterfactuals for rows of their own": {
    ...plain,
    model: { train: "tree" },
    factuals: factuals.map((row, i) => ({ ...row, id: `B${i}` })),
    counterfactuals: own.replace("A2,", "B0,").replace("A5,", "B1,").replace("A9,", "B2,"),
    options: { ...base, ids: ["B1", "B2"] },
  },
  "a schema written in any order": {
    ...plain,
    model: { train: "logistic" },
    schema: {
      features: [
        { unit: "k", kind: "numeric", min: 0, name: "income" },
        { name: "debt", max: 60, kind: "numeric" },
        { categories: ["clerk", "nurse", "cook", "chief"], name: "job", kind: "categorical" },
      ],
    },
    options: { ...base, values: "near" },
  },
  "an encoding written in any order": {
    table,
    model,
    constraints: {},
    encoding: {
      inputs: [
        { scale: 2, feature: "a", mean: 0.5 },
        { missing: 5, feature: "b" },
        ...["red", "green", "blue"].map((level) => ({ level, feature: "colour" })),
      ],
    },
    options: { id: "id", outputs: ["bad", "good"], target: "good", rows: 3 },
  },
};
