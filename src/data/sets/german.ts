import type { Feature } from "../../types.ts";
import { tableToMatrix } from "../schema.ts";
import { alphabeticalCodes, type DataSet, fromColumns, numberColumn, textColumn } from "./contract.ts";

const NUMBERS = ["Age", "Job", "Credit amount", "Duration"];
const COLUMNS = [
  "Age",
  "Sex",
  "Job",
  "Housing",
  "Saving accounts",
  "Checking account",
  "Credit amount",
  "Duration",
  "Purpose",
];

const features: readonly Feature[] = [
  { name: "Age", kind: "integer", unit: "years", immutable: true },
  { name: "Sex", kind: "categorical", categories: ["female", "male"], immutable: true },
  { name: "Job", kind: "integer", min: 0, max: 3, label: "Job level" },
  { name: "Housing", kind: "categorical", categories: ["free", "own", "rent"] },
  {
    name: "Saving accounts",
    kind: "categorical",
    categories: ["unknown or none", "little", "moderate", "quite rich", "rich"],
  },
  { name: "Checking account", kind: "categorical", categories: ["none", "little", "moderate", "rich"] },
  { name: "Credit amount", kind: "integer", unit: "DM", min: 0 },
  { name: "Duration", kind: "integer", unit: "months", min: 1 },
  {
    name: "Purpose",
    kind: "categorical",
    categories: [
      "business",
      "car",
      "domestic appliances",
      "education",
      "furniture/equipment",
      "radio/TV",
      "repairs",
      "vacation/others",
    ],
  },
];

/** German Credit, nine features. An empty account cell is a level of its own, not a gap. */
export const german: DataSet = {
  info: {
    name: "german",
    title: "German Credit, nine features",
    file: "german_credit.csv",
    bytes: 48_348,
    sha256: "b94f7dee4366fd0e64fc035c37965a57da12701e67609cdc5fcfb074d9f0a293",
    published: "Kaggle, German Credit Risk with target; a reduction of UCI Statlog (doi 10.24432/C5NC77)",
    address: "https://www.kaggle.com/datasets/kabure/german-credit-data-with-risk",
    terms: "UCI source: CC BY 4.0",
    rows: 1000,
  },
  product(table) {
    const named = (name: string): (string | null)[] =>
      textColumn(table, name, name === "Checking account" ? "none" : "unknown or none");
    const columns = COLUMNS.map(named);
    const rows = tableToMatrix({ features }, { names: COLUMNS, columns, rows: table.rows });
    return {
      schema: { features },
      rows,
      labels: Int32Array.from(textColumn(table, "Risk"), (v) => (v === "good" ? 1 : 0)),
      classes: ["bad", "good"],
    };
  },
  preset(table) {
    const columns = COLUMNS.map((name) =>
      NUMBERS.includes(name)
        ? numberColumn(table, name)
        : alphabeticalCodes(textColumn(table, name, "Unknown")).codes,
    );
    return {
      names: COLUMNS,
      x: fromColumns(columns),
      labels: Int32Array.from(textColumn(table, "Risk"), (v) => (v === "bad" ? 1 : 0)),
      standardise: COLUMNS.map((_, k) => k),
      groups: COLUMNS.map((_, k) => [k]),
    };
  },
};
