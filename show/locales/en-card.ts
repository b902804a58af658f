/** English words of the method card, in the order in which a model-risk team files them. */
export const enCard = {
  title: "Method card",
  lead: "Plans of few edits for the decisions of one model: what the method does, its limits, and what this run shows of it.",

  identity: "What this card is about",
  method: "Method",
  methodFact: "COLA, counterfactuals with limited actions (You, Bian, Cao, ICLR 2026); {program}",
  date: "Date of the card",

  purpose: "Purpose and use",
  purposeWhat:
    "The model exists already and is not changed. The method says which few edits of a row would have led this model to the goal, how far each value may go, and which values weighed against the goal.",
  purposeFor:
    "It is made for telling people what a decision rests on and what would have changed it, for reviewing a model, and for comparing recourse between groups.",
  purposeNot:
    "It is not made for taking decisions, for saying what an edit would cause in life, or for showing that a model is fair.",

  data: "Data",
  explained: "Rows explained",
  explainedFact: "{rows}; {whole} of them without missing values",
  features: "Features",
  featuresFact: "{all}: {free} may change, {locked} locked, {derived} derived from others",
  protected: "Protected attributes, by their names",
  protectedNone: "none; a column that stands for one under another name is not noticed",
  protectedLocked: "{feature}: locked, in no plan",
  protectedFree: "{feature}: MAY CHANGE, so that plans may ask for it",
  ends: "Values searched",

  approach: "Method",
  steps:
    "Each row is compared with examples that reach the goal. How much each feature carries of the difference in score is its Shapley value against those examples (p-SHAP). Then the plan is looked for, and the model scores it again before anybody sees it.",
  stepsGroup:
    "The rows together are to move towards examples that reach the goal. How much each feature carries of the difference in score is its Shapley value against those examples (p-SHAP). Edits are then chosen for all rows together, and the model scores the result again.",

  limits: "Assumptions and limits",
  limitProxy:
    "Protected attributes are known by the names of columns alone. That none is edited does not show that none decides.",
  limitModel: "Proofs speak of the model as it was read. A model trained again needs a new run.",
  limitDigest: "Digests and codes show that something was changed. They do not show who wrote it.",

  evidence: "Validation evidence from this run",
  evidenceNote:
    "✔ looked at, and nothing speaks against it; ✘ looked at, and something does; – not looked at in this run.",
  check: "Looked at",
  result: "Result",
  content: "Contents as they were written",
  contentHolds: "the digest of all contents is the one written with them",
  contentFails: "the digest of all contents is another: something was changed after the run",
  contentOpen: "written by an older version without a digest",
  rows: "Rows and their plans within the constraints",
  rowsHold: "all {rows} rows agree with themselves, the constraints and the counts",
  rowsFail: "{count} of {rows} rows do not, first {first}: {why}",
  totalsFail: "the counts are not those of the rows",
  rescored: "Plans scored again by the model",
  rescoredAll: "{plans} {plans|plan, which reaches|plans, all of which reach} the goal",
  rescoredSome:
    "{plans} {plans|plan|plans}: {good} {good|reaches|reach} the goal, {bad} {bad|does|do} not and {bad|is|are} marked as the best found",
  rescoredGroup: "all rows together cover {share} of the way to the goal",
  rescoredNone: "there is no plan to score",
  scopes: "Proofs of how few edits are needed",
  scopesNone: "nothing is proven in this run",
  ranges: "Ranges of planned numbers",
  rangesFact: "{certified} certified by bounds of the model, {tested} tried by samples",
  rangesNone: "no plan has a range",
  additive: "Reasons add up to the score",
  additiveFact: "{how}; the largest gap of a sum is {residual}",
  additiveNone: "no reasons were asked for",
  coupling: "Pairing of rows with examples",
  fewer: "Edits against the counterfactuals",
  fewerFact: "{edits} instead of {proposed} in the {rows} {rows|row|rows} with a plan",
  survival: "Plans when the model is trained again",
  survivalFact: "{rows} {rows|plan was|plans were} held against up to {models} retrained models",
  survivalNone: "no retrained models were asked",
  usual: "Planned values as other people have them",
  usualFact: "{unusual} of {values} planned values are unusual, {broken} rules newly broken",
  usualNone: "not compared with the table",
  quality: "The model against known outcomes",
  groups: "Groups apart no more than by chance",
  groupsFact:
    "the largest gap by {attribute}: {measure}, {most} against {least}, corrected p {holm}; {confined} {confined|condition|conditions} certified to leave nobody a plan",
  groupsNoGap:
    "no gap between the groups; {confined} {confined|condition|conditions} certified to leave nobody a plan",
  groupsNone: "no groups were compared",

  monitoring: "Figures to monitor",
  monitoringNote:
    "Compare these with the card of a later run with the same request. A figure that leaves its 95 % interval wants a look; so does one that is above 0 where 0 is expected. Intervals treat the rows as drawn at random from those to come.",
  figure: "Figure",
  value: "Value",
  interval: "95 % interval",
  from: "From",
  expected: "expected: 0",
  fig_atGoal: "Rows with a plan that reaches the goal",
  fig_oneEdit: "Rows with a plan of one edit",
  fig_edits: "Edits per plan",
  fig_change: "Change per plan",
  fig_proven: "Plans proven smallest over all permitted values",
  fig_none: "Rows certified to have no plan",
  fig_budget: "Rows whose search was cut short",
  fig_errors: "Rows that could not be read or scored",
  fig_missing: "Missing cells",
  fig_before: "Score of the rows now, on average",
  fig_survival: "Retrained models that accept a plan",
  fig_unusual: "Planned values that are unusual",
  fig_accuracy: "Rows of the table put into their known class",
  fig_auc: "Area under the ROC curve of the model",
  unit_rows: "{count} {count|row|rows}",
  unit_plans: "{count} {count|plan|plans}",
  unit_cells: "{count} {count|cell|cells}",
  unit_values: "{count} planned {count|value|values}",

  repeat: "Repeating and signing",
  repeatNote:
    "The same table, model, options and seed give the same run hash and the same plans, on the command line, over HTTP and in the studio. With the explanation this card was made from, cola verify says whether a word of it was changed.",
  code: "Code to check this card",
} as const;

export type CardWords = Readonly<Record<keyof typeof enCard, string>>;
