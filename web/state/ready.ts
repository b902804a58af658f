import { labelOf } from "../../src/data/schema.ts";
import { edited, isEmbedded, isEmptyRange } from "../settings.ts";
import type { Saying } from "../words/contract.ts";
import { placeOf, type State } from "./state.ts";

/** What the model of the set-up can be asked for, where that is known. */
export function outputsOf({ choices, data, loadedModel }: State): readonly string[] {
  return (choices.model === "file" ? loadedModel?.outputs : data?.classes) ?? [];
}

/** Which model over which table a measure of quality is of. */
export function qualityKey({ choices, data, loadedModel, encoding, edits, rules }: State): string {
  const { source, label, exclude, kinds } = data ?? {};
  const { model, seed, target } = choices;
  const parts = { source, label, exclude, kinds, model, seed, target, title: loadedModel?.title, encoding };
  return JSON.stringify([parts, loadedModel?.outputs, edits, rules]);
}

/** Everything a run is made from, as it is set up now. */
export function setUpKey(state: State): string {
  const { choices, given } = state;
  return JSON.stringify([qualityKey(state), choices, choices.generator === "given" ? given : null]);
}

/** Is the result of another set-up than the one beside it? */
export function isStale(state: State): boolean {
  const { result, data, view } = state;
  if (!result) return false;
  // A run that was opened says itself what of it is of another table or model.
  if (view.checked) return false;
  if (result.setUp !== undefined) return result.setUp !== setUpKey(state);
  return data !== null && result.source !== data.source && !(result.job === undefined && isEmbedded(data));
}

/** A stage shorter than this says nothing of how long the rest takes, in ms. */
const KNOWN_AFTER = 1500;

/** How long the stage of a run goes on as it went so far, in seconds; null where that is not known. */
export function secondsLeft(run: State["run"]): number | null {
  if (!run?.progress || !run.since) return null;
  const { progress, since, now } = run;
  const done = progress.done - since.done;
  if (now - since.at < KNOWN_AFTER || done <= 0 || progress.total <= 0) return null;
  return ((now - since.at) * (progress.total - progress.done)) / done / 1000;
}

/** Why a run cannot be asked for yet, in words; null where it can. */
export function whyNot(state: State): Saying | null {
  const { data, choices, loadedModel, edits, server } = state;
  if (!data) return { key: "dataFirst" };
  if (choices.model === "file" && !loadedModel)
    return { key: data.classes ? "modelFirst" : "outcomeOrModel" };
  if (choices.model === "file" && loadedModel?.match?.wrong) return { key: "matchFirst" };
  if (choices.target === "" && !isEmbedded(data) && outputsOf(state).length > 1)
    return { key: "targetFirst" };
  const empty = data.schema.features.find((feature) => isEmptyRange(edited(feature, edits)));
  if (empty) return { key: "rangeEmpty", values: { name: labelOf(empty) } };
  if (placeOf(state) === "server" && server.need !== "no") return { key: "keyNeeded" };
  return null;
}
