import { readArrow } from "../../formats/arrow.ts";
import { runtimeOf } from "../../node/model/onnx.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { noteSentence } from "../../show/sentences.ts";
import type { EncodingSpec } from "../../src/data/binding.ts";
import { columnsRead } from "../../src/data/input-levels.ts";
import type { Note } from "../../src/data/notes.ts";
import type { OneHotGroup } from "../../src/data/one-hot.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { ColaError } from "../../src/errors.ts";
import { toolSource } from "../../src/generate/given/tool.ts";
import type { CalibrationTable } from "../../src/model/calibrate.ts";
import { parseJson } from "../../src/read/json-limits.ts";
import type { Feature, Kind, Model, Schema, Table, WorkOptions } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { givenOf } from "../../study/given.ts";
import { modelOf, readBy, readModelSource } from "../../study/model.ts";
import { type Given, only } from "../../study/options.ts";
import type { Data, DataParts, ModelSource, Own } from "../../study/parts.ts";
import { constraintsShape, encodingShape, type Shape, schemaShape } from "../../study/shapes.ts";
import { type Study, studyOf } from "../../study/study.ts";
import { type AskModel, askedSource } from "./asked.ts";
import type { Frame } from "./frames.ts";

/** A table with its meaning and what that was read from, and a study of it once a model is given. */
export interface Opened {
  readonly data: Data;
  readonly parts: DataParts;
  readonly options: Given;
  readonly study?: Study;
}

/** What is told of a table that was opened. */
interface ToldData {
  readonly schema: Schema;
  /** Indicator columns that became one feature. */
  readonly groups: readonly OneHotGroup[];
  readonly notes: readonly string[];
}

/** A table of the frame: Arrow, with texts that are what they are. */
export function tablePart({ parts = {}, type }: Frame, name: string): Table {
  return readArrow(partOf({ parts, type }, name), { missing: [] });
}

export function partOf({ parts = {}, type }: Frame, name: string): Uint8Array {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part) return part;
  throw new ColaError(
    "BRIDGE_INVALID",
    `bridge: the message ${JSON.stringify(type)} lacks the part ${name}.`,
  );
}

/** Options about the cells of table files. */
const TABLE_FILES = ["missing", "decimalComma", "dateParts"] as const;

/** The table of an `open` message with its meaning; what the rows and counterfactuals beside it have are levels too. */
export function openTable(frame: Frame): Opened {
  const { constraints, schema, kinds, source = "the rows of the caller" } = frame;
  const options = givenOf("bridge", frame["options"] ?? {});
  const beside = frame.parts?.["rows"] ? tablePart(frame, "rows") : undefined;
  const own = frame.parts?.["counterfactuals"] ? ownPart(frame) : undefined;
  const told = TABLE_FILES.find((name) => options[name] !== undefined);
  if (told)
    throw new ColaError(
      "OPTION_INVALID",
      `bridge: options.${told} says how a table file is read, and tables come as Arrow here; send the cells as they are meant, and leave the option out.`,
      { option: told },
    );
  const parts: DataParts = {
    table: { source: String(source), table: tablePart(frame, "table") },
    inputs: "all",
    ...(beside ? { beside } : {}),
    ...(own ? { own } : {}),
    ...(kinds ? { kinds: kinds as Readonly<Record<string, Kind>> } : {}),
    ...(schema ? { schema: shaped<Schema>(schema, "schema", schemaShape) } : {}),
    ...(constraints ? { constraints: shaped<Overlay>(constraints, "constraints", constraintsShape) } : {}),
    options,
  };
  return { data: dataOf(parts), parts, options };
}

/** Counterfactuals of a frame: with the format `json` what DiCE or Alibi wrote, else a table. */
export function ownPart(frame: Frame): Own {
  const name = "the counterfactuals of the caller";
  if (frame["format"] !== "json") return { name, table: tablePart(frame, "counterfactuals") };
  const text = new TextDecoder().decode(partOf(frame, "counterfactuals"));
  const source = text.startsWith("[")
    ? { format: "alibi" as const, explanations: explanationsOf(text) }
    : toolSource(text);
  if (source) return { name, source };
  throw new ColaError(
    "TABLE_INVALID",
    `${name}: this JSON is neither of DiCE nor of Alibi; give a table instead.`,
  );
}

/** One explanation of Alibi for each row. */
function explanationsOf(text: string): string[] {
  const list = parseJson("bridge", text);
  return (list as readonly unknown[]).map((one) => JSON.stringify(one));
}

export const toldData = ({ data: { schema, groups, notes }, options }: Opened): ToldData => ({
  schema,
  groups,
  notes: sentences(notes, options),
});

/** Notes in the language of the options. */
export function sentences(notes: readonly Note[], { locale = "en" }: Given): string[] {
  return notes.map((note) => noteSentence(note, localeNamed(locale)));
}

/** The study with the model of a `model` message: a file or structure in its parts, or one the other side answers for. */
export async function withModel(
  before: Opened,
  frame: Frame,
  ask: AskModel,
  work: WorkOptions,
): Promise<{
  readonly opened: Opened;
  readonly columns: readonly Feature[];
  /** What the table means to this model beyond what was told of it. */
  readonly notes: readonly string[];
}> {
  const { options } = before;
  const { file, outputs, calibration } = frame;
  const encoding = frame["encoding"]
    ? shaped<EncodingSpec>(frame["encoding"], "encoding", encodingShape)
    : undefined;
  const asked =
    file === undefined ? askedSource(outputsOf(outputs), [frame["identity"] ?? null], ask) : undefined;
  const source: ModelSource = asked ?? (await fileSource(frame, String(file), outputs));
  const data = readFor(before, source, encoding);
  const model = await modelOf(
    {
      model: source,
      ...(encoding ? { encoding } : {}),
      ...(calibration ? { calibration: calibration as CalibrationTable } : {}),
      ...only(options, "seed", "retrain", "judges"),
    },
    data,
    work,
  );
  return {
    opened: { ...before, study: studyOf(data, model, options) },
    columns: asked?.columns() ?? [],
    notes: sentences(
      data.notes.filter(({ code }) => data !== before.data && code === "unread"),
      options,
    ),
  };
}

/** The table as a model reads it: what no input is named after is frozen, as at every door. */
function readFor({ data, parts }: Opened, source: ModelSource, encoding?: EncodingSpec): Data {
  const { inputs } = readBy(source, encoding);
  if (inputs === undefined || inputs === "all") return data;
  const names = data.schema.features.map(({ name }) => name);
  const read = columnsRead(inputs, names);
  return names.every((name) => read.has(name)) ? data : dataOf({ ...parts, read: inputs });
}

function fileSource(frame: Frame, file: string, outputs: unknown): Promise<ModelSource> {
  const runtime = () => runtimeOf();
  const named = outputs === undefined ? {} : { outputs: outputsOf(outputs) };
  return readModelSource(file, partOf(frame, "model"), { runtime, ...named });
}

function outputsOf(outputs: unknown): readonly string[] {
  const fits =
    Array.isArray(outputs) && outputs.length > 0 && outputs.every((name) => typeof name === "string");
  if (fits) return outputs as string[];
  throw new ColaError(
    "BRIDGE_INVALID",
    "bridge: outputs must be a list of the names of the model's outputs, at least one.",
  );
}

function shaped<T>(value: unknown, what: string, shape: Shape): T {
  const problem = shape(value, what);
  if (problem) throw new ColaError("OPTION_INVALID", `bridge: ${problem}.`);
  return value as T;
}

/** What an output of a model is to exact algorithms: `trees`, `linear`, or nothing for a black box. */
export function structureOf({ encoding, structure }: Model): string | null {
  const inner = encoding?.model.structure ? encoding.model.structure(0) : structure?.(0);
  return inner?.kind ?? null;
}
