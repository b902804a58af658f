import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Progress } from "../../src/types.ts";
import type { DataInfo, ModelInfo, QualityInfo } from "../engine/protocol.ts";
import { type Choices, defaultChoices, type FeatureEdits } from "../settings.ts";
import type { Message } from "../words/contract.ts";
import { type Server, serverOf } from "./server.ts";
import { type View, viewOf } from "./view.ts";

/** Where a run is made. */
export type Place = "page" | "server";

/** What was being done when something went wrong. */
export type Where = "data" | "model" | "generator" | "result" | "run" | "cancelled";

export interface Trouble {
  readonly code: string;
  readonly message: Message;
}

export interface Result {
  readonly explanation: Explanation;
  readonly model: ModelInfo | null;
  readonly source: string;
  /** The worker has model and rows: people can be asked about again. */
  readonly live: boolean;
  /** Why not. */
  readonly why?: Message;
  /** The set-up it was made with (`setUpKey`); absent for a result from elsewhere. */
  readonly setUp?: string;
  /** The job of the server that made it. */
  readonly job?: string;
}

export interface Applicant {
  readonly id: string;
  readonly text: string;
  readonly cells: Readonly<Record<string, string>>;
}

export const NO_APPLICANT: Applicant = { id: "", text: "", cells: {} };

/** Everything the page knows. Numbers name questions: an answer with another number comes too late. */
export interface State {
  /** Tag of the language the page speaks. */
  readonly language: string;
  /** The step of the set-up that is open. */
  readonly step: string;
  /** Sections that were opened or closed. */
  readonly open: Readonly<Record<string, boolean>>;
  readonly data: DataInfo | null;
  readonly edits: FeatureEdits;
  /** Rules between columns, of a constraints file. */
  readonly rules: readonly string[];
  /** How the inputs of a model file are made of the columns, where somebody said so. */
  readonly encoding: EncodingSpec | null;
  /** The one person to be explained, as far as said: a name, a copied row, cells by feature. */
  readonly applicant: Applicant;
  /** How well the model does on the table, and for which model that is. */
  readonly quality: { readonly of: string; readonly info: QualityInfo } | null;
  readonly choices: Choices;
  readonly loadedModel: ModelInfo | null;
  readonly given: { readonly name: string; readonly rows: number } | null;
  /** Where the person wants runs to be made; without a server it is the page. */
  readonly wanted: Place;
  /** A file that is read, or a run that is being sent. */
  readonly busy: { readonly id: number; readonly message: Message } | null;
  readonly run: {
    readonly id: number;
    readonly progress: Progress | null;
    /** When the stage began and how much of it was done then, on the clock of the page in ms. */
    readonly since: { readonly at: number; readonly done: number } | null;
    /** When the progress was told. */
    readonly now: number;
  } | null;
  /** A run was asked for whose result has not been seen yet. */
  readonly asked: boolean;
  readonly trouble: (Trouble & { readonly where: Where }) | null;
  readonly result: Result | null;
  readonly view: View;
  readonly server: Server;
}

/** The page as it opens, with the job its address names. */
export function initial(language: string, job: string | null): State {
  return {
    language,
    step: "data",
    open: {},
    data: null,
    edits: {},
    rules: [],
    encoding: null,
    applicant: NO_APPLICANT,
    quality: null,
    choices: defaultChoices,
    loadedModel: null,
    given: null,
    wanted: "server",
    busy: null,
    run: null,
    asked: false,
    trouble: null,
    result: null,
    view: viewOf(0),
    server: serverOf(job),
  };
}

export function placeOf({ server, wanted }: Pick<State, "server" | "wanted">): Place {
  return server.info ? wanted : "page";
}
