import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loans } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell, Table } from "../../src/types.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { xgboostDocument, xgboostJson } from "../support/xgboost-files.ts";

const folder = temporaryFolder();
let count = 0;
const file = (content: string | Uint8Array, name: string): string => {
  const path = join(folder, `${count++}-${name}`);
  writeFileSync(path, content);
  return path;
};
const csv = ({ names, columns, rows }: Table, delimiter = ",", write = String): string =>
  [
    names.join(delimiter),
    ...Array.from({ length: rows }, (_, i) =>
      columns.map((column) => (column[i] === null ? "" : write(column[i]))).join(delimiter),
    ),
  ].join("\n");
const rowsOf = (table: Table, from: number, to: number): Table => ({
  ...table,
  columns: table.columns.map((column) => column.slice(from, to)),
  rows: to - from,
});
const withColumn = (table: Table, name: string, cell: (i: number) => Cell): Table => ({
  ...table,
  names: [...table.names, name],
  columns: [...table.columns, Array.from({ length: table.rows }, (_, i) => cell(i))],
});
const run = async (
  ...words: string[]
): Promise<{ code: number; told: Explanation; err: string; out: string }> => {
  const { code, out, err } = await cola(
    ...words,
    "--json",
    "--out",
    join(folder, `out-${count++}`),
    "--formats",
    "csv",
  );
  return {
    code,
    out,
    err,
    told: out.startsWith("{") ? (JSON.parse(out) as Explanation) : ({} as Explanation),
  };
};

const { table } = loans();
const named = withColumn(table, "id", (i) => `P${i}`);
const XGBOOST = [
  "--model",
  "examples/parts/xgboost.json",
  "--outputs",
  "refused,granted",
  "--target",
  "granted",
];
const all = file(csv(named), "all.csv");

describe("an XGBoost file of one-hot inputs", () => {
  test("scores a row the same in batches of 1, 20 and 200 rows, whatever levels they have", async () => {
    const scores = new Map<number, number | null>();
    const plans: string[] = [];
    for (const size of [1, 20, 200]) {
      const batch = file(csv(rowsOf(named, 7, 7 + size)), "batch.csv");
      const words = [
        "explain",
        "--data",
        batch,
        "--references",
        all,
        "--id",
        "id",
        "--ids",
        "P7",
        ...XGBOOST,
      ];
      const { code, told } = await run(...words);
      expect(code).toBeLessThan(2);
      scores.set(size, told.rows[0]!.before);
      plans.push(JSON.stringify(told.rows[0]!.edits));
    }
    expect(new Set(scores.values()).size).toBe(1);
    expect(new Set(plans).size).toBe(1);
  });

  test("without references, too; of few rows it is said that ranges are guessed from them, and nothing is unusual", async () => {
    const scores = new Set<number | null>();
    for (const size of [1, 19, 20, 200]) {
      const batch = file(csv(rowsOf(named, 7, 7 + size)), "alone.csv");
      const { told, out, err } = await run(
        "explain",
        "--data",
        batch,
        "--id",
        "id",
        "--ids",
        "P7",
        ...XGBOOST,
      );
      expect(told.rows, out).toHaveLength(1);
      const [row] = told.rows;
      scores.add(row!.before);
      expect(told.schema.features.find((f) => f.name === "housing")!.categories!.length).toBeGreaterThan(2);
      const few = err.match(/What numbers may become is guessed from (\d+) rows? alone.*--references/)?.[1];
      expect(few).toBe(size < 20 ? String(size) : undefined);
      if (size < 20) expect(row).not.toHaveProperty("unusual");
      const duration = told.schema.features.find((f) => f.name === "duration")!;
      expect(duration.kind).toBe(size === 1 ? "numeric" : "integer");
    }
    expect(scores.size).toBe(1);
    const ends = Object.fromEntries(
      ["income", "debt", "amount", "duration", "employment"].map((name) => [name, { min: 0, max: 200 }]),
    );
    const known = file(JSON.stringify({ features: ends }), "ends.json");
    const one = file(csv(rowsOf(named, 7, 8)), "one.csv");
    const words = ["explain", "--data", one, "--id", "id", "--ids", "P7", ...XGBOOST, "--constraints", known];
    const { err, told } = await run(...words);
    expect(err).not.toMatch(/guessed from/);
    expect(told.rows[0]!.valid).toBe(true);
  });

  test("does not know the level owned: noted by row, refused with --strict", async () => {
    const odd = {
      ...named,
      columns: named.columns.map((column, k) =>
        named.names[k] === "housing" ? ["owned", ...column.slice(1)] : column,
      ),
    };
    const words = ["explain", "--data", file(csv(odd), "odd.csv"), "--id", "id", "--rows", "2", ...XGBOOST];
    const noted = await run(...words);
    expect(noted.err).toMatch(/housing of P0 \("owned"\) is a level the model's inputs do not have/);
    const strict = await run(...words, "--strict");
    expect(JSON.parse(strict.out)).toMatchObject({ error: { code: "STRICT_REFUSED" } });
    expect(strict.out).toMatch(/housing of P0.*Without --strict this is only noted/);
  });
});

test("rows beside --references are looked at too: levels the model does not know, derived cells that are stale", async () => {
  const at = (name: string): number => named.names.indexOf(name);
  const few = rowsOf(named, 7, 10);
  const odd = {
    ...few,
    columns: few.columns.map((column, k) =>
      k === at("housing")
        ? ["owned", ...column.slice(1)]
        : k === at("debt")
          ? [77, ...column.slice(1)]
          : column,
    ),
  };
  const rules = file(JSON.stringify({ features: { debt: { derived: "0.5 * amount" } } }), "derived.json");
  const words = [
    "explain",
    "--data",
    file(csv(odd), "few.csv"),
    "--references",
    all,
    "--id",
    "id",
    "--ids",
    "P7",
  ];
  const { err } = await run(...words, ...XGBOOST, "--constraints", rules);
  expect(err).toMatch(/housing of P7 \("owned"\) is a level the model's inputs do not have/);
  expect(err).toMatch(/^debt of P7 \(77, by the formula [\d.]+\), .* is not what its formula gives/m);
  expect(err).toMatch(
    /^debt of P0 \(.* and \d+ more rows is not what its formula gives, and is computed anew/m,
  );
  const strict = await run(...words, ...XGBOOST, "--strict");
  expect(JSON.parse(strict.out)).toMatchObject({ error: { code: "STRICT_REFUSED" } });
});

test("a derived column that is rounded is not stale", async () => {
  const rounded = withColumn(rowsOf(named, 0, 60), "burden", (i) =>
    Number((Number(named.columns[named.names.indexOf("debt")]![i]) / 3).toFixed(1)),
  );
  const rules = file(JSON.stringify({ features: { burden: { derived: "debt / 3" } } }), "rounded.json");
  const data = file(csv(rounded), "rounded.csv");
  const { err, code } = await run(
    "explain",
    "--data",
    data,
    "--id",
    "id",
    "--rows",
    "2",
    ...XGBOOST,
    "--constraints",
    rules,
  );
  expect(code).toBeLessThan(2);
  expect(err).not.toMatch(/formula/);
});

describe("whom to explain", () => {
  const words = ["explain", "--data", all, "--id", "id", ...XGBOOST];

  test("--ids, --where and --rows all", async () => {
    const byId = await run(...words, "--ids", "P3,P12");
    expect(byId.told.rows.map((row) => row.id)).toEqual(["P3", "P12"]);
    const where = await run(...words, "--where", "income < 30 and housing == 'rent'", "--rows", "4");
    const at = (name: string): number => where.told.schema.features.findIndex((f) => f.name === name);
    expect(where.told.rows).toHaveLength(4);
    for (const { x } of where.told.rows) {
      expect(Number(x[at("income")])).toBeLessThan(30);
      expect(x[at("housing")]).toBe("rent");
    }
    const small = file(csv(rowsOf(named, 0, 60)), "small.csv");
    const every = await run("explain", "--data", small, "--id", "id", "--rows", "all", ...XGBOOST);
    expect(every.told.rows.length).toBeGreaterThan(10);
  });

  test.each([
    [
      ["--ids", "P3,Q9"],
      "OPTION_INVALID",
      /--ids: no row is called "Q9" in the column of --id, which begins P0/,
    ],
    [["--where", "incme < 30"], "CONSTRAINT_INVALID", /there is no feature "incme"/],
    [["--where", "income < 0"], "INPUT_EMPTY", /--where: none of the 1000 rows meets/],
  ])("%j is refused", async (more, code, message) => {
    const { out } = await run(...words, ...more);
    expect(JSON.parse(out)).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
  });
});

test("the header counts the rows of both tables, and what either lacks is said with its name", async () => {
  const one = file(csv(rowsOf(named, 7, 8)), "one.csv");
  const without = (of: Table, name: string): Table => {
    const at = of.names.indexOf(name);
    const others = <T>(list: readonly T[]): T[] => list.filter((_, k) => k !== at);
    return { ...of, names: others(of.names), columns: others(of.columns) };
  };
  const words = (data: string, references: string): string[] => [
    ...["explain", "--data", data, "--references", references, "--id", "id", "--ids", "P7", ...XGBOOST],
    ...["--out", join(folder, "both")],
  ];
  const { out } = await cola(...words(one, all));
  expect(out).toContain(
    `${one} (1 row), references from ${all} (1000 rows), model of xgboost.json: 1 row explained.`,
  );
  const dry = await cola(...words(one, all), "--dry-run");
  expect(dry.out.startsWith(`${one}, `)).toBe(true);
  const short = file(csv(without(named, "purpose")), "short.csv");
  expect((await cola(...words(one, short))).err).toMatch(
    /short\.csv: binding: the model's inputs purpose_.* not in the table/,
  );
  const lacking = file(csv(without(rowsOf(named, 7, 8), "purpose")), "lacking.csv");
  expect((await cola(...words(lacking, all))).err).toMatch(/lacking\.csv: table: column "purpose"/);
});

test("counterfactuals beside --references are of the rows that are explained; --ids and --where choose among them", async () => {
  const people = rowsOf(named, 0, 6);
  const rich = people.names.indexOf("income");
  const columns = people.columns.map((column, k) => (k === rich ? column.map(() => 140) : column));
  const own = file(csv({ ...people, columns }), "own.csv");
  const fewer = file(csv(rowsOf({ ...people, columns }, 1, 4)), "fewer.csv");
  const words = [
    ...[
      "--data",
      file(csv(people), "people.csv"),
      "--references",
      file(csv(rowsOf(named, 300, 400)), "refs.csv"),
    ],
    ...["--id", "id", ...XGBOOST],
  ];
  const idsOf = async (...more: string[]) => (await run(...more, ...words)).told.rows.map(({ id }) => id);
  expect(await idsOf("explain", "--counterfactuals", own)).toEqual(people.columns.at(-1));
  expect(await idsOf("refine", "--counterfactuals", fewer)).toEqual(["P1", "P2", "P3"]);
  expect(await idsOf("explain", "--counterfactuals", own, "--ids", "P4,P2")).toEqual(["P2", "P4"]);
  const [low] = people.columns[rich]!.toSorted((a, b) => Number(a) - Number(b));
  expect(await idsOf("explain", "--counterfactuals", own, "--where", `income <= ${low}`)).toEqual([
    `P${people.columns[rich]!.indexOf(low!)}`,
  ]);
  const none = await run("explain", "--counterfactuals", fewer, "--ids", "P5", ...words);
  expect(none.out).toContain("no counterfactual is of the rows that --ids names");
  const dry = await run("explain", "--counterfactuals", fewer, "--dry-run", ...words);
  expect(JSON.parse(dry.out)).toMatchObject({ rows: 3, generator: expect.stringContaining("fewer.csv") });
});

test("ids that come again are told, and one id stands for all its rows", async () => {
  const twice = withColumn(rowsOf(table, 0, 40), "id", (i) => `P${i % 35}`);
  const { err, told } = await run(
    ...["explain", "--data", file(csv(twice), "twice.csv"), "--id", "id", "--ids", "P2", ...XGBOOST],
  );
  expect(err).toMatch(/^id has the id of an earlier row in 5 rows \(P0, …\)/m);
  expect(told.rows.map((row) => row.id)).toEqual(["P2", "P2"]);
});

describe("a file of four classes", () => {
  const random = stream(5, "four");
  const model = file(
    xgboostJson(xgboostDocument(random, { objective: "multi:softprob", groups: 4, rounds: 6 })),
    "four.json",
  );
  const rows = Array.from({ length: 200 }, () => Array.from({ length: 4 }, () => random.int(16) / 4 - 2));
  const data = file(["f0,f1,f2,f3", ...rows.map((row) => row.join(","))].join("\n"), "four.csv");
  const words = ["explain", "--data", data, "--model", model, "--outputs", "j0,j1,j2,j3", "--rows", "5"];

  test.each(["not j2", "j1 or j3"])("%s: scores are margins to the goal", async (target) => {
    const { told } = await run(...words, "--target", target);
    expect(told.output).toBe(target);
    for (const row of told.rows) {
      expect(row.before).toBeLessThanOrEqual(0);
      if (row.valid) expect(row.after).toBeGreaterThan(0);
      const sum = row.attributions.reduce((a, b) => a + b, 0);
      expect(row.base! + sum).toBeCloseTo(row.before!, 6);
    }
  });

  test("without a target it is said which class was taken, and why", async () => {
    const { err, told } = await run(...words);
    expect(err).toMatch(
      /No target is given, so the last of the 4 classes j0, j1, j2, j3 is taken: j3; name another by --target/,
    );
    expect(told.output).toBe("j3");
  });
});

describe("what gives the outcome away", () => {
  const { labels } = loans();
  const outcome = withColumn(table, "granted", (i) => (labels[i] ? "yes" : "no"));
  const leaky = withColumn(outcome, "reservation_status", (i) =>
    labels[i] ? "Check-Out" : i % 3 ? "Canceled" : "No-Show",
  );
  const words = ["explain", "--data", file(csv(leaky), "leaky.csv"), "--label", "granted", "--rows", "2"];

  test("is told before anything else; --exclude takes it out; --strict refuses it", async () => {
    const told = await run(...words);
    expect(told.err).toMatch(
      /^reservation_status tells granted of every row; .*--exclude reservation_status/,
    );
    const without = await run(...words, "--exclude", "reservation_status", "--strict");
    expect(without.code).toBeLessThan(2);
    expect(without.told.schema.features.map((f) => f.name)).not.toContain("reservation_status");
    const strict = await run(...words, "--strict");
    expect(JSON.parse(strict.out)).toMatchObject({ error: { code: "STRICT_REFUSED" } });
  });

  test("also where the run ends in training, and by the command that only trains; once", async () => {
    const leak = /reservation_status tells granted of every row/g;
    const lost = await run(...words, "--target", "perhaps");
    expect(JSON.parse(lost.out)).toMatchObject({ error: { code: "TARGET_INVALID" } });
    expect(lost.err.match(leak)).toHaveLength(1);
    const plain = await cola(...words, "--out", join(folder, "leaky"), "--locale", "de");
    expect(plain.err).toMatch(/^reservation_status verrät granted in jeder Zeile/);
    expect(plain.out).not.toContain("verrät");
    const trained = await cola(
      ...["train", "--data", words[2]!, "--label", "granted", "--model-out", join(folder, "leaky.json")],
    );
    expect(trained.err.match(leak)).toHaveLength(1);
  });
});

describe("tables as they come", () => {
  const { labels } = loans();
  const outcome = withColumn(rowsOf(table, 0, 300), "granted", (i) => (labels[i] ? "good" : "bad"));
  const words = ["--label", "granted", "--target", "good", "--rows", "3"];
  let plain: Promise<Awaited<ReturnType<typeof run>>>;
  beforeAll(() => {
    plain = run("explain", "--data", file(csv(outcome), "plain.csv"), ...words);
    return plain;
  });

  test("a spreadsheet's export: semicolons, decimal commas, a byte order mark", async () => {
    const german = (cell: Cell | undefined): string =>
      typeof cell === "number" ? String(cell).replace(".", ",") : String(cell);
    const excel = `\uFEFF${csv(outcome, ";", german as typeof String).replaceAll("\n", "\r\n")}`;
    const { told } = await run("explain", "--data", file(excel, "excel.csv"), ...words);
    expect(told.rows.map((row) => row.edits)).toEqual((await plain).told.rows.map((row) => row.edits));
  });

  test("a table as pandas writes it: an index, True and False, whole numbers with .0 beside gaps", async () => {
    const at = outcome.names.indexOf("duration");
    const gappy = {
      ...outcome,
      columns: outcome.columns.map((c, k) => (k === at ? c.map((v, i) => (i % 9 ? v : null)) : c)),
    };
    const pandas = (cell: Cell | undefined): string =>
      cell === true ? "True" : cell === false ? "False" : String(cell);
    const lines = csv(gappy, ",", pandas as typeof String).split("\n");
    const floats = lines.map((line, i) => {
      const cells = line.split(",");
      if (i > 0 && cells[at] !== "") cells[at] = `${cells[at]}.0`;
      return [i === 0 ? "Unnamed: 0" : String(i - 1), ...cells].join(",");
    });
    const { told } = await run("explain", "--data", file(floats.join("\n"), "pandas.csv"), ...words);
    const duration = told.schema.features.find((f) => f.name === "duration");
    expect(duration?.kind).toBe("integer");
    expect(told.schema.features.map((f) => f.name)).not.toContain("Unnamed: 0");
    expect(told.schema.features.find((f) => f.name === "guarantor")?.kind).toBe("boolean");
  });

  test("a query of DuckDB", async () => {
    const path = file(csv(outcome), "query.csv");
    const { told } = await run("explain", "--sql", `select * from '${path}'`, ...words);
    expect(told.rows.map((row) => row.edits)).toEqual((await plain).told.rows.map((row) => row.edits));
  });

  test("amounts with signs and thousands", async () => {
    const at = outcome.names.indexOf("income");
    const money = {
      ...outcome,
      columns: outcome.columns.map((c, k) =>
        k === at ? c.map((v) => (v === null ? null : `"$${Number(v).toLocaleString("en-US")}"`)) : c,
      ),
    };
    const { told, err } = await run("explain", "--data", file(csv(money), "money.csv"), ...words);
    expect(err).toMatch(/income is read as numbers: "\$/);
    expect(told.rows.map((row) => row.edits)).toEqual((await plain).told.rows.map((row) => row.edits));
  });
});
