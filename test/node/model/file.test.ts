import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type ReadModelOptions, readModelFile } from "../../../node/model/file.ts";
import { type ColaError, isColaError } from "../../../src/errors.ts";
import { stream } from "../../../src/num/random.ts";
import { readXgboost } from "../../../src/read/xgboost.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { lightgbmFile, lightgbmRows, lightgbmText } from "../../support/lightgbm-files.ts";
import { gemmFile } from "../../support/onnx-files.ts";
import { encodeUbjson, xgboostDocument, xgboostJson, xgboostRows } from "../../support/xgboost-files.ts";

const folder = temporaryFolder();
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const failure = async (path: string, options?: ReadModelOptions): Promise<ColaError> => {
  try {
    await readModelFile(path, options);
  } catch (error) {
    if (isColaError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

const xgboost = xgboostDocument(stream(1), { categorical: [1] });
const rows = xgboostRows(stream(2), 20, 4, [1]);
const margins = readXgboost(xgboostJson(xgboost)).margin!(rows);

describe("formats are told by their content, whatever the name", () => {
  test("XGBoost JSON and UBJSON", async () => {
    const json = await readModelFile(file("a.model", xgboostJson(xgboost)));
    const ubj = await readModelFile(file("b.model", encodeUbjson(xgboost)), {
      outputs: ["no", "yes"],
      iterations: 2,
    });
    expect(json.margin!(rows)).toEqual(margins);
    expect(ubj.outputs).toEqual(["no", "yes"]);
    expect(ubj.structure!(1)).toMatchObject({ roots: { length: 2 } });
  });

  test("LightGBM", async () => {
    const model = await readModelFile(file("c.model", lightgbmText(lightgbmFile(stream(3)))));
    expect((await model.predict(lightgbmRows(stream(4), 5, 4))).length).toBe(5);
  });

  test("ONNX", async () => {
    const model = await readModelFile(file("d.model", gemmFile([1, 2], 0)));
    expect(model.outputs).toEqual(["score"]);
  });

  test("a model saved with toJSON", async () => {
    const model = await readModelFile(file("e.json", JSON.stringify(readXgboost(xgboostJson(xgboost)))));
    expect(model.margin!(rows)).toEqual(margins);
  });
});

describe("what is refused", () => {
  const pickle = (protocol: number): Uint8Array => Uint8Array.of(0x80, protocol, 0x95, 0, 0);
  test.each<[string, Uint8Array | string, RegExp]>([
    ["pickle protocol 2", pickle(2), /pickle.*never opened.*save_model/],
    ["pickle protocol 5", pickle(5), /pickle/],
    ["pickle protocol 0", "csklearn.linear_model\nLogisticRegression\n", /pickle/],
    ["joblib, zlib", deflateSync("x"), /compressed joblib/],
    ["joblib, gzip", gzipSync("x"), /compressed joblib/],
    ["joblib, bzip2", "BZh91AY", /compressed joblib/],
    ["joblib, xz", Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), /compressed joblib/],
    ["PyTorch", "PK\u0003\u0004archive/data.pkl", /PyTorch/],
    ["a zip archive", "PK\u0003\u0004model.json", /zip archive/],
    ["Keras", Uint8Array.of(0x89, 0x48, 0x44, 0x46), /HDF5/],
    ["CatBoost", "CBM1....", /CatBoost/],
    ["PMML", '<?xml version="1.0"?><PMML/>', /PMML/],
    ["NumPy", Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59), /NumPy/],
    ["the old XGBoost format", "binf0000", /old binary format.*save_model/],
    ["LightGBM's JSON dump", '{"name":"tree","tree_info":[]}', /dump_model/],
    ["XGBoost's JSON dump", '[{"nodeid":0}]', /dump_model/],
    ["something else", "a,b,c\n1,2,3\n", /not a format known here.*commandModel/],
  ])("%s", async (name, content, message) => {
    const error = await failure(file(`${name.replaceAll(/\W/g, "")}.pkl`, content));
    expect(error.code).toBe("MODEL_FILE_UNSUPPORTED");
    expect(error.message).toMatch(message);
  });

  test("files that are not there, folders, pipes, empty and too large ones", async () => {
    expect((await failure(join(folder, "nothing"))).message).toMatch(/cannot be opened/);
    mkdirSync(join(folder, "folder"));
    expect((await failure(join(folder, "folder"))).code).toBe("MODEL_FILE_INVALID");
    expect((await failure(file("empty", ""))).message).toMatch(/empty/);
    expect((await failure(file("large", "tree\n"), { maxBytes: 2 })).code).toBe("SIZE_LIMIT");
    if (process.platform === "win32") return;
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect((await failure(join(folder, "pipe"))).message).toMatch(/a folder or a device/);
  });

  test("JSON that is not a model is MODEL_FILE_INVALID", async () => {
    expect((await failure(file("x.json", '{"a":1}'))).code).toBe("MODEL_FILE_INVALID");
  });
});
