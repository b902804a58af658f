import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Progress } from "../../src/types.ts";
import type { DataInfo, ModelInfo, QualityInfo } from "../engine/protocol.ts";
import type { Choices, FeatureEdit, FeatureEdits } from "../settings.ts";
import type { Message } from "../words/contract.ts";
import { put } from "./put.ts";
import { reduceServer, type ServerAction } from "./server.ts";
import {
  type Applicant,
  NO_APPLICANT,
  type Place,
  type Result,
  type State,
  type Trouble,
  type Where,
} from "./state.ts";
import { reduceView, type ViewAction, viewOf } from "./view.ts";

/** Everything that can happen to the page: what people do, and what worker and server say. */
export type Action = SetupAction | RunAction | ServerAction | ViewAction;

type SetupAction =
  | { readonly type: "language"; readonly language: string }
  | { readonly type: "step"; readonly step: string }
  | { readonly type: "fold"; readonly id: string; readonly open: boolean }
  | { readonly type: "data"; readonly info: DataInfo }
  /** The same table, some of its columns with another role. */
  | { readonly type: "roles"; readonly info: DataInfo }
  | { readonly type: "edit"; readonly feature: string; readonly change: FeatureEdit }
  | { readonly type: "choose"; readonly change: Partial<Choices> }
  | { readonly type: "model"; readonly info: ModelInfo }
  /** The same model over another table, or its inputs and outputs told anew. */
  | { readonly type: "matched"; readonly info: ModelInfo; readonly encoding?: EncodingSpec | null }
  | { readonly type: "encoding"; readonly encoding: EncodingSpec | null }
  | { readonly type: "constraints"; readonly edits: FeatureEdits; readonly rules: readonly string[] }
  /** The set-up as it was kept. */
  | ({ readonly type: "recalled" } & Pick<State, "edits" | "rules" | "choices" | "applicant">)
  | { readonly type: "applicant"; readonly change: Partial<Applicant> }
  | { readonly type: "quality"; readonly of: string; readonly info: QualityInfo }
  | { readonly type: "given"; readonly name: string; readonly rows: number }
  | { readonly type: "place"; readonly place: Place }
  | { readonly type: "busy"; readonly id: number; readonly message: Message }
  | { readonly type: "idle"; readonly id: number }
  | { readonly type: "trouble"; readonly where: Where; readonly trouble: Trouble }
  | { readonly type: "dismiss" };

type RunAction =
  | { readonly type: "ask for a run" }
  | { readonly type: "run"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly progress: Progress; readonly at: number }
  | { readonly type: "ran"; readonly id: number; readonly result: Result }
  | { readonly type: "run failed"; readonly id: number; readonly trouble: Trouble }
  | { readonly type: "cancel" }
  /** A result that was not made by the page: from a file or from a job. */
  | { readonly type: "result"; readonly id: number; readonly result: Result }
  /** Table and model of a job arrived, or why they cannot. */
  | { readonly type: "job inputs"; readonly job: string; readonly why?: Message }
  | { readonly type: "seen" };

/** The next state. An action that does not fit the state, or an answer that comes too late, changes nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "language":
      return { ...state, language: action.language };
    case "step":
      return { ...state, step: action.step };
    case "fold":
      return { ...state, open: { ...state.open, [action.id]: action.open } };
    case "data":
      return withData(state, action.info);
    case "roles":
      return withRoles(state, action.info);
    case "edit": {
      const edit = { ...state.edits[action.feature], ...action.change };
      return { ...state, edits: { ...state.edits, [action.feature]: edit } };
    }
    case "choose":
      return { ...state, choices: { ...state.choices, ...action.change } };
    case "model":
      return {
        ...state,
        loadedModel: action.info,
        encoding: state.loadedModel ? null : state.encoding,
        choices: { ...state.choices, model: "file", target: "" },
      };
    case "matched":
      return {
        ...state,
        loadedModel: action.info,
        ...(action.encoding === undefined ? {} : { encoding: action.encoding }),
      };
    case "encoding":
      return { ...state, encoding: action.encoding };
    case "constraints":
      return { ...state, edits: { ...state.edits, ...action.edits }, rules: action.rules };
    case "recalled": {
      const { edits, rules, choices, applicant } = action;
      return { ...state, edits, rules, choices, applicant };
    }
    case "applicant":
      return { ...state, applicant: { ...state.applicant, ...action.change } };
    case "quality":
      return { ...state, quality: { of: action.of, info: action.info } };
    case "given": {
      const { name, rows } = action;
      return { ...state, given: { name, rows }, choices: { ...state.choices, generator: "given" } };
    }
    case "place":
      return { ...state, wanted: action.place };
    case "busy":
      return { ...state, busy: { id: action.id, message: action.message }, trouble: null };
    case "idle":
      return state.busy?.id === action.id ? { ...state, busy: null } : state;
    case "trouble":
      return { ...state, trouble: { ...action.trouble, where: action.where } };
    case "dismiss":
      return { ...state, trouble: null };
    case "ask for a run":
    case "run":
    case "progress":
    case "ran":
    case "run failed":
    case "cancel":
    case "result":
    case "job inputs":
    case "seen":
      return reduceRun(state, action);
    case "server":
    case "key":
    case "jobs":
    case "job":
    case "job progress":
    case "names":
    case "lost":
    case "unshown":
      return put(state, "server", reduceServer(state.server, action));
    case "address":
      return moved(put(state, "server", reduceServer(state.server, action)));
    default:
      return put(state, "view", reduceView(state.view, action));
  }
}

/** Another table: what was said of the features of the one before does not hold for it; a model file may belong to it. */
function withData(state: State, data: DataInfo): State {
  const { choices, loadedModel } = state;
  const trainable = choices.model === "file" ? "logistic" : choices.model;
  const file = !data.classes || (choices.model === "file" && loadedModel !== null);
  return {
    ...state,
    data,
    edits: {},
    rules: [],
    quality: null,
    applicant: NO_APPLICANT,
    given: null,
    choices: {
      ...choices,
      target: "",
      generator: choices.generator === "given" ? "knn" : choices.generator,
      model: file ? "file" : trainable,
    },
  };
}

/** The same table in other roles keeps what was said, and what should be reached where that is still an outcome. */
function withRoles(state: State, data: DataInfo): State {
  const next = withData(state, data);
  const { rules, choices } = state;
  const file = choices.model === "file" && next.choices.model === "file";
  const target = file || data.label === state.data?.label ? choices.target : "";
  return { ...next, edits: keptEdits(state, data), rules, choices: { ...next.choices, target } };
}

/** What was said of the features that are still there and of the same kind. */
function keptEdits({ edits, data }: State, { schema }: DataInfo): FeatureEdits {
  const kinds = new Map(data?.schema.features.map(({ name, kind }) => [name, kind]));
  const same = schema.features.filter(
    ({ name, kind }) => kinds.get(name) === kind && Object.hasOwn(edits, name),
  );
  return Object.fromEntries(same.map(({ name }) => [name, edits[name]!]));
}

/** A result of another job than the one in the address is not shown any more. */
function moved(state: State): State {
  const { result, server } = state;
  return result?.job === (server.current ?? undefined) ? state : { ...state, result: null };
}

/** One run at a time; a run that was cancelled or followed by another has nothing more to say. */
function reduceRun(state: State, action: RunAction): State {
  switch (action.type) {
    case "ask for a run":
      return { ...state, asked: true };
    case "seen":
      return { ...state, asked: false };
    case "run":
      return state.run
        ? state
        : { ...state, run: { id: action.id, progress: null, since: null, now: 0 }, trouble: null };
    case "cancel":
      return state.run
        ? { ...state, run: null, asked: false, trouble: { ...CANCELLED, where: "cancelled" } }
        : state;
    case "result":
      if (action.result.job !== undefined && action.result.job !== state.server.current) return state;
      return withResult(state, action.id, action.result);
    case "job inputs":
      return withJobInputs(state, action.job, action.why);
    case "ran":
      return action.id === state.run?.id
        ? withResult({ ...state, run: null }, action.id, action.result)
        : overtaken(state);
  }
  if (action.id !== state.run?.id) return state;
  if (action.type === "progress") return { ...state, run: progressed(state.run, action) };
  return { ...state, run: null, trouble: { ...action.trouble, where: "run" } };
}

/** How far a run is, and since when it is at its stage. */
function progressed(
  { id, progress: before, since }: NonNullable<State["run"]>,
  { progress, at }: Extract<RunAction, { type: "progress" }>,
): State["run"] {
  const same = since !== null && before?.stage === progress.stage && before.total === progress.total;
  return { id, progress, since: same ? since : { at, done: progress.done }, now: at };
}

const CANCELLED: Trouble = { code: "ABORTED", message: { key: "cancelledNote" } };

function withResult(state: State, id: number, result: Result): State {
  const current = result.job ?? null;
  return { ...state, result, view: viewOf(id), server: { ...state.server, current } };
}

function withJobInputs(state: State, job: string, why: Message | undefined): State {
  const { result } = state;
  if (result?.job !== job) return state;
  const { why: _, ...known } = result;
  return { ...state, result: why === undefined ? { ...known, live: true } : { ...known, live: false, why } };
}

/** The cancelled run had already ended in the worker, which holds it now: questions about the result shown would be answered from another run. */
function overtaken(state: State): State {
  const { result } = state;
  return result?.live ? { ...state, result: { ...result, live: false, why: { key: "overtaken" } } } : state;
}
