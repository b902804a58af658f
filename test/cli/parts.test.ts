import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCsv } from "../../src/data/csv.ts";
import { loanSchema } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Schema } from "../../src/types.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { onnxFile } from "../support/onnx-files.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const table = ["--data", "examples/parts/loans.csv", "--id", "id"];
const boosted = [
  "--model",
  "examples/parts/xgboost.json",
  "--outputs",
  "refused,granted",
  "--target",
  "granted",
];
const quiet = ["--out", at("out"), "--formats", "csv", "--json"];
const explained = (out: string): Explanation => JSON.parse(out) as Explanation;

describe("--calibration", () => {
  const save = (name: string, text: string): string => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const points = [
    [0, 0.02],
    [0.5, 0.3],
    [0.8, 0.6],
    [1, 0.95],
  ];

  test("scores and target are on its scale, from JSON or a table", async () => {
    const json = save("calibration.json", JSON.stringify(points));
    const csv = save("calibration.csv", ["score,probability", ...points.map((p) => p.join())].join("\n"));
    const rows = ["explain", "--rows", "2", "--target", "score >= 0.5", ...quiet];
    const one = await cola(...rows, "--calibration", json);
    const two = await cola(...rows, "--calibration", csv);
    expect(one.code, one.err).toBe(0);
    expect(two.out).toBe(one.out);
    const plain = explained((await cola(...rows)).out);
    const first = explained(one.out).rows.find((row) => row.id === plain.rows[0]!.id)!;
    expect(first.before).toBeCloseTo(0.02 + (0.28 * plain.rows[0]!.before!) / 0.5, 9);
    for (const row of explained(one.out).rows) expect(row.after).toBeGreaterThanOrEqual(0.5);
  });

  test.each([
    ["not monotone", "[[0, 0.1], [0.5, 0.6], [1, 0.4]]"],
    ["no list", '{"a": 1}'],
    ["no JSON", "[[0, 0.1]"],
  ])("%s is refused", async (_, text) => {
    const answer = await cola("explain", "--calibration", save("bad.json", text), ...quiet);
    expect(answer.code).toBe(2);
    expect(JSON.parse(answer.out)).toMatchObject({ error: { code: "OPTION_INVALID" } });
  });
});

describe("--save-schema", () => {
  test("saves what --schema reads: the same plans", async () => {
    const one = await cola(
      "explain",
      ...table,
      ...boosted,
      "--rows",
      "2",
      "--save-schema",
      at("schema.json"),
      ...quiet,
    );
    const schema = JSON.parse(readFileSync(at("schema.json"), "utf8")) as Schema;
    expect(schema).toEqual(explained(one.out).schema);
    expect(schema.features.map((f) => f.name)).toEqual(loanSchema.features.map((f) => f.name));
    const two = await cola(
      "explain",
      ...table,
      ...boosted,
      "--rows",
      "2",
      "--schema",
      at("schema.json"),
      ...quiet,
    );
    expect(two.out).toBe(one.out);
  });

  test("- prints it", async () => {
    const { out } = await cola("explain", "--save-schema", "-", "--dry-run");
    expect(JSON.parse(out.slice(0, out.lastIndexOf("}\n") + 2))).toEqual(loanSchema);
  });
});

describe("--counterfactuals of other tools", () => {
  const dice = ["--counterfactuals", "examples/parts/dice.json"];

  test("DiCE: the rows it speaks of, each with its own counterfactuals", async () => {
    const { code, out } = await cola("refine", ...table, ...boosted, ...dice, ...quiet);
    expect(code).toBe(0);
    const { rows } = explained(out);
    expect(rows.map((row) => row.id)).toEqual(["A102", "A103", "A104", "A105", "A108", "A111"]);
    rows.forEach((row, i) => {
      expect([2 * i, 2 * i + 1]).toContain(row.reference);
      expect(row.proof).toEqual({ claim: "optimal", edits: 1, scope: "model" });
    });
  });

  test("DiCE: a row for which it found nothing stays, without a plan", async () => {
    const text = readFileSync("examples/parts/dice.json", "utf8");
    const file = JSON.parse(text) as { cfs_list: unknown[] };
    file.cfs_list[2] = null;
    writeFileSync(at("none.json"), JSON.stringify(file));
    const none = ["--counterfactuals", at("none.json")];
    const { code, out, err } = await cola("refine", ...table, ...boosted, ...none, ...quiet);
    expect(code).toBe(1);
    const { rows } = explained(out);
    expect(rows.map((row) => row.id)).toEqual(["A102", "A103", "A104", "A105", "A108", "A111"]);
    expect(rows.map((row) => row.status)).toEqual(["ok", "ok", "infeasible", "ok", "ok", "ok"]);
    expect(rows[2]).toMatchObject({ edits: [], proposal: [], valid: false });
    expect(err).toContain("none.json has no counterfactual for A104.");
    const whole = explained((await cola("refine", ...table, ...boosted, ...dice, ...quiet)).out);
    for (const i of [0, 1, 3, 4, 5]) expect(rows[i]!.edits).toEqual(whole.rows[i]!.edits);
  });

  test("DiCE: what breaks the constraints is told", async () => {
    const words = ["refine", ...table, ...boosted, ...dice, ...quiet, "--freeze", "amount"];
    expect((await cola(...words)).err).toMatch(/Counterfactual 0 of A102 breaks the constraints: .*amount/);
  });

  test("couple and attribute name the rows of the table", async () => {
    const couple = await cola("couple", ...table, ...dice, "--coupling", "exact", "--json");
    const { entries } = JSON.parse(couple.out) as { entries: { row: number; reference: number }[] };
    expect(entries.map((e) => e.row)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 7, 7, 10, 10]);
    const attribute = await cola("attribute", ...table, ...dice, ...boosted);
    expect(attribute.out).toMatch(/ {2}row 10: /);
    expect(attribute.out).not.toMatch(/ {2}row 0: /);
  });

  test("Alibi: rows of numbers, in the order of the table's columns", async () => {
    writeFileSync(at("x.csv"), "income,debt\n20,5\n25,9\n");
    writeFileSync(
      at("alibi.json"),
      JSON.stringify({
        meta: { name: "CounterfactualRL" },
        data: {
          orig: {
            X: [
              [20, 5],
              [25, 9],
            ],
          },
          cf: {
            X: [
              [60, 2],
              [70, 8],
            ],
          },
        },
      }),
    );
    writeFileSync(
      at("score.mjs"),
      `import { createInterface } from "node:readline";
       for await (const line of createInterface({ input: process.stdin })) {
         const { id, rows } = JSON.parse(line);
         console.log(JSON.stringify({ id, scores: rows.map(([a, b]) => 1 / (1 + Math.exp(3 - 0.1 * a + 0.2 * b))) }));
       }`,
    );
    const { code, out, err } = await cola(
      ...["refine", "--data", at("x.csv"), "--counterfactuals", at("alibi.json")],
      ...["--model", `command:node ${at("score.mjs")}`, "--target", "score >= 0.6", ...quiet],
    );
    expect(code, err + out).toBe(0);
    expect(explained(out).rows.map((row) => row.edits.map((e) => [e.feature, e.to]))).toEqual([
      [["income", 60]],
      [["income", 70]],
    ]);
  });

  test("a row the table does not have is named", async () => {
    writeFileSync(
      at("few.csv"),
      readFileSync("examples/parts/loans.csv", "utf8").split("\n").slice(0, 3).join("\n"),
    );
    const answer = await cola("refine", "--data", at("few.csv"), "--id", "id", ...boosted, ...dice, ...quiet);
    expect(answer.code).toBe(2);
  });
});

/** Scores the amount asked for, and keeps what it saw first. */
writeFileSync(
  at("spy.mjs"),
  `import { writeFileSync } from "node:fs";
   import { createInterface } from "node:readline";
   for await (const line of createInterface({ input: process.stdin })) {
     const { id, columns, rows } = JSON.parse(line);
     writeFileSync(${JSON.stringify(at("seen.json"))}, JSON.stringify({ columns, row: rows[0] }));
     const at = columns.indexOf("amount");
     console.log(JSON.stringify({ id, scores: rows.map((r) => 1 / (1 + Math.exp(r[at] / 10 - 2))) }));
   }`,
);
const scored = ["--model", `command:node ${at("spy.mjs")}`, "--target", "score >= 0.5"];
const spy = [...scored, "--rows", "1", ...quiet];

describe("counterfactuals in a table", () => {
  const lines = readFileSync("examples/parts/loans.csv", "utf8").trimEnd().split("\n");
  const lineOf = (id: string): string => lines.find((line) => line.startsWith(`${id},`))!;
  const people = (...ids: string[]): string => {
    writeFileSync(at("people.csv"), `${[lines[0]!, ...ids.map(lineOf)].join("\n")}\n`);
    return at("people.csv");
  };
  /** The line of a person with another amount. */
  const asking = (id: string, amount: string): string => lineOf(id).split(",").with(4, amount).join(",");
  const empty = (id: string): string => `${id}${",".repeat(lines[0]!.split(",").length - 1)}`;
  const refined = (data: string, id: readonly string[], ...rows: string[]) => {
    writeFileSync(at("their.csv"), `${[lines[0]!, ...rows].join("\n")}\n`);
    const words = ["--data", data, ...id, "--counterfactuals", at("their.csv")];
    return cola("refine", ...words, ...scored, ...quiet);
  };
  const byId = ["--id", "id"];

  test("belong to the rows with their ids, in any order", async () => {
    const data = people("A102", "A103");
    const { code, out } = await refined(data, byId, asking("A103", "6.3"), lineOf("A102"));
    expect(code).toBe(1);
    expect(explained(out).rows).toMatchObject([
      { id: "A102", status: "infeasible", edits: [] },
      { id: "A103", status: "ok", edits: [{ feature: "amount", to: 6.3 }] },
    ]);
  });

  test("an empty row says that none was found; rows of the data it does not name are not explained", async () => {
    const data = people("A102", "A103", "A104");
    const { code, out, err } = await refined(data, byId, asking("A103", "6.3"), empty("A102"));
    expect(code).toBe(1);
    expect(explained(out).rows.map((row) => [row.id, row.status])).toEqual([
      ["A102", "infeasible"],
      ["A103", "ok"],
    ]);
    expect(err).toMatch(/their\.csv has no counterfactual for A102\./);
    expect(err).toMatch(/1 of 3 rows of the data are not in .*their\.csv/);
  });

  test("an id the data do not have, or have twice, is refused", async () => {
    const gone = await refined(people("A102"), byId, asking("A103", "6.3"));
    expect(JSON.parse(gone.out)).toMatchObject({ error: { code: "PAIRS_INVALID" } });
    expect(gone.out).toContain("no row of the data has this id");
    const twice = await refined(people("A103", "A103"), byId, asking("A103", "6.3"));
    expect(twice.out).toContain("rows 0 and 1 of the data have this id");
  });

  test("CARLA: as many rows as the data, empty where it found none", async () => {
    const cut = (line: string): string => line.slice(line.indexOf(",") + 1);
    const write = (name: string, rows: string[]): string => {
      writeFileSync(at(name), `${[lines[0]!, ...rows].map(cut).join("\n")}\n`);
      return at(name);
    };
    const data = write("x.csv", [lineOf("A102"), lineOf("A103")]);
    const carla = write("carla.csv", [empty("A102"), asking("A103", "6.3")]);
    const words = ["refine", "--data", data, "--counterfactuals", carla, ...scored, ...quiet];
    const { code, out } = await cola(...words);
    expect(code).toBe(1);
    expect(explained(out).rows.map((row) => row.status)).toEqual(["infeasible", "ok"]);
  });
});

describe("a command", () => {
  const seen = (): { columns: string[]; row: unknown[] } =>
    JSON.parse(readFileSync(at("seen.json"), "utf8")) as { columns: string[]; row: unknown[] };
  /** The applications with a column for each level of housing that they have. */
  const dummies = (): string => {
    const [head, ...lines] = readFileSync("examples/parts/loans.csv", "utf8").trimEnd().split("\n");
    const k = head!.split(",").indexOf("housing");
    const rows = lines.map((line) => line.split(",")).filter((cells) => cells[k] !== "");
    const levels = ["own", "rent", "family"];
    const text = rows.map((cells) =>
      cells
        .flatMap((cell, c) => (c === k ? levels.map((level) => (cell === level ? "1" : "0")) : [cell]))
        .join(","),
    );
    const names = head!
      .split(",")
      .flatMap((name, c) => (c === k ? levels.map((level) => `housing_${level}`) : [name]));
    writeFileSync(at("dummies.csv"), `${[names.join(","), ...text].join("\n")}\n`);
    return at("dummies.csv");
  };

  test("gets the columns by name, and level names, as an HTTP model does", async () => {
    expect((await cola("explain", ...table, ...spy)).code).toBe(0);
    expect(seen().columns.slice(6)).toEqual(["education", "housing", "purpose", "savings", "guarantor"]);
    expect(seen().row.slice(6)).toContain("rent");
  });

  test("gets the indicator columns of the file, and the tables written have them too", async () => {
    const { code, out, err } = await cola("explain", "--data", dummies(), "--id", "id", ...spy);
    expect(code).toBe(0);
    expect(err).toMatch(/housing_own, housing_rent, housing_family became one feature housing; .*--schema/);
    const at0 = seen().columns.indexOf("housing_own");
    expect(seen().columns.slice(at0, at0 + 3)).toEqual(["housing_own", "housing_rent", "housing_family"]);
    expect(
      seen()
        .row.slice(at0, at0 + 3)
        .sort(),
    ).toEqual([0, 0, 1]);
    const explanation = explained(out);
    const k = explanation.schema.features.findIndex((f) => f.name === "housing");
    for (const name of ["x", "q", "z"]) {
      const t = readCsv(readFileSync(at(`out/${name}.csv`), "utf8"));
      expect(t.names).not.toContain("housing");
      const edit =
        name === "q" ? explanation.rows[0]!.proposal.find((e) => e.feature === "housing") : undefined;
      const level = edit ? edit.to : explanation.rows[0]!.x[k];
      for (const one of ["own", "rent", "family"])
        expect(t.columns[t.names.indexOf(`housing_${one}`)]).toEqual([one === level ? "1" : "0"]);
    }
    const again = await cola("report", at("out/explanation.json"), "--formats", "csv", "--out", at("again"));
    expect(again.code).toBe(0);
    expect(readFileSync(at("again/z.csv"))).toEqual(readFileSync(at("out/z.csv")));
  });

  test("flags that some rows have none of stay apart", async () => {
    writeFileSync(at("flags.csv"), "amount,has_car,has_house\n30,1,0\n25,0,0\n40,0,1\n5,0,1\n");
    await cola("explain", "--data", at("flags.csv"), ...spy);
    expect(seen()).toEqual({
      columns: ["amount", "has_car", "has_house"],
      row: [expect.any(Number), expect.any(Boolean), expect.any(Boolean)],
    });
  });
});

test("texts of an ONNX model are level names", async () => {
  const graph = onnxFile({
    inputs: [
      { name: "age", type: 11, shape: ["N", 1] },
      { name: "city", type: 8, shape: ["N", 1] },
    ],
    outputs: [{ name: "y", type: 1, shape: ["N", 1] }],
    tensors: [{ name: "W", shape: [2, 1], floats: [0.01, 1] }],
    nodes: [
      { op: "Cast", inputs: ["age"], outputs: ["age_f"], attributes: [{ name: "to", i: 1 }] },
      {
        op: "LabelEncoder",
        domain: "ai.onnx.ml",
        inputs: ["city"],
        outputs: ["city_f"],
        attributes: [
          { name: "keys_strings", strings: ["Rome", "Oslo"] },
          { name: "values_floats", floats: [0, 0.5] },
          { name: "default_float", f: 9 },
        ],
      },
      { op: "Concat", inputs: ["age_f", "city_f"], outputs: ["x"], attributes: [{ name: "axis", i: 1 }] },
      { op: "MatMul", inputs: ["x", "W"], outputs: ["y"] },
    ],
  });
  writeFileSync(at("texts.onnx"), graph);
  writeFileSync(at("cities.csv"), "city,age\nRome,20\nOslo,30\nRome,40\n");
  const model = ["--model", at("texts.onnx"), "--target", "score >= 0.5", "--freeze", "age"];
  const { code, out } = await cola("explain", "--data", at("cities.csv"), ...model, ...quiet);
  expect(code, out).toBe(0);
  expect(explained(out).rows.map((row) => row.before)).toEqual([expect.closeTo(0.2), expect.closeTo(0.4)]);
  expect(explained(out).rows[0]!.edits).toMatchObject([{ feature: "city", to: "Oslo" }]);
});

describe("--reasons", () => {
  const reasons = (codes: unknown): string[] => {
    writeFileSync(at("codes.json"), JSON.stringify(codes));
    return ["--reasons", at("codes.json")];
  };

  test("the codes are in a table of their own", async () => {
    const codes = reasons({ amount: { code: "R7", text: "The amount asked for" } });
    const { code } = await cola("explain", ...table, ...boosted, "--rows", "2", ...quiet, ...codes);
    expect(code).toBe(0);
    const { names, columns } = readCsv(readFileSync(at("out/reasons.csv"), "utf8"));
    expect(names).toEqual(["row", "id", "feature", "code", "text", "attribution", "share", "changeable"]);
    const k = columns[2]!.indexOf("amount");
    expect([columns[3]![k], columns[4]![k]]).toEqual(["R7", "The amount asked for"]);
  });

  test.each([
    ["a feature that is none", { incomee: { code: "R1" } }, /no feature \\"incomee\\"/],
    [
      "a German text that tells nothing",
      { income: { code: "R1", text: "Unzureichende Bonität" } },
      /too vague/,
    ],
  ])("%s is refused", async (_, codes, part) => {
    const answer = await cola("explain", ...table, ...boosted, "--rows", "1", ...quiet, ...reasons(codes));
    expect(answer.code).toBe(2);
    expect(answer.out).toMatch(part);
  });
});

test("a model file is named in the language of the text", async () => {
  const words = ["explain", ...table, ...boosted, "--rows", "1", "--out", at("de"), "--formats", "csv"];
  expect((await cola(...words, "--locale", "de")).out).toContain("Modell aus xgboost.json");
});

test("an HTTP model gets level names, or the columns of the encoding", async () => {
  const seen: { columns: string[]; rows: unknown[][] }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as (typeof seen)[number];
    seen.push(body);
    response.end(JSON.stringify({ scores: body.rows.map((_, i) => (i % 2 === 0 ? 0.9 : 0.1)) }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const model = [
    "--model",
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    "--rows",
    "1",
    ...quiet,
  ];
  try {
    await cola("explain", ...table, ...model);
    expect(seen[0]!.columns).toContain("savings");
    expect(seen[0]!.rows[0]).toEqual([18, 23, 0, 4.6, 30, 0, "none", "own", "car", "little", true]);
    seen.length = 0;
    await cola("explain", ...table, ...model, "--encoding", "examples/parts/encoding.json");
    expect(seen[0]!.columns).toContain("housing_own");
    expect(seen[0]!.rows[0]!.every((cell) => typeof cell === "number")).toBe(true);
  } finally {
    server.close();
  }
});
