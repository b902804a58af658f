import { expect, test } from "vitest";
import { compileExpression, type Expression } from "../../src/data/expression.ts";
import { type Box, type Interval, intervalsOf } from "../../src/exact/intervals.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Schema } from "../../src/types.ts";

const SOAK = process.env["COLA_SOAK"] === "1";
const FORMULAS = SOAK ? 20_000 : 1500;

const schema: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "integer" },
    { name: "c", kind: "numeric" },
    { name: "flag", kind: "boolean" },
    { name: "rank", kind: "ordinal", categories: ["low", "middle", "high"] },
    { name: "next", kind: "ordinal", categories: ["low", "middle", "high"] },
    { name: "home", kind: "categorical", categories: ["rent", "own", "free"] },
    { name: "work", kind: "categorical", categories: ["own", "none", "rent"] },
  ],
};
const LEVELS = [0, 0, 0, 2, 3, 3, 3, 3];

function numberText(random: Random, depth: number): string {
  const kind = random.int(depth > 0 ? 8 : 4);
  if (kind < 3) return ["a", "b", "c"][kind]!;
  if (kind === 3) return ["0", "1", "2.5", "0.1", "1e308"][random.int(5)]!;
  if (kind === 4) return `-(${numberText(random, depth - 1)})`;
  const op = ["+", "-", "*", "/"][random.int(4)]!;
  return `(${numberText(random, depth - 1)} ${op} ${numberText(random, depth - 1)})`;
}

function conditionText(random: Random, depth: number): string {
  const kind = random.int(depth > 0 ? 9 : 6);
  const order = ["<", "<=", ">", ">=", "==", "!="][random.int(6)]!;
  const equal = order.length === 2 && /[=!]=/.test(order) && !/[<>]/.test(order) ? order : "==";
  if (kind === 0) return "flag";
  if (kind === 1) return `rank ${order} ${["'low'", "'middle'", "next"][random.int(3)]}`;
  if (kind === 2) return `home ${equal} ${["'own'", "work", "'free'"][random.int(3)]}`;
  if (kind <= 5) return `${numberText(random, 2)} ${order} ${numberText(random, 2)}`;
  if (kind === 6) return `not (${conditionText(random, depth - 1)})`;
  const op = kind === 7 ? "and" : "or";
  return `(${conditionText(random, depth - 1)}) ${op} (${conditionText(random, depth - 1)})`;
}

const NUMBERS = [-3, -1, -0, 0, 0.5, 1, 2, 7, 1e-300, 1e308, -1e308];

function boxOf(random: Random): Box {
  const d = schema.features.length;
  const box = { low: new Float64Array(d), high: new Float64Array(d), gap: new Uint8Array(d) };
  for (let k = 0; k < d; k++) {
    const [p, q] = [0, 0].map(() => (LEVELS[k] ? random.int(LEVELS[k]!) : NUMBERS[random.int(11)]!)) as [
      number,
      number,
    ];
    const only = random.next() < 0.05;
    box.gap[k] = only || random.next() < 0.2 ? 1 : 0;
    const [low, high] = random.next() < 0.3 ? [p, p] : [Math.min(p, q), Math.max(p, q)];
    box.low[k] = only ? Number.POSITIVE_INFINITY : low;
    box.high[k] = only ? Number.NEGATIVE_INFINITY : high;
  }
  return box;
}

function pointIn(random: Random, { low, high, gap }: Box): Float64Array {
  return low.map((from, k) => {
    if (from > high[k]! || (gap[k] && random.next() < 0.3)) return Number.NaN;
    const end = random.int(4);
    if (end === 0) return from;
    if (end === 1) return high[k]!;
    const v = from + (high[k]! - from) * random.next();
    const whole = Math.round(Math.min(high[k]!, Math.max(from, v)));
    if (LEVELS[k]) return whole;
    return end === 2 && whole >= from && whole <= high[k]! ? whole : Math.min(high[k]!, Math.max(from, v));
  });
}

const holds = ({ low, high, gap }: Interval, value: number): boolean =>
  Number.isNaN(value) ? gap : value >= low && value <= high;

type Bounder = (expression: Expression) => (box: Box) => Interval;

/** The first formula, box and point found whose value lies outside the interval. */
function outside(bounder: Bounder, formulas: number): string | undefined {
  const random = stream(7, "intervals");
  for (let f = 0; f < formulas; f++) {
    const column = { name: "sum", kind: "numeric" } as const;
    const rule = random.next() < 0.6;
    const text = rule ? conditionText(random, 2) : numberText(random, 3);
    const expression = rule ? compileExpression(text, schema) : compileExpression(text, schema, column);
    const over = bounder(expression);
    for (let b = 0; b < 4; b++) {
      const box = boxOf(random);
      const { low, high, gap } = over(box);
      for (let p = 0; p < 12; p++) {
        const row = pointIn(random, box);
        const value = expression.evaluate(row);
        if (!holds({ low, high, gap }, value))
          return `${text} at ${row.join(" ")} is ${value}, not in [${low}, ${high}]${gap ? " or missing" : ""}`;
      }
    }
  }
  return undefined;
}

const real: Bounder = ({ formula }) => intervalsOf(formula);

test("every value of a formula in a box lies in its interval over the box", () => {
  expect(outside(real, FORMULAS)).toBeUndefined();
});

test("an interval over a single row is the value there", () => {
  const random = stream(8, "points");
  let compared = 0;
  for (let f = 0; f < 500; f++) {
    const expression = compileExpression(conditionText(random, 2), schema);
    const row = pointIn(random, boxOf(random));
    const gap = Uint8Array.from(row, (v) => (Number.isNaN(v) ? 1 : 0));
    const low = row.map((v) => (Number.isNaN(v) ? Number.POSITIVE_INFINITY : v));
    const high = row.map((v) => (Number.isNaN(v) ? Number.NEGATIVE_INFINITY : v));
    const told = intervalsOf(expression.formula)({ low, high, gap });
    const value = expression.evaluate(row);
    expect(holds(told, value), expression.text).toBe(true);
    if (told.low === told.high) compared++;
  }
  expect(compared).toBeGreaterThan(450);
});

test("the difference of what overflows may be missing", () => {
  const { formula } = compileExpression("a * b - a * b", schema, { name: "sum", kind: "numeric" });
  const box = { low: new Float64Array(8), high: new Float64Array(8), gap: new Uint8Array(8) };
  [box.low[0], box.high[0], box.low[1], box.high[1]] = [1, 1e308, 2, 7];
  expect(intervalsOf(formula)(box).gap).toBe(true);
});

/** Wrong twins: what the interval of a formula might be by a slip. */
const mutants: Readonly<Record<string, (told: Interval, { text }: Expression) => Interval>> = {
  "missing is forgotten": ({ low, high }) => ({ low, high, gap: false }),
  "conditions always hold where they may": ({ low, high, gap }, { text }) =>
    /[<>=]/.test(text) && high === 1 ? { low: 1, high, gap } : { low, high, gap },
  "conditions never hold where they may fail": ({ low, high, gap }, { text }) =>
    /[<>=]/.test(text) && low === 0 ? { low, high: 0, gap } : { low, high, gap },
  "the upper end is a half too near": ({ low, high, gap }) => ({ low, high: (low + high) / 2, gap }),
  "the lower end is a half too near": ({ low, high, gap }) => ({ low: (low + high) / 2, high, gap }),
};

test.each(Object.entries(mutants))("the law refuses: %s", (_, twist) => {
  const bounder: Bounder = (expression) => {
    const over = intervalsOf(expression.formula);
    return (box) => twist({ ...over(box) }, expression);
  };
  expect(outside(bounder, FORMULAS)).toBeDefined();
});
