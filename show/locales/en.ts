import { NOTES } from "../../src/data/notes.ts";
import type { Locale } from "./contract.ts";
import { enCard } from "./en-card.ts";
import { enPapers } from "./en-papers.ts";
import { enWords } from "./en-words.ts";

export const en: Locale = {
  id: "en-6",
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
  optimalReferences:
    "no plan with fewer edits exists that takes its values from one of the {count} examples searched",
  optimalReference: "no plan with fewer edits exists that takes its values from this example",
  optimalProposal: "no plan with fewer edits exists that takes its values from the row's counterfactual",
  leastModel:
    "no plan with fewer edits exists among all permitted values, and none with as few edits changes less",
  slightestModel: "no plan changes less, whatever permitted values are chosen",
  optimalNear:
    "no plan with fewer edits exists among the values of the {count} rows at the goal most like this one",
  leastNear:
    "no plan with fewer edits exists among the values of the {count} rows at the goal most like this one, and none with as few edits changes less",
  cheapestNear:
    "no plan of lower cost exists among the values of the {count} rows at the goal most like this one",
  slightestNear: "no plan changes less among the values of the {count} rows at the goal most like this one",
  atLeastNear:
    "at least {edits} {edits|edit is|edits are} needed with values of the {count} rows at the goal most like this one",
  noneNear: "no values of the {count} rows at the goal most like this one reach the goal",
  optimalGrid: "no plan with fewer edits exists among up to {values} values of each feature",
  leastGrid:
    "no plan with fewer edits exists among up to {values} values of each feature, and none with as few edits changes less",
  cheapestGrid: "no plan of lower cost exists among up to {values} values of each feature",
  slightestGrid: "no plan changes less among up to {values} values of each feature",
  atLeastGrid: "at least {edits} {edits|edit is|edits are} needed with up to {values} values of each feature",
  noneGrid: "none of up to {values} values of each feature reach the goal",
  proofDomain: "{feature} from {from} to {to}",
  proofDomains: "{claim} (among {domains})",
  optimalModel: "no plan with fewer edits exists, whatever permitted values are chosen",
  cheapestReferences:
    "no plan of lower cost exists that takes its values from one of the {count} examples searched",
  cheapestReference: "no plan of lower cost exists that takes its values from this example",
  cheapestProposal: "no plan of lower cost exists that takes its values from the row's counterfactual",
  cheapestModel: "no plan of lower cost exists, whatever permitted values are chosen",
  atLeastReferences:
    "at least {edits} {edits|edit is|edits are} needed with values from the {count} examples searched",
  atLeastReference: "at least {edits} {edits|edit is|edits are} needed with values from this example",
  atLeastProposal:
    "at least {edits} {edits|edit is|edits are} needed with values from the row's counterfactual",
  atLeastModel: "at least {edits} {edits|edit is|edits are} needed, whatever permitted values are chosen",
  noneReferences: "no plan that takes its values from one of the {count} examples searched reaches the goal",
  noneReference: "no plan that takes its values from this example reaches the goal",
  noneProposal: "no plan that takes its values from the row's counterfactual reaches the goal",
  noneModel: "no permitted values reach the goal",
  goalClass: "Each row should be given the class {classes}.",
  goalNot: "Each row should be given a class other than {classes}.",
  goalContest:
    "Scores are margins to it: the largest score of a class wanted minus the largest of the others; above 0 it is reached.",
  goalRange: "For each row the score {output} should be {range}.",
  goalMargin: "It should be past the edge by {margin}.",
  goalGroup: "Together the {on} of the rows should cover {level} of the way to those of the examples.",
  reason: "{feature}: {value}",
  reasonAgainst: "{feature}: {value}, compared with {other}",
  reasonTypical: "{feature}: {value}; typically {other} in similar cases with the outcome sought",
  notes: NOTES,
  words: enWords,
  papers: enPapers,
  card: enCard,
  messages: {},
};
