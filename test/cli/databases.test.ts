import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

const folder = temporaryFolder();
const FILE = "examples/parts/loans.csv";
const day = (i: number): string => `2024-0${1 + (i % 9)}-1${i % 10} 1${i % 10}:30:00`;
/** The rows with a time each, as people's tables have. */
const lines = readFileSync(FILE, "utf8").trim().split(/\r?\n/);
const csv = join(folder, "loans.csv");
writeFileSync(csv, lines.map((line, i) => `${line},${i === 0 ? "booked" : day(i)}`).join("\n"));

const MODEL = [
  "--model",
  "examples/parts/xgboost.json",
  "--outputs",
  "refused,granted",
  "--target",
  "granted",
];
let count = 0;
async function run(...words: string[]): Promise<{ told: Explanation; out: string; err: string }> {
  const rest = ["--id", "id", "--json", "--formats", "csv", "--out", join(folder, `out-${count++}`)];
  const { out, err } = await cola("explain", ...words, ...rest);
  return { out, err, told: JSON.parse(out) as Explanation };
}
const plans = ({ told }: { told: Explanation }) => told.rows.map(({ id, edits }) => ({ id, edits }));

/** What is asked of every table, wherever it stands. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "some ids": [...MODEL, "--ids", "A103,A107"],
  "a condition": [...MODEL, "--where", "income < 40 and housing == 'rent'", "--rows", "3"],
  "all rows": [...MODEL, "--rows", "all"],
  "references in another table": [...MODEL, "--references", csv, "--ids", "A105"],
  "a column left out, strictly": [
    "--label",
    "guarantor",
    "--exclude",
    "purpose,booked",
    "--strict",
    "--rows",
    "2",
  ],
  "dates in parts": ["--label", "guarantor", "--date-parts", "booked", "--rows", "2"],
};

function asked(of: () => readonly string[]): void {
  test.each(Object.entries(QUESTIONS))("%s", async (_, words) => {
    const [there, here] = [await run(...of(), ...words), await run("--data", csv, ...words)];
    expect(there.told.rows, there.out.slice(0, 500)).not.toHaveLength(0);
    expect(plans(there)).toEqual(plans(here));
    expect(there.told.schema).toEqual(here.told.schema);
  });
}

describe("DuckDB", () => {
  const path = join(folder, "loans.duckdb");
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`create table loans as select * from '${csv}'`);
    connection.closeSync();
    instance.closeSync();
  });
  asked(() => ["--sql", "select * from loans", "--database", path]);
});

describe("PostgreSQL", () => {
  let server: Postgres;
  let address: string;
  beforeAll(async () => {
    server = await startPostgres();
    address = await server.database("loans");
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    const [header = "", ...rows] = readFileSync(csv, "utf8").trim().split("\n");
    const text = ["id", "education", "housing", "purpose", "savings"];
    const types = header.split(",").map((name) => {
      const type = name === "booked" ? "timestamp" : name === "guarantor" ? "boolean" : "double precision";
      return `${name} ${text.includes(name) ? "text" : type}`;
    });
    await client.query(`create table loans (place serial, ${types.join(", ")})`);
    for (const row of rows) {
      const cells = row.split(",").map((cell) => (cell === "" ? "null" : `'${cell}'`));
      await client.query(`insert into loans (${header}) values (${cells.join(", ")})`);
    }
    await client.end();
  }, 120_000);
  afterAll(() => server?.stop());
  const header = readFileSync(csv, "utf8").split("\n")[0]!;
  asked(() => ["--sql", `select ${header} from loans order by place`, "--database", address]);
});

test("parts of dates are frozen numbers, with a note; what is not a date is refused", async () => {
  const { told, err } = await run(
    "--data",
    csv,
    "--label",
    "guarantor",
    "--date-parts",
    "booked",
    "--rows",
    "2",
  );
  const parts = told.schema.features.filter(({ name }) => name.startsWith("booked_"));
  expect(parts.map(({ name }) => name)).toEqual(
    ["year", "month", "day", "weekday", "hour", "minute"].map((part) => `booked_${part}`),
  );
  for (const part of parts) expect(part).toMatchObject({ immutable: true });
  expect(err).toMatch(/booked is read as booked_year, booked_month, .*which are set immutable/);
  const at = told.schema.features.findIndex(({ name }) => name === "booked_weekday");
  const monthAt = told.schema.features.findIndex(({ name }) => name === "booked_month");
  const dayAt = told.schema.features.findIndex(({ name }) => name === "booked_day");
  for (const { x } of told.rows) {
    const date = new Date(Date.UTC(2024, Number(x[monthAt]) - 1, Number(x[dayAt])));
    expect(x[at]).toBe(date.getUTCDay() === 0 ? 7 : date.getUTCDay());
  }
  for (const [name, message] of [
    ["purpose", /--date-parts: row 0 of purpose is "\w+", which is not a date or time such as 2024-03-31/],
    ["bookd", /--date-parts: there is no column "bookd"/],
  ] as const) {
    const { out } = await run("--data", csv, "--label", "guarantor", "--date-parts", name);
    expect((JSON.parse(out) as { error: { message: string } }).error.message).toMatch(message);
  }
});
