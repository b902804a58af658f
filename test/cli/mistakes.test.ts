import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);

const LOANS = readFileSync("examples/parts/loans.csv", "utf8").replaceAll("\r", "");
const lines = LOANS.trim().split("\n");
const header = lines[0]!;
const replaced = (row: number, from: string | RegExp, to: string): string =>
  lines.map((line, i) => (i === row ? line.replace(from, to) : line)).join("\n");
const xgboost = readFileSync("examples/parts/xgboost.json", "utf8");

put("loans.csv", LOANS);
put("empty.csv", "");
put("header.csv", `${header}\n`);
put("ragged.csv", `${header}\n${lines[1]},7\n`);
put("joined.csv", LOANS + LOANS);
put("twice.csv", `${header.replace("debt", "income")}\n${lines[1]}\n`);
put("quote.csv", `${header}\n"${lines[1]}\n`);
put("latin.csv", Buffer.from("name,a\nM\u00fcller,1\n", "latin1"));
put("infinite.csv", replaced(2, /^(A\d+),[^,]*/, "$1,inf"));
put("text.csv", replaced(2, /^(A\d+),[^,]*/, "$1,about 40"));
put("renamed.csv", LOANS.replace("income", "Incomes"));
put("longer.csv", LOANS.replace("duration", "duration_months"));
put("dated.csv", `since,${LOANS.replaceAll("\n", "\n2020-01-02,").replace(/2020-01-02,$/, "")}`);
put("euro.csv", LOANS.replace("duration", "rate (€)"));
put("lacking.csv", lines.map((line) => line.split(",").slice(0, 3).join(",")).join("\n"));
put("gaps.csv", `income,granted\n1,yes\n2,\n3,no\n`);
put("one-class.csv", `income,granted\n1,yes\n2,yes\n`);
put("every-class.csv", `income,granted\n${Array.from({ length: 150 }, (_, i) => `${i},c${i}`).join("\n")}\n`);
put("commented.csv", `# loans of March\n${LOANS}`);
put("titled.csv", `Loans of March${",".repeat(11)}\n${LOANS}`);
put("headless.csv", lines.slice(1).join("\n"));
put("page.csv", "<html><body><table><tr><td>1</td></tr></table></body></html>");
put("columns.json", JSON.stringify({ income: { 0: 1, 1: 2 }, debt: { 0: 3, 1: 4 } }));
put("flags.csv", replaced(3, /(true|false)$/, "2"));
put(
  "numbered.csv",
  LOANS.replace(/,guarantor\n/, ",guarantor,good\n")
    .replace(/(true|false)$/gm, "$1,1.0")
    .replace("1.0", "0.0"),
);
put("book.xlsx", Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]));
put("rows.parquet", Buffer.from("PAR1 and nothing"));
put("model.pkl", Buffer.from([0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0]));
put("short.json", xgboost.slice(0, 4000));
put("model.txt", "tree\nversion=v4\n");
put("model.onnx", Buffer.from([8, 7, 18, 3, 1, 2, 3]));
put("schema.json", JSON.stringify({ features: [{ name: "income", kind: "number" }] }));
put(
  "calibration.json",
  JSON.stringify([
    [0, 0.5],
    [0.5, 0.2],
    [1, 0.9],
  ]),
);
put("spaced.csv", LOANS.replace("duration", "monthly rate"));
put("encoding.json", JSON.stringify({ inputs: [{ feature: "incme" }] }));
put("reasons.json", JSON.stringify({ income: { code: "R1", text: "Insufficient points" } }));
put("cf.csv", `${header}\nZ999,${lines[1]!.split(",").slice(1).join(",")}\n`);
put("notes.json", "{ not json");
mkdirSync(join(folder, "sub"));
const constraints = (name: string, content: unknown): void => put(`${name}.json`, JSON.stringify(content));
constraints("unknown", { features: { incme: { max: 60 } } });
constraints("level", { features: { housing: { allowed: ["owned"] } } });
constraints("ends", { features: { income: { min: 60, max: 20 } } });
constraints("key", { features: { income: { maximum: 60 } } });
constraints("number", { features: { income: { max: "60" } } });
constraints("way", { features: { income: { direction: "upwards" } } });
constraints("order", { features: { savings: { direction: "up" } } });
constraints("moves", { features: { housing: { transitions: { rent: ["owned"] } } } });
constraints("spaced", { rules: ["monthly rate <= 0.4 * income"] });
constraints("compared", { rules: ["housing == 1"] });
constraints("chain", { rules: ["0 <= debt <= 10"] });
constraints("open", { rules: ["(debt + amount < 3"] });
constraints("circle", { features: { income: { derived: "debt" }, debt: { derived: "income" } } });
put("doubled.json", '{ "features": { "income": { "max": 60 }, "income": { "min": 1 } } }');

const MODEL = "--model xgboost.json --outputs refused,granted --target granted";
put("xgboost.json", xgboost);
put("banner.mjs", 'console.log("loading …"); process.stdin.resume();\n');
put("broken.mjs", "process.exit(3);\n");
put("noid.mjs", "process.stdin.on('data', () => console.log('{\"scores\":[0.5]}'));\n");

/** What people type by mistake; every file lies in one folder. */
const MISTAKES: readonly string[] = [
  "explain --data loan.csv",
  "explain --data sub",
  "explain --data empty.csv",
  "explain --data header.csv",
  "explain --data ragged.csv",
  "explain --data twice.csv",
  "explain --data joined.csv",
  "explain --data quote.csv",
  "explain --data latin.csv",
  "explain --data book.xlsx",
  "explain --data rows.parquet",
  "explain --data commented.csv",
  "explain --data titled.csv",
  "explain --data headless.csv --label granted",
  "explain --data page.csv",
  "explain --data columns.json",
  `explain --data infinite.csv --id id ${MODEL}`,
  `explain --data text.csv --id id ${MODEL}`,
  `explain --data flags.csv --id id ${MODEL}`,
  `explain --data renamed.csv --id id ${MODEL}`,
  `explain --data longer.csv --id id ${MODEL}`,
  `explain --data lacking.csv --id id ${MODEL}`,
  "explain --data loans.csv",
  "explain --data loans.csv --label grantd",
  "explain --data gaps.csv --label granted",
  "explain --data one-class.csv --label granted",
  "explain --data every-class.csv --label granted",
  `explain --data loans.csv --id ID ${MODEL}`,
  `explain --data loans.csv --id id --exclude incme ${MODEL}`,
  `explain --data loans.csv --id id --exclude income ${MODEL}`,
  `explain --data loans.csv --id housing ${MODEL}`,
  "explain --data loans.csv --id id --model xgbost.json",
  "explain --data loans.csv --id id --model forrest --label housing",
  "explain --data loans.csv --id id --model model.pkl",
  "explain --data loans.csv --id id --model short.json",
  "explain --data loans.csv --id id --model model.txt",
  "explain --data loans.csv --id id --model model.onnx",
  "explain --data loans.csv --id id --model xgboost.json --outputs granted",
  "explain --data loans.csv --id id --model xgboost.json --target granted",
  "explain --data numbered.csv --label good --target 1",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target 0.8",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target score>=80%",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target score>=0,8",
  `explain --data loans.csv --id id ${MODEL} --where income<30_AND_debt<3`,
  `explain --data loans.csv --id id ${MODEL} --where housing_in_('rent')`,
  `explain --data loans.csv --id id ${MODEL} --where income_between_1_and_3`,
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target approved",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target Granted",
  "explain --data loans.csv --id id --label purpose --target not_Car",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target score>>0.5",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target score>=high",
  "explain --data loans.csv --id id --model xgboost.json --outputs refused,granted --target score_in_[0.9,0.1]",
  `explain --data loans.csv --id id ${MODEL} --encoding encoding.json`,
  `explain --data loans.csv --id id ${MODEL} --calibration calibration.json`,
  `explain --data loans.csv --id id ${MODEL} --schema schema.json`,
  `explain --data loans.csv --id id ${MODEL} --reasons reasons.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints constraint.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints notes.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints unknown.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints level.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints ends.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints key.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints number.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints way.json`,
  "explain --data spaced.csv --id id --label guarantor --constraints spaced.json",
  `explain --data loans.csv --id id ${MODEL} --constraints compared.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints chain.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints open.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints circle.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints doubled.json`,
  `explain --data loans.csv --id id ${MODEL} --freeze incme`,
  `explain --data loans.csv --id id ${MODEL} --freeze income --vary income`,
  `explain --data loans.csv --id id ${MODEL} --ids A999`,
  `explain --data loans.csv ${MODEL} --ids A101`,
  `explain --data loans.csv --id id ${MODEL} --where income<0`,
  `explain --data loans.csv --id id ${MODEL} --ids A103 --where income<30`,
  "explain --data dated.csv --label guarantor --where since<3",
  "explain --data spaced.csv --id id --label guarantor --where monthly_rate<3",
  "explain --data euro.csv --id id --label guarantor --where rate_(€)<3",
  `explain --data loans.csv --id id ${MODEL} --constraints moves.json`,
  `explain --data loans.csv --id id ${MODEL} --constraints order.json`,
  `explain --data loans.csv --id id ${MODEL} --where housing_==_rent`,
  `explain --data loans.csv --id id ${MODEL} --where income<30_&&_debt<3`,
  `explain --data loans.csv --id id ${MODEL} --where incme<30`,
  `explain --data loans.csv --id id ${MODEL} --where income=30`,
  `explain --data loans.csv --id id ${MODEL} --rows 0`,
  `explain --data loans.csv --id id ${MODEL} --rows ten`,
  `explain --data loans.csv --id id ${MODEL} --row 5`,
  `explain --data loans.csv --id id ${MODEL} --where`,
  "explain --data loans.csv --label --target car",
  "explain --data loans.csv --label purpose --target not car",
  `explain --data loans.csv --id id ${MODEL} --generator dice`,
  `explain --data loans.csv --id id ${MODEL} --formats pdf`,
  `explain --data loans.csv --id id ${MODEL} --locale fr`,
  `explain --data loans.csv --id id ${MODEL} --divergence w1`,
  `explain --data loans.csv --id id ${MODEL} --timeout 0`,
  `explain --data loans.csv --id id ${MODEL} --out loans.csv`,
  `explain --data loans.csv --dataset german --label y`,
  "explain --dataset german --data-dir sub",
  "explain --references loans.csv --label housing",
  "explain --sql selec_1",
  "explain --sql select_1_as_a_where_false",
  `refine --data loans.csv --id id --counterfactuals cf.csv ${MODEL}`,
  `refine --data loans.csv --id id ${MODEL}`,
  "explain --data loans.csv --id id --model http://127.0.0.1:59999 --model-retries 0",
  "explain --data loans.csv --id id --model command:node_banner.mjs",
  "explain --data loans.csv --id id --model command:node_broken.mjs --model-retries 0",
  "explain --data loans.csv --id id --model command:node_noid.mjs --model-retries 0",
  "explain --data loans.csv --id id --model command:no_such_program.mjs --model-retries 0",
  "train --data loans.csv --label housing",
  "train --data gaps.csv --model-out model.json",
  "report nowhere.json",
  "report loans.csv",
  "replay",
  "explane --data loans.csv",
];

/** An underscore in an odd word stands for a blank. */
const typed = (line: string): string[] =>
  line.split(" ").map((word) => {
    if (/^(score|select?|command:|monthly_|rate_|not_|income[<_]|housing_)/.test(word))
      return word.replaceAll("_", " ");
    return /^[\w-]+\.(csv|json|xlsx|parquet|pkl|txt|onnx)$|^sub$/.test(word) ? join(folder, word) : word;
  });

/** What tells people to do something: a verb that opens a clause, what was meant, or what may stand there. */
const VERBS = [
  ..."add bring choose close compare correct declare derive export fill fix freeze give join leave".split(
    " ",
  ),
  ..."list lower name put quote raise remove rename repeat run save say see send swap take train upgrade".split(
    " ",
  ),
  ..."use widen write".split(" "),
].join("|");
const REMEDY = new RegExp(
  `(^|[;:.(,] (?:or |and )?|\\b(?:or|and) )(${VERBS})\\b|did you mean |must (be|name|list) |Allowed choices are |needs --`,
  "i",
);
/** No verb, but the names there are, or the option that names the place, behind what is wrong. */
const LISTS = /; (the (features|columns) are|it may have|--data-dir or COLA_DATA names) /;

test("a sentence without a remedy is noticed", () => {
  for (const bare of [
    "missing required argument 'id'",
    'sql: the query failed: Parser Error: syntax error at or near "selec"',
    'rule "housing in (\'rent\')": "in" is unexpected (character 9).',
    "model.onnx: the file has no graph or no operator set: it is not an ONNX model; it is damaged or of another kind.",
  ])
    expect(bare).not.toMatch(REMEDY);
});

test("sixty mistakes and more: what happened, where, and what to do", async () => {
  expect(new Set(MISTAKES).size).toBeGreaterThanOrEqual(60);
  const table: string[] = ["| input | code | sentence |", "|---|---|---|"];
  const helpless: string[] = [];
  for (const line of MISTAKES) {
    const words = typed(line).map((word) => word.replace("node ", `node ${folder}/`));
    const rest = [
      "--json",
      ...(/^(explain|refine)/.test(line) && !/--out /.test(line) ? ["--out", join(folder, "out")] : []),
    ];
    const { code, out, err } = await cola(...words, ...rest);
    expect(code, line + out.slice(0, 300) + err).toBeGreaterThanOrEqual(1);
    const { error = { code: "NONE", message: `${code} ${err}` } } = JSON.parse(out) as {
      error?: { code: string; message: string };
    };
    const sentence = error.message
      .replaceAll(`${folder}/`, "")
      .replaceAll(folder, "")
      .replaceAll("|", "\\|")
      .replace(
        / \((Expected|Unexpected) .*?(is not valid JSON|position \d+( \(line \d+ column \d+\))?)\)/,
        " (…)",
      );
    if (!LISTS.test(sentence) && !REMEDY.test(sentence)) helpless.push(`${line}: ${sentence}`);
    expect(sentence, line).not.toMatch(/ENOENT|undefined|\[object|\bat .*:\d+/);
    const input = line.replace(MODEL, "…").replaceAll("|", "\\|");
    table.push(`| \`${input}\` | ${error.code} | ${sentence.replaceAll("\n", "<br>")} |`);
  }
  expect(helpless).toEqual([]);
  await expect(`${table.join("\n")}\n`).toMatchFileSnapshot("mistakes.md");
}, 240_000);
