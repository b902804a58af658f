import type { Feature, Table } from "../../types.ts";
import { tableToMatrix } from "../schema.ts";
import { type DataSet, fromColumns, textColumn } from "./contract.ts";

const LEVELS = {
  Sex: ["Female", "Male"],
  Age_Cat: ["Less than 25", "25 - 45", "Greater than 45"],
  Race: ["African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other"],
  C_Charge_Degree: ["F", "M"],
} as const;

const features: readonly Feature[] = [
  { name: "Sex", kind: "categorical", categories: LEVELS.Sex, immutable: true },
  { name: "Age_Cat", kind: "ordinal", categories: LEVELS.Age_Cat, label: "Age group", immutable: true },
  { name: "Race", kind: "categorical", categories: LEVELS.Race, immutable: true },
  {
    name: "C_Charge_Degree",
    kind: "categorical",
    categories: LEVELS.C_Charge_Degree,
    label: "Charge degree",
  },
  { name: "Priors_Count", kind: "integer", min: 0, label: "Prior offences" },
  { name: "Time_Served", kind: "integer", min: 0, label: "Time served", unit: "days" },
];

/** ProPublica's filter, and the six source columns; nothing that names a person is kept. */
function people(table: Table): { columns: Record<string, string[]>; free: number[] } {
  const column = (name: string): string[] => textColumn(table, name);
  const [days, recid, degree, score] = [
    column("days_b_screening_arrest"),
    column("is_recid"),
    column("c_charge_degree"),
    column("score_text"),
  ];
  const kept = days.flatMap((day, i) =>
    day !== "" && Math.abs(Number(day)) <= 30 && recid[i] !== "-1" && degree[i] !== "O" && score[i] !== "N/A"
      ? [i]
      : [],
  );
  const pick = (name: string): string[] => {
    const cells = column(name);
    return kept.map((i) => cells[i]!);
  };
  const [jailed, released] = [pick("c_jail_in"), pick("c_jail_out")];
  return {
    columns: {
      Sex: pick("sex"),
      Age_Cat: pick("age_cat"),
      Race: pick("race"),
      C_Charge_Degree: pick("c_charge_degree"),
      Priors_Count: pick("priors_count"),
      Time_Served: jailed.map((from, i) => String(wholeDays(from, released[i]!))),
    },
    free: pick("two_year_recid").map((v) => 1 - Number(v)),
  };
}

/** Whole days between two `yyyy-mm-dd hh:mm:ss` times; negative spans are 0. */
function wholeDays(from: string, to: string): number {
  return Math.max(0, Math.floor((seconds(to) - seconds(from)) / 86_400));
}

/** Seconds since 1 March of year 0 (days by civil calendar arithmetic). */
function seconds(time: string): number {
  const [year, month, day, hour, minute, second] = time.split(/[- :]/).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const shifted = month > 2 ? year : year - 1;
  const days =
    365 * shifted +
    Math.floor(shifted / 4) -
    Math.floor(shifted / 100) +
    Math.floor(shifted / 400) +
    Math.floor((153 * ((month + 9) % 12) + 2) / 5) +
    day;
  return days * 86_400 + hour * 3600 + minute * 60 + second;
}

/** COMPAS, two-year file. The label is re-arrest, not re-offence; it is not a benchmark for fairness claims. */
export const compas: DataSet = {
  info: {
    name: "compas",
    title: "COMPAS, two years",
    file: "compas-scores-two-years.csv",
    bytes: 2_546_489,
    sha256: "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
    published: "ProPublica, compas-analysis (data for Machine Bias, 2016)",
    address: "https://github.com/propublica/compas-analysis",
    terms:
      "no licence stated; Florida public records that name real people, whose names are dropped on loading",
    rows: 7214,
  },
  product(table) {
    const { columns, free } = people(table);
    const names = Object.keys(columns);
    return {
      schema: { features },
      rows: tableToMatrix({ features }, { names, columns: Object.values(columns), rows: free.length }),
      labels: Int32Array.from(free),
      classes: ["arrested again", "not arrested again"],
    };
  },
  preset(table) {
    const { columns, free } = people(table);
    const indicators = Object.entries(LEVELS).flatMap(([name, levels]) =>
      levels.map((level) => ({
        name: `${name}=${level}`,
        values: columns[name]!.map((v) => (v === level ? 1 : 0)),
      })),
    );
    const numbers = ["Priors_Count", "Time_Served"].map((name) => ({
      name,
      values: columns[name]!.map(Number),
    }));
    return {
      names: [...indicators, ...numbers].map((c) => c.name),
      x: fromColumns([...indicators, ...numbers].map((c) => c.values)),
      labels: Int32Array.from(free),
      standardise: [13, 14],
      groups: [[0, 1], [2, 3, 4], [5, 6, 7, 8, 9, 10], [11, 12], [13], [14]],
    };
  },
};
