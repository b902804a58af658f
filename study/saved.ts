import type { OneHotGroup } from "../src/data/one-hot.ts";
import { ColaError } from "../src/errors.ts";
import { Sha256 } from "../src/num/sha256.ts";
import { parseJson } from "../src/read/json-limits.ts";
import { loadModel } from "../src/read/load.ts";
import type { Cell, Schema, Table } from "../src/types.ts";
import { dataOf } from "./data.ts";
import { givenOf } from "./given.ts";
import { about, type Given, only } from "./options.ts";
import { schemaShape } from "./shapes.ts";
import { type Study, studyOf } from "./study.ts";

const STUDY = "cola-study";
const VERSION = 1;

/** A study as one file: everything but the rows that are asked about. */
interface SavedStudy {
  readonly type: typeof STUDY;
  readonly version: typeof VERSION;
  /** SHA-256 of everything below: a damaged file is not opened. */
  readonly digest: string;
  readonly source: string;
  /** With its constraints. */
  readonly schema: Schema;
  readonly groups: readonly OneHotGroup[];
  /** The rows to learn and borrow from. */
  readonly table: { readonly names: readonly string[]; readonly columns: readonly (readonly Cell[])[] };
  readonly options: Given;
  readonly model: { readonly title: string; readonly digest: string; readonly content: unknown };
}

/** The options that an answer depends on, beside what the table and the model have taken in. */
const SAID = [...about("goal", "method"), "generator", "seed", "id", "locale"] as const;

/** The study as a file; the model must be one that can be saved. */
export function savedStudy({ data, model, options }: Study): string {
  const content = model.model.toJSON?.();
  if (content === undefined) {
    throw new ColaError(
      "OPTION_INVALID",
      `study: the ${model.title} cannot be put into a file: it is asked, or an ONNX graph or a calibration is in the way; give an XGBoost, LightGBM, CatBoost or EBM file, or a classifier trained here.`,
    );
  }
  if (model.also || model.judges) {
    throw new ColaError(
      "OPTION_INVALID",
      "study: the other models of options.also and options.retrain are not put into the file, and plans from it would not be held against them; leave the options out.",
    );
  }
  const { id } = options;
  const kept = data.table.names.filter(
    (name) => name === id || data.schema.features.some((f) => f.name === name),
  );
  const rest = {
    source: data.source,
    schema: data.schema,
    groups: data.groups,
    table: { names: kept, columns: kept.map((name) => data.table.columns[data.table.names.indexOf(name)]!) },
    options: only(options, ...SAID),
    model: { title: model.title, digest: model.digest, content },
  };
  const text = JSON.stringify(rest);
  return `{"type":"${STUDY}","version":${VERSION},"digest":"${digestOf(text)}",${text.slice(1)}\n`;
}

const digestOf = (text: string): string => new Sha256().text(text).hex();

/** The study of a file, as it was when it was saved. */
export function openStudy(name: string, text: string): Study {
  const saved = parseJson("study", text) as Partial<SavedStudy> | null;
  if (saved?.type !== STUDY || saved.version !== VERSION)
    throw invalid(name, `is not a study of version ${VERSION}, as cola study save writes`);
  const { type: _, version: __, digest, ...rest } = saved as SavedStudy;
  if (digestOf(JSON.stringify(rest)) !== digest) throw invalid(name, "is damaged: its digest does not fit");
  const { source, schema, groups, model } = rest;
  const problem = schemaShape(schema, "schema");
  if (problem) throw invalid(name, problem);
  const options = givenOf("study", rest.options);
  const data = { ...dataOf({ table: { source, table: tableOf(rest) }, schema, options }), groups };
  const bound = {
    model: loadModel(model.content),
    title: model.title,
    digest: model.digest,
    close: () => {},
  };
  return studyOf(data, bound, options);
}

function tableOf({ table: { names, columns } }: Pick<SavedStudy, "table">): Table {
  return { names, columns, rows: columns[0]?.length ?? 0 };
}

function invalid(name: string, rule: string): ColaError {
  return new ColaError("MODEL_FILE_INVALID", `${name}: ${rule}; save the study again.`, { path: name });
}
