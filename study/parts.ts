import type { EncodingSpec } from "../src/data/binding.ts";
import type { Constraints } from "../src/data/constraints.ts";
import type { Encoder } from "../src/data/encode.ts";
import type { NamedLevels, UnknownLevels } from "../src/data/input-levels.ts";
import type { Note } from "../src/data/notes.ts";
import type { OneHotGroup } from "../src/data/one-hot.ts";
import type { Overlay } from "../src/data/overlay.ts";
import type { GivenSource } from "../src/generate/given/source.ts";
import type { CalibrationTable } from "../src/model/calibrate.ts";
import type { CellOptions } from "../src/read/cells.ts";
import type { FileModel, ReadModelOptions } from "../src/read/readers.ts";
import type { Cell, Kind, Matrix, Model, Schema, Table } from "../src/types.ts";
import type { Given, MEANING } from "./options.ts";

/** Counterfactuals somebody brought: a table, or the file of another tool. */
export type Own = { readonly name: string } & ({ readonly table: Table } | { readonly source: GivenSource });

/** A table as a door read it. */
export interface TableSource {
  /** Where it came from, in words. */
  readonly source: string;
  readonly table: Table;
  /** What is known of it beforehand. */
  readonly known?: Required<Labelled> & { readonly schema: Schema };
}

/** Everything the meaning of a table depends on. */
export interface DataParts {
  /** Absent: the embedded loan applications. */
  readonly table?: TableSource;
  readonly schema?: Schema;
  /** The schema a saved model was trained with, and the name of its file; `schema` goes before. */
  readonly trained?: { readonly schema: Schema; readonly file: string };
  readonly constraints?: Overlay;
  /** Counterfactuals of one's own, whose levels are levels too. */
  readonly own?: Own;
  /** Rows to explain that stand in a table of their own, whose levels are levels too. */
  readonly beside?: Table;
  /** What the model reads: names of its inputs, `all` where it does not say; absent: it is trained here. */
  readonly inputs?: readonly string[] | "all";
  /** The inputs of a model that comes after the table; columns that none is named after stay as they are in plans. */
  readonly read?: readonly string[];
  /** Levels that the model's file names, of columns it reads. */
  readonly levels?: readonly NamedLevels[];
  /** Inputs that are categories to the model, whose file does not say which. */
  readonly unnamed?: readonly string[];
  readonly kinds?: Readonly<Record<string, Kind>>;
  readonly options: Pick<Given, (typeof MEANING)[number]>;
}

/** What is known of the outcome of a table. */
export interface Labelled {
  /** Index of each row's class, where a label column is known. */
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
}

/** A table with its meaning. */
export interface Data extends Labelled {
  readonly source: string;
  readonly table: Table;
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** The levels of its features are listed by somebody, not those one table happens to have. */
  readonly listed: boolean;
  /** Levels that the model's inputs do not name. */
  readonly unknownLevels: readonly UnknownLevels[];
  /** Indicator columns of the file that became one feature. */
  readonly groups: readonly OneHotGroup[];
  /** The rows as codes. */
  readonly rows: Matrix;
  readonly ids?: readonly Cell[];
  /** Name of the column with the ids. */
  readonly idColumn?: string;
  /** What was decided while reading, for people. */
  readonly notes: readonly Note[];
}

/** Where the model of a study comes from: a classifier to train, a file, or a model that is called. */
export type ModelSource = { readonly train: string } | ModelFileSource | OutsideSource;

/** A model file that was read. */
export interface ModelFileSource {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly options: ReadModelOptions;
  readonly content: FileModel;
}

/** A model behind an address or a command: told how rows leave for it, it is opened. */
export interface OutsideSource {
  readonly title: string;
  /** What its answers depend on as far as can be known: the address or command, and how it is spoken to. */
  readonly identity: readonly unknown[];
  call(options: CellOptions): { readonly model: Model; close(): void };
}

/** Everything a model over the rows of a table depends on, beside the table. */
export interface ModelParts {
  readonly model: ModelSource;
  readonly encoding?: EncodingSpec;
  readonly calibration?: CalibrationTable;
  readonly seed?: number;
  /** Other models that a second plan must convince; how many are trained for that, and how many more to judge plans. */
  readonly also?: readonly ModelSource[];
  readonly retrain?: number;
  readonly judges?: number;
}

/** A model before it is bound to a table: of a file or trained, with the encoder it sits behind where there is one. */
export interface Fitted {
  readonly title: string;
  readonly model: Model;
  readonly encoder?: Encoder;
  /** SHA-256 of the weights. */
  readonly digest: string;
  /** It was trained on the rows of the table it is asked about. */
  readonly trained?: true;
}

/** A model over the table's rows, how it came about, and the digest that stands for it in the run hash. */
export interface StudyModel {
  readonly model: Model;
  readonly title: string;
  readonly digest: string;
  readonly fitted?: Fitted;
  /** See `sturdyWith` of src/run/sturdy.ts. */
  readonly also?: readonly Model[];
  readonly judges?: readonly Model[];
  close(): void;
}
