import type { Letter } from "../../show/letter/letter.ts";
import type { Locale } from "../../show/locales/contract.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import type { EncodingSpec, InputSpec } from "../../src/data/binding.ts";
import type { PlainNote } from "../../src/data/notes.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Cell, Progress, Schema } from "../../src/types.ts";
import type { CheckedExplanation } from "../../study/check.ts";
import type { Quality } from "../../study/quality.ts";
import type { DataRoles } from "./roles.ts";
import type { Dependence, PaperInfo } from "./told.ts";

/** What the page knows of the rows; the rows themselves stay in the worker. */
export interface DataInfo extends DataRoles {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly string[];
  readonly schema: Schema;
  readonly classes?: readonly string[];
  /** Rows of each class. */
  readonly counts?: readonly number[];
  /** What was decided while reading, for people. */
  readonly notes: readonly PlainNote[];
  /** The first rows, as people write them. */
  readonly preview: readonly (readonly Cell[])[];
  /** Features with a missing value in some row. */
  readonly gaps?: readonly string[];
  /** Smallest and largest value of each number, in schema order. */
  readonly ranges: readonly (readonly [number, number] | null)[];
}

/** A file somebody chose or dropped. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ModelInfo {
  readonly title: string;
  readonly outputs: readonly string[];
  readonly inputs?: readonly string[];
  /** How the inputs of a model file are made of the columns; absent for a model that knows that itself. */
  readonly match?: Match;
}

/** What an encoding holds for an input that has no column yet; no column has this name. */
export const NOT_CHOSEN: InputSpec = { feature: "" };

/** The model's inputs in its order, each with the column it is made of, where one is known. */
export interface Match {
  readonly inputs: readonly { readonly name: string; readonly spec: InputSpec | null }[];
  /** Somebody chose them; otherwise their names tell. */
  readonly chosen: boolean;
  /** Why the model cannot be asked over this table. */
  readonly wrong: string | null;
}

/** What a file is, told by its content. */
export type FileKind =
  | "table"
  | "model"
  | "encoding"
  | "counterfactuals"
  | "explanation"
  | "constraints"
  | "certificate"
  | "paper";

/** How well the model does, and whether it was trained on these very rows. */
export type QualityInfo = Quality & { readonly trained: boolean };

/** How a run is made; the same words as the options of the command line. */
export interface RunRequest {
  readonly overlay: Overlay;
  /** A classifier to train, or `file` for the model that was loaded. */
  readonly model: string;
  readonly target: string;
  /** A generator, or `given` for the counterfactuals that were loaded. */
  readonly generator: string;
  /** Empty: the default of the goal. */
  readonly coupling: string;
  readonly policy: string;
  /** `each`: every person reaches the target; `group`: the group's scores move to those of the counterfactuals. */
  readonly goal: "each" | "group";
  readonly effect: number;
  readonly rows: number;
  readonly alternatives: number;
  readonly perRow: number | null;
  readonly seed: number;
  /** Explains this person alone. */
  readonly person?: OnePerson;
  /** Options of the one table that have no field of their own here. */
  readonly more?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A row of the table by its id, or the cells of a row by feature. */
export type OnePerson =
  | { readonly id: string }
  | { readonly cells: Readonly<Record<string, Cell>>; readonly name: string };

interface RunAnswer {
  readonly explanation: Explanation;
  readonly model: ModelInfo;
}

/** What a run made elsewhere was made from. */
export interface JobInputs {
  readonly settings: Omit<RunRequest, "overlay">;
  readonly roles: DataRoles;
  /** null: the embedded table. */
  readonly table: GivenFile | null;
  /** null: the classifier of the settings, trained on the table. */
  readonly model: GivenFile | null;
  /** null: made by the generator of the settings. */
  readonly counterfactuals: GivenFile | null;
  /** What was said of the model's file. */
  readonly encoding?: EncodingSpec | null;
  readonly outputs?: readonly string[] | null;
}

/** One edit of the order in which a budget is spent: position of the row and of the feature. */
export interface Spent {
  readonly row: number;
  readonly feature: number;
}

export interface Compared {
  readonly id: string;
  readonly edits: number;
  readonly proposed: number;
  readonly valid: number;
  readonly rows: number;
  readonly share: number | null;
  readonly distance: number;
  readonly curve: readonly { readonly edits: number; readonly effect: number | null }[];
}

export interface MadeFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What a person finds easy or hard to change, and what never changes; a feature that is not named is neither. */
export type Difficulty = Readonly<Record<string, "easy" | "hard" | "never">>;

/** The plans of one person under a difficulty. */
export interface PersonPlans {
  /** The smallest plan; its alternatives are the other smallest ones. */
  readonly row: ExplainedRow;
  /** The plan of least difficulty, where anything is easy or hard. */
  readonly easiest?: ExplainedRow;
  /** Score of each alternative, then of each point of the front. */
  readonly after: readonly (number | null)[];
}

/** What the model says of a row that a person tries. */
export interface Tried {
  readonly score: number;
  readonly reached: boolean;
  /** What is not permitted about it. */
  readonly wrong: readonly string[];
  /** Columns that follow from the others. */
  readonly derived: Readonly<Record<string, number>>;
}

/** The values a feature may take for a person: those of a list, or a range; `open`: any but the person's own. */
export interface LegalValues {
  readonly feature: string;
  readonly open: boolean;
  readonly cells?: readonly Cell[];
  readonly low?: number;
  readonly high?: number;
  /** Spacing of the values; 0 for a continuum. */
  readonly step?: number;
}

/** Everything the page may ask of the worker: argument and answer by name. */
export interface Calls {
  embedded: [Record<string, never>, DataInfo];
  open: [GivenFile & DataRoles, DataInfo];
  roles: [DataRoles, DataInfo];
  sort: [GivenFile, FileKind];
  model: [GivenFile & { readonly overlay: Overlay }, ModelInfo];
  /** The model that was loaded over the table of now: its inputs by their names or as chosen, its outputs named. */
  match: [
    {
      readonly overlay: Overlay;
      readonly encoding?: EncodingSpec | null;
      readonly outputs?: readonly string[];
    },
    ModelInfo | null,
  ];
  /** A table of the values that the loaded model tells apart, for people without a table. */
  alone: [Record<string, never>, MadeFile];
  /** An encoding file, or another file of JSON, as its content. */
  encoding: [GivenFile, EncodingSpec];
  constraints: [GivenFile, Overlay];
  /** How the model of a run as it is set up does on the table's outcomes. */
  quality: [RunRequest, QualityInfo];
  counterfactuals: [GivenFile, { readonly rows: number }];
  /** One row as somebody copied it, by feature. */
  pasted: [{ readonly text: string }, Readonly<Record<string, Cell>>];
  run: [RunRequest, RunAnswer];
  /** One person again, from the open study of the run. */
  plans: [{ readonly position: number; readonly difficulty: Difficulty }, PersonPlans];
  legal: [{ readonly position: number }, readonly LegalValues[]];
  /** The model's answers for values that are tried. */
  tried: [
    { readonly position: number; readonly values: readonly Readonly<Record<string, Cell>>[] },
    readonly Tried[],
  ];
  /** How the score depends on one feature, with everything else as it is tried. */
  dependence: [
    {
      readonly position: number;
      readonly feature: string;
      readonly values: Readonly<Record<string, Cell>>;
      /** Values that are on the curve whatever others are. */
      readonly also?: readonly number[];
    },
    Dependence,
  ];
  /** The order in which the plans' method spends its edits. */
  order: [Record<string, never>, readonly Spent[]];
  /** Scores of the rows with the first `edits` edits of the order, counted among some rows where these are told. */
  scores: [
    { readonly edits: number; readonly among?: readonly number[] },
    { readonly scores: Float64Array; readonly reached: Uint8Array },
  ];
  compare: [{ readonly method: string }, Compared];
  files: [
    {
      readonly kind: string;
      readonly locale: Locale;
      readonly reasons: ReasonCodes;
      /** Day of report and method card. */
      readonly date: string;
    },
    readonly MadeFile[],
  ];
  /** The letter for a person of the result, and the page it is. */
  letter: [
    {
      readonly position: number;
      readonly date: string;
      readonly sender: string;
      readonly locale: Locale;
      readonly codes: ReasonCodes;
    },
    { readonly letter: Letter; readonly file: MadeFile },
  ];
  /** Keeps the rows of the result in this browser. */
  keep: [Record<string, never>, Record<string, never>];
  /** The result that this browser kept takes the place of the current one; null: it kept none. */
  recall: [Record<string, never>, Explanation | null];
  /** A result from a file takes the place of the current one. */
  restore: [GivenFile, Explanation];
  /** Holds the result against the table and model of the set-up, and against the certificate that was given last. */
  check: [RunRequest & { readonly certificate?: GivenFile }, CheckedExplanation];
  /** Holds a letter or a report against the result it was written from. */
  paper: [GivenFile & { readonly locales: readonly Locale[]; readonly codes: ReasonCodes }, PaperInfo];
  /** Table and model of the result that was restored, so that it can be asked about. */
  takeJobInputs: [JobInputs, Record<string, never>];
}

export type CallName = keyof Calls;

export type ToWorker =
  | { readonly id: number; readonly call: CallName; readonly argument: unknown }
  | { readonly id: number; readonly cancel: true };

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export type FromWorker =
  | { readonly id: number; readonly progress: Progress }
  /** Rows of a long result, before the answer that has the rest of it. */
  | { readonly id: number; readonly rows: readonly ExplainedRow[] }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure };
