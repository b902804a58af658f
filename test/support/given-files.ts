/**
 * Files as DiCE writes them (CounterfactualExplanations.to_json() of dice-ml 0.7 to 0.12), made with Python's
 * json.dumps from made-up rows: whole numbers and floats side by side, small and large floats, text beyond
 * ASCII, a slash, row labels out of order, a gap, and an instance without counterfactuals.
 */
export const diceTwo: string = [
  '{"test_data": [[[29, "rent", 1250.5, true, 0.0, 0]], [[41, "own", 980.0, false, 3.25, 0]], [[35, "ca',
  String.raw`f\u00e9 / bar", 1e-05, true, 1e+16, 0]]], "cfs_list": [[[29, "own", 1250.5, true, 0.0, 1], [33, "ren`,
  't", 2200.0, true, -6.624720117542893e-05, 1]], null, [[35, "own", 0.0001, false, 1.2345678901234567e',
  '+19, 1]]], "local_importance": [[0.5, 0.0, 1.0, 0.25, 0.0], [0.5, 0.0, 1.0, 0.25, 0.0], [0.5, 0.0, 1',
  '.0, 0.25, 0.0]], "summary_importance": [0.5, 0.125, 1.0, 0.0, 0.25], "data_interface": {"outcome_nam',
  'e": "granted", "data_df": "dummy_data"}, "feature_names": ["age", "home", "income", "guarantor", "ra',
  'te"], "feature_names_including_target": ["age", "home", "income", "guarantor", "rate", "granted"], "',
  'model_type": "classifier", "desired_class": 1, "desired_range": null, "metadata": {"version": "2.0"}',
  "}",
].join("");

/** Schema 1: each example is JSON text inside JSON text, its frames as DataFrame.to_json() writes them. */
export const diceOne: string = [
  String.raw`{"cf_examples_list": ["{\"data_interface\": {\"outcome_name\": \"granted\", \"data_df\": \"dummy_dat`,
  String.raw`a\"}, \"model_type\": \"classifier\", \"desired_class\": \"opposite\", \"desired_range\": null, \"te`,
  String.raw`st_instance_df\": \"{\\\"age\\\":{\\\"7\\\":29},\\\"home\\\":{\\\"7\\\":\\\"caf\\\\u00e9 \\\\/ bar\\\"`,
  String.raw`},\\\"income\\\":{\\\"7\\\":1250.5},\\\"granted\\\":{\\\"7\\\":0}}\", \"final_cfs_df\": \"{\\\"age\\\"`,
  String.raw`:{\\\"10\\\":29,\\\"9\\\":33},\\\"home\\\":{\\\"10\\\":\\\"own\\\",\\\"9\\\":\\\"own\\\"},\\\"income`,
  String.raw`\\\":{\\\"10\\\":1300.0,\\\"9\\\":0.00001},\\\"granted\\\":{\\\"10\\\":1,\\\"9\\\":1}}\"}", "{\"data`,
  String.raw`_interface\": {\"outcome_name\": \"granted\", \"data_df\": \"dummy_data\"}, \"model_type\": \"classi`,
  String.raw`fier\", \"desired_class\": \"opposite\", \"desired_range\": null, \"test_instance_df\": \"{\\\"age\\\"`,
  String.raw`:{\\\"0\\\":41},\\\"home\\\":{\\\"0\\\":\\\"rent\\\"},\\\"income\\\":{\\\"0\\\":null},\\\"granted\\\"`,
  String.raw`:{\\\"0\\\":0}}\", \"final_cfs_df\": null}"], "local_importance": [{"age": 0.5, "home": 0.25, "incom`,
  'e": 0.0}, {"home": 1.0, "age": 0.0, "income": 0.0}], "summary_importance": null, "metadata": {"versi',
  'on": "1.0"}}',
].join("");

/** What Alibi's Explanation.to_json() writes: CounterfactualRL for many rows. */
export const alibiMany = JSON.stringify({
  meta: {
    name: "CounterfactualRLTabular",
    type: ["blackbox"],
    explanations: ["local"],
    params: {},
    version: "0.9.6",
  },
  data: {
    orig: {
      X: [
        [29, 0, 1250.5],
        [41, 1, 980],
      ],
      class: [[0], [0]],
    },
    cf: {
      X: [
        [29, 1, 1300],
        [41, 1, 1500.25],
      ],
      class: [[1], [1]],
    },
    target: [[1], [1]],
    condition: [],
  },
});

/** One explanation per row: Counterfactual and CounterfactualProto; null where nothing was found. */
export const alibiOne = (x: readonly number[] | null): string =>
  JSON.stringify({
    meta: {
      name: "CounterfactualProto",
      type: ["blackbox"],
      explanations: ["local"],
      params: {},
      version: "0.9.6",
    },
    data: {
      cf: x && { X: [x], class: 1, proba: [[0.2, 0.8]], grads_graph: [], grads_num: [] },
      all: {},
      orig_class: 0,
      orig_proba: [[0.7, 0.3]],
      id_proto: 1,
    },
  });

/** A contrastive explanation: the pertinent negative is the counterfactual. */
export const alibiCem = JSON.stringify({
  meta: { name: "CEM", type: ["blackbox"], explanations: ["local"], params: {}, version: "0.9.6" },
  data: { PN: [[29, 1, 1400.5]], PP: null, PN_pred: 1, PP_pred: null, X: [[29, 0, 1250.5]], X_pred: 0 },
});
