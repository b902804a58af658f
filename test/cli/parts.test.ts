import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loanSchema } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Schema } from "../../src/types.ts";
import { cola } from "../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-parts-"));
afterAll(() => rmSync(folder, { recursive: true }));
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
      expect(row.proof).toMatchObject({ scope: "references", references: [2 * i, 2 * i + 1] });
    });
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
