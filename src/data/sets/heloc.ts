import type { Feature, Table } from "../../types.ts";
import { type DataSet, fillMedian, fromColumns, numberColumn, textColumn } from "./contract.ts";

const LABEL = "RiskPerformance";

/** Rows with at least one real (non-negative) value; negative codes are gaps. */
function usable(table: Table): { names: string[]; columns: Float64Array[]; good: number[] } {
  const names = table.names.filter((name) => name !== LABEL);
  const all = names.map((name) => numberColumn(table, name));
  const kept = Array.from({ length: table.rows }, (_, i) => i).filter((i) =>
    all.some((column) => column[i]! >= 0),
  );
  const labels = textColumn(table, LABEL);
  return {
    names,
    columns: all.map((column) => Float64Array.from(kept, (i) => (column[i]! >= 0 ? column[i]! : Number.NaN))),
    good: kept.map((i) => (labels[i] === "Good" ? 1 : 0)),
  };
}

/** HELOC: 23 integer features; the 588 rows without any value are dropped. */
export const heloc: DataSet = {
  info: {
    name: "heloc",
    title: "Home equity line of credit (FICO challenge)",
    file: "heloc.csv",
    bytes: 668_020,
    sha256: "3ac25654f80c5ce724e2a9528e3cf3bd3f9369e44b4a5f7723eff46c330c2dfb",
    published: "FICO, Explainable Machine Learning Challenge (2018), heloc_dataset_v1",
    address: "https://community.fico.com/s/explainable-machine-learning-challenge",
    terms: "no open licence known; handed out by FICO on request for research",
    rows: 10_459,
  },
  product(table) {
    const { names, columns, good } = usable(table);
    const features = names.map((name): Feature => ({ name, kind: "integer", min: 0 }));
    return {
      schema: { features },
      rows: fromColumns(columns),
      labels: Int32Array.from(good),
      classes: ["Bad", "Good"],
    };
  },
  preset(table) {
    const { names, columns, good } = usable(table);
    return {
      names,
      x: fromColumns(columns.map(fillMedian)),
      labels: Int32Array.from(good),
      standardise: names.map((_, k) => k),
      groups: names.map((_, k) => [k]),
    };
  },
};
