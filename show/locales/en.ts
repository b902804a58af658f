import type { Locale } from "./contract.ts";
import { enWords } from "./en-words.ts";

export const en: Locale = {
  id: "en-2",
  lang: "en",
  numbers: { decimal: ".", group: "", list: ", " },
  raise: "Raise {feature} from {from} to {to}",
  lower: "Lower {feature} from {from} to {to}",
  change: "Change {feature} from {from} to {to}",
  state: "State {feature}: {to}",
  clear: "Leave {feature} (now {from}) out",
  missing: "missing",
  yes: "yes",
  no: "no",
  none: "Nothing needs to change",
  infeasible: "No plan was found under the given constraints",
  optimalReferences: "no plan with fewer edits exists among mixtures with the {count} references searched",
  optimalReference: "no plan with fewer edits exists among mixtures with this reference",
  optimalModel: "no plan with fewer edits exists for any legal values",
  cheapestReferences: "no plan of lower cost exists among mixtures with the {count} references searched",
  cheapestReference: "no plan of lower cost exists among mixtures with this reference",
  cheapestModel: "no plan of lower cost exists for any legal values",
  atLeastReferences:
    "fewer than {edits} {edits|edit|edits} are ruled out for the {count} references searched",
  atLeastReference: "fewer than {edits} {edits|edit|edits} are ruled out for this reference",
  atLeastModel: "fewer than {edits} {edits|edit|edits} are ruled out for any legal values",
  noneReferences: "no mixture with the {count} references searched reaches the goal",
  noneReference: "no mixture with this reference reaches the goal",
  noneModel: "no legal values reach the goal",
  goalClass: "Each row should be given the class {classes}.",
  goalNot: "Each row should be given a class other than {classes}.",
  goalContest:
    "Scores are margins to it: the largest score of a class wanted minus the largest of the others; above 0 it is reached.",
  goalRange: "For each row the score {output} should be {range}.",
  goalMargin: "It should be past the edge by {margin}.",
  goalGroup:
    "Together the rows should cover {level} of the distance to the references ({divergence} of {on}).",
  reason: "{feature} is {value}",
  reasonAgainst: "{feature} is {value}, compared with {other}",
  words: enWords,
  messages: {},
};
