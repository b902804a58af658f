import { type Random, stream } from "../num/random.ts";
import type { Cell, Schema, Table } from "../types.ts";

/**
 * The embedded data set: synthetic loan applications, drawn by this file from a seed. Nobody's record is
 * in it. Incomes, debts and amounts are in thousands of an unnamed currency; the label comes from a made-up
 * rule with interactions and noise, so it shows how the tools work and says nothing about real lending.
 */
export const loanSchema: Schema = {
  features: [
    { name: "age", kind: "integer", label: "Age", unit: "years", min: 18, max: 90, immutable: true },
    { name: "income", kind: "numeric", label: "Income", unit: "k per year", min: 0, step: 0.1 },
    { name: "debt", kind: "numeric", label: "Debt", unit: "k", min: 0, step: 0.1 },
    { name: "amount", kind: "numeric", label: "Amount asked", unit: "k", min: 0.5, step: 0.1 },
    { name: "duration", kind: "integer", label: "Duration", unit: "months", min: 6, max: 84 },
    {
      name: "employment",
      kind: "integer",
      label: "Years employed",
      unit: "years",
      min: 0,
      max: 50,
      direction: "up",
    },
    {
      name: "education",
      kind: "ordinal",
      label: "Education",
      categories: ["none", "school", "vocational", "bachelor", "master"],
      direction: "up",
    },
    {
      name: "housing",
      kind: "categorical",
      label: "Housing",
      categories: ["rent", "own", "family"],
    },
    {
      name: "purpose",
      kind: "categorical",
      label: "Purpose",
      categories: ["car", "home", "business", "study", "other"],
    },
    {
      name: "savings",
      kind: "ordinal",
      label: "Savings",
      categories: ["none", "little", "some", "ample"],
    },
    { name: "guarantor", kind: "boolean", label: "Guarantor" },
  ],
};

/** Levels of the label of the embedded data set; index 1 is the favourable one. */
export const loanClasses = ["refused", "granted"] as const;

interface Application {
  readonly cells: readonly Cell[];
  readonly granted: number;
}

/** Seeded synthetic loan applications with labels (1 = granted); about one row in twelve has a gap. */
export function loans(options: { readonly rows?: number; readonly seed?: number } = {}): {
  readonly table: Table;
  readonly schema: Schema;
  readonly labels: Int32Array;
} {
  const { rows = 1000, seed = 20260 } = options;
  const random = stream(seed, "embedded loans");
  const applications = Array.from({ length: rows }, (_, i) => draw(random.split(i)));
  const names = loanSchema.features.map((f) => f.name);
  return {
    schema: loanSchema,
    table: { names, rows, columns: names.map((_, k) => applications.map((a) => a.cells[k]!)) },
    labels: Int32Array.from(applications, (a) => a.granted),
  };
}

function choose<T>(random: Random, items: readonly T[], weights: readonly number[]): T {
  let left = random.next() * weights.reduce((a, b) => a + b, 0);
  const at = weights.findIndex((w) => {
    left -= w;
    return left < 0;
  });
  return items[at < 0 ? items.length - 1 : at]!;
}

const round1 = (v: number): number => Math.round(v * 10) / 10;
const clamp = (v: number, low: number, high: number): number => Math.min(high, Math.max(low, v));

function draw(random: Random): Application {
  const age = Math.round(clamp(22 + 34 * random.next() ** 0.8 + 6 * random.normal(), 18, 80));
  const education = choose(random, [0, 1, 2, 3, 4], [1, 4, 4, 3, 2]);
  const employment = Math.round(clamp((age - 20) * random.next() ** 0.7, 0, age - 16));
  const income = round1(
    clamp(Math.exp(3.1 + 0.16 * education + 0.014 * employment + 0.35 * random.normal()), 8, 400),
  );
  const debt = round1(random.next() < 0.3 ? 0 : income * 0.9 * random.next() ** 2);
  const purpose = choose(random, ["car", "home", "business", "study", "other"], [5, 4, 2, 2, 3]);
  const amount = round1(
    clamp(income * (0.15 + 0.9 * random.next() ** 1.5) * (purpose === "home" ? 1.6 : 1), 0.5, 300),
  );
  const duration = clamp(Math.round((8 + 60 * random.next()) / 6) * 6, 6, 84);
  const housing = choose(random, ["rent", "own", "family"], age < 27 ? [5, 1, 4] : [5, 4, 1]);
  const savings = choose(random, [0, 1, 2, 3], income > 40 ? [1, 3, 4, 3] : [4, 4, 2, 1]);
  const guarantor = random.next() < (age < 27 ? 0.3 : 0.1);
  const burden = (amount * (1 + 0.004 * duration) + debt) / income;
  const merit =
    1.55 -
    2.6 * burden +
    0.55 * savings +
    0.05 * Math.min(employment, 15) +
    0.12 * education +
    (housing === "own" ? 0.5 : 0) +
    (purpose === "business" ? (employment >= 5 ? 0.4 : -1.2) : 0) +
    (guarantor ? (burden > 0.8 ? 1.1 : 0.3) : 0) -
    (duration > 48 && savings === 0 ? 0.9 : 0);
  const granted = merit + 0.7 * random.normal() > 0.55 ? 1 : 0;
  const gap = random.next();
  const names = loanSchema.features;
  return {
    granted,
    cells: [
      age,
      income,
      debt,
      amount,
      duration,
      gap < 0.03 ? null : employment,
      names[6]!.categories![education]!,
      gap > 0.97 ? null : housing,
      purpose,
      gap > 0.94 && gap < 0.97 ? null : names[9]!.categories![savings]!,
      guarantor,
    ],
  };
}
