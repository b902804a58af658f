import { readTable, type TableFormat } from "../../formats/index.ts";
import { runtimeOf } from "../../node/model/onnx.ts";
import { type Blobs, type Ref, sha256 } from "../../node/store/blobs.ts";
import { sweepMemory } from "../../node/sweep-memory.ts";
import { decodeText } from "../../src/data/csv.ts";
import { inferSchema } from "../../src/data/infer.ts";
import { collapseOneHot } from "../../src/data/one-hot.ts";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { countGiven } from "../../src/generate/given/count.ts";
import { toolSource } from "../../src/generate/given/tool.ts";
import { readModel } from "../../src/read/model-file.ts";
import type { ServerLimits } from "../config.ts";

/** A file that was read once and found good. */
export interface Inspected {
  readonly ref: Ref;
  readonly bytes: number;
  readonly about: Readonly<Record<string, unknown>>;
}

/** A file of rows as it came: how its sender calls it, and its media type. */
export interface Uploaded {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

type Sizes = Pick<ServerLimits, "rows" | "columns">;

const FORMATS: Readonly<Record<string, TableFormat>> = {
  "text/csv": "csv",
  "text/tab-separated-values": "tsv",
  "application/x-ndjson": "jsonl",
  "application/vnd.apache.parquet": "parquet",
  "application/vnd.apache.arrow.file": "arrow",
};

function formatOf(type: string, bytes: Uint8Array): TableFormat {
  const named = FORMATS[type.split(";")[0]!.trim().toLowerCase()];
  const magic = Buffer.from(bytes.subarray(0, 6)).toString("latin1");
  if (magic.startsWith("PAR1")) return "parquet";
  if (magic === "ARROW1") return "arrow";
  return named ?? (/^\s*[[{]/.test(magic) ? "jsonl" : "csv");
}

/** Reads a table, infers its schema, keeps the file. */
export async function inspectData(
  blobs: Blobs,
  limits: Sizes,
  { name, bytes, type }: Uploaded,
): Promise<Inspected> {
  const format = formatOf(type, bytes);
  const options = { format, maxRows: limits.rows, maxColumns: limits.columns };
  const read = await readTable(name, bytes, options);
  sweepMemory(read.rows * read.columns.length);
  const { table } = collapseOneHot(read);
  const about = { format, rows: table.rows, columns: table.names, ...guess(() => inferSchema(table)) };
  return { ref: await blobs.put(bytes, format), bytes: bytes.length, about };
}

/** The schema, or why there is none yet: a label or kinds given later may still make one. */
function guess(infer: () => ReturnType<typeof inferSchema>): Readonly<Record<string, unknown>> {
  try {
    const { schema, notes } = infer();
    return { schema, notes: notes.map(String) };
  } catch (error) {
    if (!isColaError(error)) throw error;
    return { schema: null, notes: [messageOf(error)] };
  }
}

/** Reads counterfactuals of one's own, a table or the JSON of DiCE or Alibi, and keeps the file. */
export async function inspectCounterfactuals(
  blobs: Blobs,
  limits: Sizes,
  upload: Uploaded,
): Promise<Inspected> {
  const { name, bytes, type } = upload;
  const json =
    FORMATS[type.split(";")[0]!.trim().toLowerCase()] === undefined && formatOf(type, bytes) === "jsonl";
  const source = json ? toolSource(decodeText(bytes, name)) : undefined;
  if (!source) return inspectData(blobs, limits, upload);
  const rows = countGiven(source);
  if (rows > limits.rows)
    throw new ColaError(
      "SIZE_LIMIT",
      `counterfactuals: ${rows} rows are more than ${limits.rows}; split the file.`,
      { rows, limit: limits.rows },
    );
  return { ref: await blobs.put(bytes, "json"), bytes: bytes.length, about: { format: source.format, rows } };
}

/** Reads a model by its content, keeps the file; pickles and other code are refused by the reader. */
export async function inspectModel(blobs: Blobs, bytes: Uint8Array): Promise<Inspected> {
  const kind = "model";
  const known = await blobs.has(`${sha256(bytes)}.${kind}`);
  const ref = await blobs.put(bytes, kind);
  try {
    const { model } = await readModel("model", bytes, { runtime: () => runtimeOf() });
    const about = { outputs: model.outputs, inputs: model.inputs ?? null };
    return { ref, bytes: bytes.length, about };
  } catch (error) {
    if (!known) await blobs.remove(ref);
    throw error;
  }
}
