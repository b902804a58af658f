/** English words of the papers people sign or take home: the letter, what an auditor signs. */
export const enPapers = {
  months: "January|February|March|April|May|June|July|August|September|October|November|December",
  date: "{day} {month} {year}",
  quoted: "“{text}”",
  and: "{list} and {last}",
  or: "{list} or {last}",
  fromTo: "{from} to {to}",

  // The letter
  letterTitle: "The decision, its reasons, and what could change it",
  letterAbout: "Case",
  letterDate: "Date",
  letterDecision: "The decision",
  letterSought: "The outcome sought was {outcome}. The model's assessment of the data did not lead to it.",
  letterClass: "{classes}",
  letterNot: "any other than {classes}",
  letterRange: "a score for “{output}” that is {range}",
  letterScore: "The score for “{output}” was {before}. It would have to be {range}.",
  letterContest:
    "The score for “{output}” was {before}. For this outcome it would have to be the highest of all {count}.",
  letterMargin:
    "The highest score of the outcomes sought, less the highest of the others, was {before}. It would have to be above 0.",
  letterMore: "A distance of at least {margin} beyond that was asked for.",
  edge_above: "above {value}",
  edge_atLeast: "at least {value}",
  edge_below: "below {value}",
  edge_atMost: "at most {value}",
  letterReasons: "The main {count|reason|reasons}",
  letterReasonsNote:
    "{count|This fact|These facts} weighed most against that outcome{count||, the strongest first}:",
  letterTypical:
    "“Typically” is the middle or most frequent value in the cases most like this one to which the model gives the outcome sought.",
  letterCompared: "“Compared with” names the value of the example that the case was held against.",
  letterPlan: "What would have changed it",
  letterPlanNote:
    "With {edits|this one change|these changes} and everything else as it was, the same model would have given the outcome sought (score {after}):",
  letterPlanMargin:
    "With {edits|this one change|these changes} and everything else as it was, the same model would have given the outcome sought:",
  planUp: "{feature}: at least {from} (now {now})",
  planDown: "{feature}: at most {from} (now {now})",
  planBetween: "{feature}: between {low} and {high} (now {now})",
  planTo: "{feature}: {to} (now {now})",
  planClear: "{feature}: left out (now {now})",
  letterRanges: "Every such value would have been enough{edits||, in any combination}; that is certified.",
  letterRangesTested: "Such values would have been enough, as far as they were tried.",
  letterFewest:
    "It is proven that fewer changes would not have been enough, whatever permitted values are chosen.",
  letterLeast: "It is proven that no smaller single change to permitted values would have been enough.",
  letterFewestLeast:
    "It is proven that fewer changes to permitted values would not have been enough, and {edits} changes that are smaller taken together would not have been either.",
  letterSize: "How large a change is, is measured by how much people usually differ in that fact.",
  letterProof: "What is known of other plans: {proof}.",
  letterPermitted: "Permitted here: {domains}.",
  letterOthers: "Other ways",
  letterOthersNote: "{count|This would|Each of these would} have been enough, too, in place of the above:",
  letterOthersMore: "There {count|is|are} {count} further {count|way|ways}; you may ask for {count|it|them}.",
  letterOthersAll: "There are no further ways with as few changes.",
  letterNone: "No plan was found: with the values that may change, the outcome sought was not reached.",
  letterNoneProven: "It is proven that no permitted values lead to the outcome sought.",
  letterLimits: "What this letter does not promise",
  letterLimitPromise:
    "A plan is no promise. The model may be changed, the data may be newer, or a person may decide otherwise.",
  letterLimitModel:
    "This letter says how this model answers, not what is sure to happen: when a value changes in life, others may change with it.",
  letterSurvival:
    "Of {models} models trained anew on other samples of the data, about {tenths} in 10 accepted this plan ({low} to {high}).",
  letterSturdy: "A plan that more models accept",
  letterSturdyNote:
    "With {edits|this one change|these changes} in place of the above, {models} further {models|model|models} would have given the outcome sought, too:",
  letterSign: "Signature",
  letterSigner: "Name and office",
  letterCode: "Code to check this letter",
  letterFact: "{name}: {fact}.",
  letterOptions: "Every option",
  letterUnset: "not set: {names}",
  letterCodeNote: "It fits this case, this result and this date alone.",

  // What an auditor signs
  auditTitle: "To check and to sign",
  auditDay: "Date of the report",
  auditCode: "Code to check this report",
  auditTable: "Table",
  auditTableFact: "{rows} {rows|row|rows}, digest {digest}",
  auditModel: "Model",
  auditModelFact: "{model}, digest {digest}",
  auditQuality: "Quality of the model",
  auditQualityFact: "{share} of {rows} rows of the table put into their known class",
  auditQualityAuc:
    "{share} of {rows} rows of the table put into their known class; area under the ROC curve {auc}",
  auditQualityTrained:
    "{quality}. The model was trained on these very rows, so that this says little about others",
  auditUnknown: "not known, since the table has no outcome or the model is only called",
  auditDigest: "Digest of all contents",
  auditDigestNone: "none: written by an older version",
  auditScopes: "What is proven",
  auditScope: "{count} {count|row|rows}: {proof}",
  auditScopeNone: "{count} {count|row|rows}: nothing is proven",
  auditCheck:
    "cola verify, given this file and the explanation it was written from, says whether a word was changed.",
  auditDate: "Place and date",

  // Groups
  groupsTitle: "Recourse across groups",
  groupsNote:
    "What people are compared by is never in a plan. In brackets, 95 % intervals: of shares by Wilson's formula, of means by {draws} resamples where at least 5 plans are there. Rows that could not be searched are left out.",
  groupsUnknown: "{count} {count|row is|rows are} in no group, since the value is missing.",
  groupsBy: "By {attribute}",
  groupsGroup: "Group",
  groupsRows: "Rows",
  groups_within1: "Plan of 1 edit",
  groups_within2: "of up to 2",
  groups_within3: "of up to 3",
  groups_none: "Certified without any plan",
  groups_edits: "Edits on average",
  groups_change: "Change on average",
  groupsFeatures: "Plans change",
  groupsGaps: "Largest gaps",
  groupsGapsNote:
    "p: how often groups of these sizes drawn at random differ as much; then corrected for all gaps looked at (Holm).",
  groupsMeasure: "Measure",
  groupsMost: "Most",
  groupsLeast: "Least",
  groupsDifference: "Difference",
  groupsP: "p",
  groupsHolm: "corrected",
  ruleUnder: "from {from} to under {to}",
  ruleUpTo: "from {from} to {to}",
  groupsRules: "Rules for whole groups",
  groupsRulesNote:
    "One rule for all, found by AReS and GLOBE-CE; the share of the rows tried that one of the rules takes to the target. A rule of GLOBE-CE is a direction: its numbers are one step, and each row goes as many steps, or as small a part of one, as it needs.",
  groupsCoverage: "Share",
  groupsMethod: "Method",
  groupsRule: "Rules",
  groupsConfined: "Who has no plan at all",
  groupsConfinedNote:
    "Certified: whoever meets the condition, with all values known, reaches the goal with no permitted values of the features that may change.",
  groupsConfinedNone: "No such condition was found among those looked at, of one or two locked features.",
  groupsConfinedUnknown: "Not known: the model has no bounds to certify such a condition by.",
  groupsConfinedRows: "{where}: {count} {count|row|rows} of the table",
  groupsRange: "{value} ({from} to {to})",
} as const;

export type Papers = Readonly<Record<keyof typeof enPapers, string>>;
