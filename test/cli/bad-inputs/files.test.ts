import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetMetadata } from "hyparquet";
import { expect } from "vitest";
import { readTable, writeTable } from "../../../formats/index.ts";
import { readCsv } from "../../../src/data/csv.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { stream } from "../../../src/num/random.ts";
import {
  answered,
  badInputs,
  call,
  csv,
  type Expected,
  explain,
  explainFile,
  file,
  good,
  json,
  place,
  type Row,
  refused,
} from "../../support/bad-inputs.ts";
import { cola } from "../../support/cli.ts";
import { lightgbmFile, lightgbmText } from "../../support/lightgbm-files.ts";
import { gemmFile, type NodeSpec, onnxFile, type TensorSpec } from "../../support/onnx-files.ts";
import { xgboostDocument, xgboostJson } from "../../support/xgboost-files.ts";
import { LIST } from "./list.ts";

const table = readCsv(good);
const parquet = writeTable(table, "parquet");
const arrow = writeTable(table, "arrow");
const zip = new TextEncoder().encode("PK\x03\x04\x14\0../../../etc/cron.d/evil");

/** A table for the models of four columns f0 … f3. */
const four = csv(
  ["f0", "f1", "f2", "f3"],
  ...Array.from({ length: 30 }, (_, i) => [
    (i % 9) / 2 - 2,
    i % 7,
    ((i * 5) % 9) / 2 - 2,
    ((i * 2) % 9) / 2 - 2,
  ]),
);
const scored = (content: string | Uint8Array, name: string, ...rest: string[]): string[] =>
  explainFile(file(four), "--model", file(content, name), ...rest);
const explained: Expected = (answer) => {
  expect([0, 1], answer.out.slice(0, 300)).toContain(answer.code);
  const { rows } = JSON.parse(answer.out) as Explanation;
  expect(rows.length).toBe(2);
  for (const row of rows) expect(row.before).toBeLessThan(0.5);
};

const xgboost = (spec: Parameters<typeof xgboostDocument>[1] = {}) => xgboostDocument(stream(1), spec);
const leafVectors = (): string => {
  const document = xgboost();
  const trees = (
    document.learner.gradient_booster as { model: { trees: { tree_param: Record<string, string> }[] } }
  ).model.trees;
  for (const tree of trees) tree.tree_param["size_leaf_vector"] = "2";
  return xgboostJson(document);
};
const onnx = (node: NodeSpec, tensors: readonly TensorSpec[] = []): Uint8Array =>
  onnxFile({
    inputs: [{ name: "X", type: 1, shape: ["N", 4] }],
    outputs: [{ name: "Y", type: 1, shape: ["N", 4] }],
    nodes: [node],
    tensors,
  });

/** The Parquet file with another number of rows in its footer. */
function lying(rows: number): Uint8Array {
  const size = new DataView(parquet.buffer).getUint32(parquet.length - 8, true);
  const start = parquet.length - 8 - size;
  for (let at = start; at < parquet.length - 8; at++) {
    if (parquet[at] !== 2 * table.rows) continue;
    const number: number[] = [];
    for (let rest = 2 * rows; ; rest = Math.floor(rest / 128)) {
      number.push(rest < 128 ? rest : (rest % 128) + 128);
      if (rest < 128) break;
    }
    const made = Buffer.concat([parquet.subarray(0, at), Uint8Array.from(number), parquet.subarray(at + 1)]);
    made.writeUInt32LE(size + number.length - 1, made.length - 8);
    const copy = new Uint8Array(made);
    try {
      if (Number(parquetMetadata(copy.buffer).num_rows) === rows) return copy;
    } catch {
      // Another number that happened to be the same byte.
    }
  }
  throw new Error("the footer has no such number");
}
const footerOf = (length: number): Uint8Array => {
  const made = parquet.slice();
  new DataView(made.buffer).setUint32(made.length - 8, length, true);
  return made;
};

const link = (to: string): string => {
  const path = place("link.csv");
  symlinkSync(to, path);
  return path;
};
const pipe = (): string => {
  const path = place("pipe.csv");
  execFileSync("mkfifo", [path]);
  return path;
};
const folder = (): string => {
  const path = place("folder");
  mkdirSync(path);
  return path;
};
const readOnly = (): string => {
  const path = folder();
  chmodSync(path, 0o500);
  return path;
};
const into = (out: string): string[] => [
  ...explain(good).filter((word, k, all) => word !== "--out" && all[k - 1] !== "--out"),
  "--out",
  out,
];
const unwritable =
  (part: string | RegExp): Expected =>
  (answer) => {
    expect(JSON.parse(answer.out)).toMatchObject({
      error: { code: "FILE_UNWRITABLE", message: expect.stringMatching(part) },
    });
    expect(answer.code).toBe(2);
  };

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  ["6.1", "Parquet", () => call(() => readTable("t.parquet", parquet.slice(0, -20))), refused("TABLE_INVALID", "parquet")],
  ["6.1", "Arrow", () => call(() => readTable("t.arrow", arrow.slice(0, 100))), refused("TABLE_INVALID", "arrow")],
  ["6.1", "JSON lines", () => explainFile(file('{"a":1}\n{"a":', "t.jsonl")), refused("TABLE_INVALID", "line 2 is not JSON")],
  ["6.1", "CSV in a row", () => explain(good.slice(0, -5)), refused("TABLE_INVALID", "line 41 has 2 cells")],
  ["6.1", "XGBoost", () => scored(xgboostJson(xgboost()).slice(0, 400), "m.json"), refused("MODEL_FILE_INVALID", "not complete JSON")],
  ["6.1", "LightGBM", () => scored(lightgbmText(lightgbmFile(stream(3))).slice(0, 300), "m.txt"), refused("MODEL_FILE_INVALID", /m\.txt: /)],
  ["6.1", "ONNX", () => scored(gemmFile([1, 2, 3, 4], 0).slice(0, 40), "m.onnx"), refused("MODEL_FILE_INVALID", /m\.onnx: /)],
  [
    "6.1",
    "a model of ours",
    async () => {
      const path = place("m.json");
      await cola("train", "--data", file(good), "--label", "y", "--model-out", path);
      truncateSync(path, 200);
      return explainFile(file(good), "--model", path);
    },
    refused("MODEL_FILE_INVALID", "not complete JSON"),
  ],
  ["6.1", "a model of ours with its encoder spoiled", () => scored('{"type":"cola-model","version":1,"model":{},"encoder":{}}', "m.json"), refused("MODEL_FILE_INVALID", /names/)],
  ["6.1", "schema", () => explain(good, "--schema", file('{"features":[', "s.json")), refused("OPTION_INVALID", "schema file is not JSON")],
  ["6.1", "explanation", () => ["report", json({ schemaVersion: 1, rows: [{}] }), "--out", place("out"), "--json"], refused("OPTION_INVALID", /explanation is damaged.*cola explain/)],
  ["6.1", "no explanation", () => ["report", json({ rows: 3 }), "--out", place("out"), "--json"], refused("OPTION_INVALID", "not an explanation of version 1")],
  ["6.1", "schema without features", () => explain(good, "--schema", json({ features: [null] })), refused("OPTION_INVALID", /features\[0\] must be an object/)],
  ["6.1", "encoding", () => scored(gemmFile([1], 0), "m.onnx", "--encoding", json({ inputs: [{}] })), refused("OPTION_INVALID", /inputs\[0\] lacks feature/)],
  ["6.2", "CSV called .parquet", () => explainFile(file(good, "t.parquet")), refused("TABLE_INVALID", "the name says Parquet")],
  ["6.2", "CSV called .json", () => explainFile(file(good, "t.json")), refused("TABLE_INVALID", "line 1 is not JSON")],
  ["6.2", "Parquet called .csv is read", () => explainFile(file(parquet, "t.csv"), "--label", "y"), answered(0)],
  ["6.2", "a spreadsheet called .csv", () => explain(zip), refused("TABLE_INVALID", "spreadsheet")],
  ["6.2", "gzip called .csv", () => explain(gzipSync(good)), refused("TABLE_INVALID", "gzip")],
  ["6.2", "latin-1", () => explain(Uint8Array.of(97, 233, 10)), refused("TABLE_INVALID", "not utf-8")],
  ["6.2", "a table as a model", () => explain(good, "--model", file(good, "m.txt")), refused("MODEL_FILE_UNSUPPORTED", /begins with "a,b,y/)],
  ["6.2", "a pickle called .json", () => explain(good, "--model", file(Uint8Array.of(0x80, 4, 0x95), "m.json")), refused("MODEL_FILE_UNSUPPORTED", /pickle.*can run any code/)],
  ["6.2", "XGBoost called .onnx is read", () => scored(xgboostJson(xgboost()), "m.onnx"), explained],
  ["6.3", "Parquet", () => explainFile(file(`PARE${"x".repeat(40)}PARE`, "t.parquet")), refused("TABLE_INVALID", "encrypted Parquet")],
  ["6.3", "a spreadsheet", () => explainFile(file(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), "t.xlsx")), refused("TABLE_INVALID", "encrypted spreadsheet")],
  ["6.3", "bytes that look random", () => explainFile(file(Uint8Array.from({ length: 500 }, (_, i) => (i * 167 + 91) % 256), "t.csv")), refused("TABLE_INVALID", /utf-8|NUL/)],
  ["6.4", "as a table", () => explainFile(file(zip, "t.zip")), refused("TABLE_INVALID", "zip")],
  ["6.4", "as a model", () => explain(good, "--model", file(zip, "m.zip")), refused("MODEL_FILE_UNSUPPORTED", "zip archive")],
  ["6.5", "to a file is followed", () => explainFile(link(file(good)), "--label", "y"), answered(0)],
  ["6.5", "to nothing", () => explainFile(link(place("nothing"))), refused("FILE_UNREADABLE", "no such file")],
  ["6.5", "to itself", () => { const path = place("loop.csv"); symlinkSync(path, path); return explainFile(path); }, refused("FILE_UNREADABLE", "ELOOP")],
  ["6.5", "to a device", () => explainFile(link("/dev/zero")), refused("FILE_UNREADABLE", "not a regular file")],
  [
    "6.5",
    "in the way of an output is replaced, not followed",
    () => {
      const out = folder();
      symlinkSync(file("mine", "precious.txt"), join(out, "x.csv"));
      return into(out);
    },
    answered(0, (_, out) => {
      expect(lstatSync(join(out, "x.csv")).isFile()).toBe(true);
      const precious = readdirSync(dirname(out)).filter((name) => name.endsWith("precious.txt"));
      for (const name of precious) expect(readFileSync(join(dirname(out), name), "utf8")).toBe("mine");
      expect(precious.length).toBe(1);
    }),
  ],
  ["6.6", "as data", () => explainFile("/dev/zero"), refused("FILE_UNREADABLE", "not a regular file; name a file")],
  ["6.6", "as a model", () => explain(good, "--model", "/dev/zero"), refused("FILE_UNREADABLE", "not a regular file")],
  ["6.6", "as constraints", () => explain(good, "--constraints", "/dev/zero"), refused("FILE_UNREADABLE", "not a regular file")],
  ["6.6", "a pipe as data", () => explainFile(pipe()), refused("FILE_UNREADABLE", /is a pipe.*--data -/)],
  ["6.6", "a pipe as a model", () => explain(good, "--model", pipe()), refused("FILE_UNREADABLE", "not a regular file")],
  ["6.7", "as data", () => explainFile(folder()), refused("FILE_UNREADABLE", "is a folder; name a file")],
  ["6.7", "as a model", () => explain(good, "--model", folder()), refused("FILE_UNREADABLE", "is a folder")],
  [
    "6.7",
    "as counterfactuals",
    () => [
      "refine",
      "--data",
      file(good),
      "--model",
      "tree",
      "--label",
      "y",
      "--counterfactuals",
      folder(),
      "--out",
      place("out"),
      "--json",
    ],
    refused("FILE_UNREADABLE", "is a folder"),
  ],
  ["6.7", "as a schema", () => explain(good, "--schema", folder()), refused("FILE_UNREADABLE", "is a folder")],
  ["6.8", "below a file, before any work", () => into(join(file("x", "taken"), "out")), unwritable("is a file, not a folder")],
  ["6.8", "where no folder can be made", () => into("/proc/cola-out"), unwritable("cannot be written")],
  ["6.8", "a device", () => into("/dev/null"), unwritable("is a file, not a folder")],
  ...(process.getuid?.() === 0
    ? []
    : [
        [
          "6.8",
          "a folder without the right to write",
          () => into(readOnly()),
          unwritable("EACCES"),
        ] satisfies Row,
      ]),
  [
    "6.9",
    "is replaced whole, and other files stay",
    () => {
      const out = folder();
      writeFileSync(join(out, "x.csv"), "old".repeat(10_000));
      writeFileSync(join(out, "notes.txt"), "mine");
      return into(out);
    },
    answered(0, (_, out) => {
      expect(readFileSync(join(out, "x.csv"), "utf8")).not.toContain("old");
      expect(readFileSync(join(out, "notes.txt"), "utf8")).toBe("mine");
      expect(readdirSync(out).sort()).toEqual([
        "edits.csv",
        "explanation.json",
        "notes.txt",
        "q.csv",
        "reasons.csv",
        "x.csv",
        "z.csv",
      ]);
    }),
  ],
  ["6.9", "a folder where a file should be", () => { const out = folder(); mkdirSync(join(out, "x.csv")); return into(out); }, unwritable("x.csv")],
  ["6.10", "of one's own is a path like others", () => { const path = file(good); const at = folder(); return explainFile(join(at, "..", path.slice(dirname(path).length + 1)), "--label", "y"); }, answered(0)],
  [
    "6.10",
    "in a model file is refused",
    () =>
      scored(
        onnx({ op: "Add", inputs: ["X", "W"], outputs: ["Y"] }, [
          { name: "W", shape: [4], external: "../../etc/passwd" },
        ]),
        "m.onnx",
      ),
    refused("MODEL_FILE_UNSUPPORTED", /external|outside/),
  ],
  ["6.11", "is not decoded", () => explainFile(join(folder(), "%2e%2e", "table.csv")), refused("FILE_UNREADABLE", "no such file")],
  ["6.12", "is a letter of a name", () => explainFile(file(good, "a\\..\\b.csv"), "--label", "y"), answered(process.platform === "win32" ? 2 : 0)],
  ["6.13", "is not a file here", () => explainFile("\\\\server\\share\\table.csv"), refused("FILE_UNREADABLE", /cannot be opened/)],
  ["6.14", "as data", () => explainFile(`/${"x/".repeat(5000)}t.csv`), refused("FILE_UNREADABLE", /^.{20,700}$/)],
  ["6.14", "as one name", () => explainFile(place("x".repeat(300))), refused("FILE_UNREADABLE", "ENAMETOOLONG")],
  ["6.14", "as a model", () => explain(good, "--model", `/${"x/".repeat(5000)}`), refused("NAME_UNKNOWN", /^.{20,700}$/)],
  ["6.14", "as output", () => into(place("x".repeat(300))), unwritable("ENAMETOOLONG")],
  ["6.15", "more rows than there are", () => call(() => readTable("t.parquet", lying(63))), refused("TABLE_INVALID", /63|parquet/)],
  ["6.15", "more rows than may be", () => call(() => readTable("t.parquet", lying(1e9))), refused("SIZE_LIMIT", /footer declares 1000000000 rows/)],
  ["6.15", "fewer rows than there are", () => call(() => readTable("t.parquet", lying(3))), refused("TABLE_INVALID", /3 rows/)],
  ["6.15", "a footer longer than the file", () => call(() => readTable("t.parquet", footerOf(0xffffffff))), refused("TABLE_INVALID", "parquet")],
  ["6.15", "no footer", () => call(() => readTable("t.parquet", footerOf(0))), refused("TABLE_INVALID", "parquet")],
  ["6.16", "Loop", () => scored(onnx({ op: "Loop", inputs: ["X"], outputs: ["Y"] }), "m.onnx"), refused("MODEL_FILE_UNSUPPORTED", /uses Loop, whose running time/)],
  ["6.16", "Scan", () => scored(onnx({ op: "Scan", inputs: ["X"], outputs: ["Y"] }), "m.onnx"), refused("MODEL_FILE_UNSUPPORTED", /uses Scan/)],
  ["6.17", "declared", () => scored(onnx({ op: "Add", inputs: ["X", "W"], outputs: ["Y"] }, [{ name: "W", shape: [100_000, 100_000] }]), "m.onnx"), refused("MODEL_FILE_INVALID", /100000 × 100000/)],
  ["6.17", "the limit lowered", () => scored(gemmFile([1, 2, 3, 4], 0), "m.onnx", "--max-elements", "3"), refused("MODEL_FILE_INVALID", /limit of 3 elements/)],
  ["6.17", "too many operators", () => scored(gemmFile([1, 2, 3, 4], 0), "m.onnx", "--max-nodes", "1"), refused("MODEL_FILE_INVALID", /--max-nodes = 1/)],
  ["6.17", "the limit of bytes lowered", () => scored(xgboostJson(xgboost()), "m.json", "--max-bytes", "2000"), refused("SIZE_LIMIT", /more than the limit of 2000/)],
  [
    "6.17",
    "a file beyond its limit, before it is read",
    () => {
      const path = file(gemmFile([1, 2, 3, 4], 0), "m.onnx");
      truncateSync(path, 2 ** 29);
      return explainFile(file(four), "--model", path);
    },
    refused("SIZE_LIMIT", /536870912 bytes, more than .*268435456/),
  ],
  ["6.18", "", () => scored(onnx({ op: "Teleport", inputs: ["X"], outputs: ["Y"] }), "m.onnx"), refused("MODEL_FILE_INVALID", "Teleport")],
  ["6.19", "", () => scored(onnx({ op: "Relu", domain: "com.evil", inputs: ["X"], outputs: ["Y"] }), "m.onnx"), refused("MODEL_FILE_UNSUPPORTED", /Relu of the domain "com\.evil"/)],
  [
    "6.20",
    "one tree per target: each is an output",
    () =>
      scored(
        xgboostJson(xgboost({ objective: "reg:squarederror", groups: 2 })),
        "m.json",
        "--target",
        "score <= -5",
      ),
    answered(1, (e) => expect(e.outputs.length).toBe(2)),
  ],
  ["6.20", "trees with vectors in their leaves", () => scored(leafVectors(), "m.json"), refused("MODEL_FILE_UNSUPPORTED", /vector|multi/)],
  ["6.21", "is read", () => scored(xgboostJson(xgboost({ dart: true })), "m.json"), explained],
  ["6.22", "are read", () => scored(xgboostJson(xgboost({ categorical: [1] })), "m.json"), explained],
  ["6.23", "", () => scored(lightgbmText(lightgbmFile(stream(3))).replaceAll("is_linear=0", "is_linear=1"), "m.txt"), refused("MODEL_FILE_UNSUPPORTED", /linear_tree=true.*linear_tree=false/)],
];

badInputs("6 files", LIST.files, ROWS);
