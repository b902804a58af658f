import { ColaError } from "../src/errors.ts";
import { type ModelName, models } from "../src/train/registry.ts";

/** The two readings of the paper: what it defines, and what its authors' programs do. */
export type PresetName = "paper" | "authors";

/** Everything in which the two readings differ; each field is one choice an implementation has to make. */
export interface Switches {
  /** Background of p-SHAP: p(j|i) as weights, or the distinct references of 1,000 draws, evenly. */
  readonly background: "weighted" | "support";
  /** A run's plans are nested in C, or drawn afresh for every C of the grid. */
  readonly draws: "nested" | "independent";
  /** Cells with q = x: never drawn, or drawn and counted like others. */
  readonly unchanged: "skip" | "keep";
  /** p_Rnd: one partner per row, or all cells U(0, 1). */
  readonly random: "single" | "dense";
  /** A_Value by data set. */
  readonly value: Readonly<Record<DataName, "max" | "average">>;
  /** Order of r: the generator's (pairs known) or shuffled; KNN: own neighbours or a sample of all neighbours. */
  readonly order: "generator" | "shuffled";
  readonly neighbours: "own" | "pooled";
  /** AReS and GLOBE-CE: from the factual to the desired class, or the other way with the first rule alone. */
  readonly recourse: "desired" | "authors";
  /** Factual rows: of the factual class only, or drawn with weight e^(4·label). */
  readonly factuals: "filter" | "weighted";
  /** RB-SHAP: as many training rows as there are references, or all of them. */
  readonly rbBackground: "sample" | "train";
  /** Subsets per sampled Shapley game; games of fewer are enumerated. No feature selection in either. */
  readonly subsets: number;
  /** LR, SVM, DNN and RBF: their usual losses, or the authors' squared loss for all. */
  readonly networks: "usual" | "authors";
  /** Half width of a band: multiplier · sd / √runs, population sd. */
  readonly multiplier: number;
}

export type DataName = "german" | "hotel" | "compas" | "heloc" | "loans";

/** A_Value of the main figure's caption. */
const VALUE = { german: "max", hotel: "max", compas: "average", heloc: "average", loans: "max" } as const;

/** Split and standardisation belong to the preset too: see `prepareSet`. */
export const PRESETS: Readonly<Record<PresetName, Switches>> = {
  paper: {
    background: "weighted",
    draws: "nested",
    unchanged: "skip",
    random: "single",
    value: VALUE,
    order: "generator",
    neighbours: "own",
    recourse: "desired",
    factuals: "filter",
    rbBackground: "sample",
    subsets: 2050,
    networks: "usual",
    multiplier: 3.291,
  },
  authors: {
    background: "support",
    draws: "independent",
    unchanged: "keep",
    random: "dense",
    value: VALUE,
    order: "shuffled",
    neighbours: "pooled",
    recourse: "authors",
    factuals: "weighted",
    rbBackground: "sample",
    subsets: 2050,
    networks: "authors",
    multiplier: 3.291,
  },
};

/** Sizes of one data set's experiments. */
interface DataSettings {
  readonly title: string;
  /** Factual rows, and those drawn before AReS and GLOBE-CE of the authors pick the affected ones. */
  readonly rows: number;
  readonly groupRows: number;
  /** The authors' grid of C: 0, step, 2·step, …; we go on to the last cell. */
  readonly step: number;
  readonly last: number;
}

export const DATA: Readonly<Record<DataName, DataSettings>> = {
  german: { title: "German Credit", rows: 50, groupRows: 50, step: 5, last: 200 },
  hotel: { title: "Hotel Bookings", rows: 50, groupRows: 50, step: 10, last: 400 },
  compas: { title: "COMPAS", rows: 100, groupRows: 800, step: 5, last: 100 },
  heloc: { title: "HELOC", rows: 100, groupRows: 1000, step: 20, last: 800 },
  loans: { title: "Embedded loan applications", rows: 50, groupRows: 50, step: 5, last: 200 },
};

/** A_CE by the paper's name. */
export const GENERATORS = {
  dice: { title: "DiCE", generator: "dice-random" },
  knn: { title: "KNN", generator: "knn" },
  ares: { title: "AReS", generator: "ares" },
  globe: { title: "GlobeCE", generator: "globe-ce" },
  discount: { title: "DisCount", generator: "discount" },
} as const;
export type GeneratorKey = keyof typeof GENERATORS;

/** The paper's twelve models. */
export const MODELS = (Object.keys(models) as ModelName[]).filter((name) => name !== "tree");

/** One experiment: a data set, a model and a generator. */
export interface Scenario {
  readonly id: string;
  readonly data: DataName;
  readonly model: ModelName;
  readonly generator: GeneratorKey;
}

/** The sixteen scenarios of `reproduce table`: four per data set, all twelve models, all five generators. */
export const SCENARIOS: readonly Scenario[] = [
  "german-bagging-knn",
  "german-gp-dice",
  "german-forest-dice",
  "german-mlp-discount",
  "hotel-adaboost-knn",
  "hotel-gradboost-dice",
  "hotel-lightgbm-knn",
  "hotel-logistic-discount",
  "compas-svm-dice",
  "compas-xgboost-knn",
  "compas-adaboost-ares",
  "compas-logistic-globe",
  "heloc-qda-knn",
  "heloc-rbf-dice",
  "heloc-gradboost-knn",
  "heloc-bagging-globe",
].map(scenarioOf);

/** What `--quick` runs: one scenario of every data set. */
export const QUICK = ["german-bagging-knn", "hotel-adaboost-knn", "compas-xgboost-knn", "heloc-bagging-knn"];

/** What is run on the embedded data when a data set is not here. */
export const EMBEDDED = [
  "loans-bagging-knn",
  "loans-forest-dice",
  "loans-gradboost-knn",
  "loans-logistic-knn",
];

/** The scenarios of ids, each once however often it is named: twice the same is not a second observation. */
export const scenariosOf = (ids: readonly string[]): Scenario[] => [...new Set(ids)].map(scenarioOf);

/** The scenario of an id `data-model-generator`. */
export function scenarioOf(id: string): Scenario {
  const [data = "", model = "", generator = "", ...rest] = id.split("-");
  const known = (name: string, table: object): boolean => Object.hasOwn(table, name);
  if (rest.length === 0 && known(data, DATA) && known(model, models) && known(generator, GENERATORS)) {
    return { id, data: data as DataName, model: model as ModelName, generator: generator as GeneratorKey };
  }
  throw new ColaError(
    "NAME_UNKNOWN",
    `reproduce: ${JSON.stringify(id)} is not a scenario; write data-model-generator with data ${Object.keys(DATA).join(", ")}; model ${Object.keys(models).join(", ")}; generator ${Object.keys(GENERATORS).join(", ")}.`,
    { scenario: id },
  );
}
