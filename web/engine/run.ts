import type { EncodingSpec } from "../../src/data/binding.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Matrix, Target, WorkOptions } from "../../src/types.ts";
import { answered } from "../../study/answer.ts";
import { createCache } from "../../study/cache.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, readBy } from "../../study/model.ts";
import { type Given, MEANING, only } from "../../study/options.ts";
import type { Data, DataParts, Fitted, ModelSource, Own, StudyModel } from "../../study/parts.ts";
import { explained, posed, type References, type Study, studyOf } from "../../study/study.ts";
import { posedFor } from "./applicant.ts";
import { type Opened, partsOf } from "./data.ts";
import type { RunRequest } from "./protocol.ts";
import type { DataRoles } from "./roles.ts";

/** A run with everything that later questions about it need. */
export interface Finished {
  readonly explanation: Explanation;
  readonly study: Study;
  readonly x: Matrix;
  /** The counterfactuals; made again where the run was made elsewhere. */
  readonly made: () => Promise<References>;
}

/** What somebody brought beside the table. */
export interface Brought {
  readonly model: ModelSource;
  /** How the inputs of a model file are made of the columns, where their names do not tell. */
  readonly encoding?: EncodingSpec;
  readonly own?: Own;
  /** Options of the one table that have no field of their own in a request. */
  readonly more?: Given;
}

/** What a score that is shown is of: the target of each row, or the output that a goal of the group compares. */
export const shownTarget = ({ explanation, study }: Finished): Target =>
  explanation.goal.kind === "group" ? { output: explanation.output } : study.target;

const trained = createCache<Fitted>(4);
const meanings = new WeakMap<Opened, { readonly key: string; readonly own?: Own; readonly data: Data }>();

/** Table, constraints and whatever else a run is made from, with the meaning they give the rows. */
export function dataFor(
  opened: Opened,
  overlay: RunRequest["overlay"],
  { model, encoding, own, more = {} }: Brought,
): Data {
  const encoder = "content" in model ? model.content.encoder : undefined;
  const reads = opened.table ? readBy(model, encoding) : {};
  const told = partsOf(opened.roles);
  const parts: DataParts = {
    ...(opened.table ? { table: opened.table } : {}),
    ...(encoder ? { trained: { schema: encoder.schema, file: (model as { file: string }).file } } : {}),
    ...(own ? { own } : {}),
    ...reads,
    constraints: overlay,
    ...told,
    options: { ...told.options, ...only(more, ...MEANING) },
  };
  const key = JSON.stringify([overlay, encoder?.schema, reads, parts.options]);
  const held = meanings.get(opened);
  if (held?.key === key && held.own === own) return held.data;
  const data = dataOf(parts);
  meanings.set(opened, { key, data, ...(own ? { own } : {}) });
  return data;
}

/** The model over the rows of a table, as the next run would ask it. */
export function modelFor(
  opened: Opened,
  overlay: RunRequest["overlay"],
  brought: Brought,
  work: WorkOptions,
  seed = 0,
): Promise<StudyModel> {
  const { model, encoding, more = {} } = brought;
  const others = only(more, "retrain", "judges");
  const parts = { model, seed, ...(encoding ? { encoding } : {}), ...others };
  return modelOf(parts, dataFor(opened, overlay, brought), work, trained);
}

/** Data, model, generator, Algorithm 1: the path of `cola explain`. */
export async function runAll(
  opened: Opened,
  settings: RunRequest,
  brought: Brought,
  work: WorkOptions,
): Promise<Finished> {
  const { overlay, seed, generator } = settings;
  if (generator === "given" && !brought.own)
    throw new ColaError("OPTION_INVALID", "Load a file with your counterfactuals first.");
  const model = await modelFor(opened, overlay, brought, work, seed);
  const options = optionsOf(settings, opened.roles);
  const study = studyOf(dataFor(opened, overlay, brought), model, options, brought.own);
  const made = await (settings.person ? posedFor(study, settings.person, work) : posed(study, work));
  const explanation = await answered(study, await explained(study, made, work), work);
  return { explanation, study, x: made.x, made: async () => made };
}

/** The settings in the words of the one option table. */
export function optionsOf(settings: Omit<RunRequest, "overlay">, { label, id, exclude }: DataRoles): Given {
  const { target, generator, coupling, policy, rows, alternatives, perRow, goal, effect, seed } = settings;
  return {
    ...{ rows, alternatives, seed },
    ...(label ? { label } : {}),
    ...(id ? { id } : {}),
    ...(exclude?.length ? { exclude } : {}),
    ...(target.trim() ? { target: target.trim() } : {}),
    ...(generator === "given" ? {} : { generator }),
    ...(coupling ? { coupling } : {}),
    ...(policy ? { policy } : {}),
    ...(perRow === null ? {} : { perRow }),
    ...(goal === "group" ? { effect } : {}),
    ...settings.more,
  };
}
