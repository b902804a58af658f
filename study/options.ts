import { generators } from "../src/generate/registry.ts";
import { divergences } from "../src/num/divergence.ts";
import { readers } from "../src/read/readers.ts";
import { policies } from "../src/refine/policies.ts";
import { COUPLINGS } from "../src/run/open.ts";
import { models } from "../src/train/registry.ts";

/** What an option is about. Method options go to `explain` under their own names unless `method.ts` says otherwise. */
type Part = "table" | "constraints" | "model" | "rows" | "goal" | "method" | "result" | "run";

/** One row of the option table. */
export interface OptionSpec {
  readonly part?: Part;
  /** It may stand in a request to the server. */
  readonly http?: true;
  /** What the studio calls it, where it shows it. */
  readonly page?: string;
  readonly flag: string;
  /** Name of the value in the help; none for switches. */
  readonly value?: string;
  readonly kind: "text" | "list" | "integer" | "number" | "switch" | "choice";
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** The word all is a number that is never reached. */
  readonly all?: true;
  readonly help: string;
  readonly default?: string | number | boolean;
}

const titlesOf = (registry: Readonly<Record<string, { readonly title: string }>>): string =>
  Object.values(registry)
    .map(({ title }) => title)
    .join(", ");

/**
 * Every option of every door, once.
 *
 * Length: one table of all options is what the parser, the help, docs/CLI.md, the HTTP schema, the studio's controls and
 * the resolved options of a result are made from.
 */
export const OPTIONS = {
  data: {
    part: "table",
    flag: "data",
    value: "file",
    kind: "text",
    help: "table of rows: CSV, TSV, Parquet, Arrow or JSON lines; - is standard input; default: the embedded loan applications",
  },
  references: {
    part: "table",
    flag: "references",
    value: "file",
    kind: "text",
    help: "table of references and training, apart from the rows of --data that are explained; default: --data is both",
  },
  dataset: {
    part: "table",
    flag: "dataset",
    value: "name",
    kind: "choice",
    choices: ["german", "hotel", "compas", "heloc"],
    help: "one of the paper's data sets instead of a table, read from --data-dir: people's own features, and as the last class the outcome a person would want",
  },
  sql: {
    part: "table",
    flag: "sql",
    value: "query",
    kind: "text",
    help: "read the rows by a query instead: DuckDB (files by name), or the database of --database",
  },
  database: {
    part: "table",
    flag: "database",
    value: "address",
    kind: "text",
    help: "a DuckDB file or a postgres:// address, for --sql; the PostgreSQL server that keeps everything (serve, worker, audit, replay; default: $DATABASE_URL unless --store is given, else the folder of --store)",
  },
  target: {
    part: "goal",
    http: true,
    page: "What should be reached",
    flag: "target",
    value: "goal",
    kind: "text",
    help: 'what to reach: a class, "A or B", "not A", or a score: "score >= 0.7", "score in [0.2, 0.4]"; the name of an output may stand for score',
  },
  label: {
    part: "table",
    http: true,
    flag: "label",
    value: "column",
    kind: "text",
    help: "column with the known outcome, to train on",
  },
  id: {
    part: "table",
    http: true,
    flag: "id",
    value: "column",
    kind: "text",
    help: "column that names a row; never a feature",
  },
  exclude: {
    part: "table",
    http: true,
    flag: "exclude",
    value: "names",
    kind: "list",
    help: "columns that are not features, comma separated: neither model nor plan sees them",
  },
  dateParts: {
    part: "table",
    http: true,
    flag: "date-parts",
    value: "names",
    kind: "list",
    help: "columns of dates or times to be read in parts, comma separated: NAME_year, NAME_month, NAME_day, NAME_weekday (1 is Monday), NAME_hour, NAME_minute; nobody can change them",
  },
  strict: {
    part: "table",
    http: true,
    flag: "strict",
    kind: "switch",
    help: "refuse what would otherwise only be noted: columns that give the outcome away, levels the model does not know",
  },
  schema: {
    part: "table",
    flag: "schema",
    value: "file",
    kind: "text",
    help: "schema as JSON; default: inferred and printed",
  },
  saveSchema: {
    flag: "save-schema",
    value: "file",
    kind: "text",
    help: "write the schema, inferred or given, as JSON to edit and give back with --schema; - prints it",
  },
  constraints: {
    part: "constraints",
    flag: "constraints",
    value: "file",
    kind: "text",
    help: "constraints as JSON: { features: { NAME: { min, max, … } }, rules: [ … ] }",
  },
  freeze: {
    part: "constraints",
    http: true,
    flag: "freeze",
    value: "names",
    kind: "list",
    help: "features that must not change, comma separated",
  },
  vary: {
    part: "constraints",
    http: true,
    flag: "vary",
    value: "names",
    kind: "list",
    help: "the only features that may change, comma separated",
  },
  model: {
    part: "model",
    flag: "model",
    value: "model",
    kind: "text",
    help: `a model file (${titlesOf(readers)}), an http(s) address, a program of your own that scores lines of JSON ("command:python score.py"), or the name of a classifier to train: ${Object.keys(models).join(", ")}`,
  },
  encoding: {
    part: "model",
    flag: "encoding",
    value: "file",
    kind: "text",
    help: "how the table becomes the model's inputs, as JSON: { inputs: [ { feature, level?, codes?, mean?, scale? } ] }",
  },
  calibration: {
    part: "model",
    flag: "calibration",
    value: "file",
    kind: "text",
    help: "monotone table from the model's score to a probability, straight lines between its points: JSON [[score, probability], …], or two columns of a table; targets and scores are then probabilities",
  },
  also: {
    part: "model",
    flag: "also",
    value: "files",
    kind: "list",
    help: "other model files, comma separated or given again: each row gets a second, sturdy plan, of the fewest edits that all of these models accept too",
  },
  retrain: {
    part: "model",
    http: true,
    flag: "retrain",
    value: "count",
    kind: "integer",
    min: 1,
    max: 100,
    help: "train so many models of the same kind on bootstraps of the table (with --label): each row gets a second, sturdy plan that these accept too",
  },
  judges: {
    part: "model",
    http: true,
    flag: "judges",
    value: "count",
    kind: "integer",
    min: 0,
    max: 1000,
    help: "further retrained models that say how often plans hold, with --retrain or --also; default 20 where there is a --label",
  },
  outputs: {
    part: "model",
    http: true,
    flag: "outputs",
    value: "names",
    kind: "list",
    help: "names of the model's outputs, in order",
  },
  protocol: {
    part: "model",
    flag: "protocol",
    value: "name",
    kind: "choice",
    choices: ["json", "kserve-v1", "kserve-v2", "mlflow"],
    help: "protocol of an HTTP model",
  },
  modelName: {
    part: "model",
    flag: "model-name",
    value: "name",
    kind: "text",
    help: "name of the model on a KServe server",
  },
  authEnv: {
    part: "model",
    flag: "auth-env",
    value: "variable",
    kind: "text",
    help: "environment variable with the bearer token of an HTTP model",
  },
  modelTimeout: {
    part: "model",
    flag: "model-timeout",
    value: "seconds",
    kind: "number",
    min: 0.001,
    help: "time one call of an HTTP or command model may take; default 30 and 60",
  },
  modelBatch: {
    part: "model",
    flag: "model-batch",
    value: "rows",
    kind: "integer",
    min: 1,
    help: "rows an HTTP or command model gets in one call; default 512",
  },
  modelRetries: {
    part: "model",
    flag: "model-retries",
    value: "count",
    kind: "integer",
    min: 0,
    max: 1000,
    help: "how often a call is repeated after 429, 502, 503, 504, a lost connection or a crash; default 4 and 1",
  },
  missing: {
    part: "table",
    http: true,
    flag: "missing",
    value: "texts",
    kind: "list",
    help: "texts that mean a missing value, comma separated",
  },
  decimalComma: {
    part: "table",
    http: true,
    flag: "decimal-comma",
    kind: "switch",
    help: "1,5 in a CSV file is one and a half",
  },
  maxBytes: {
    part: "table",
    flag: "max-bytes",
    value: "count",
    kind: "integer",
    min: 1,
    help: "bytes a table or model file may have, asked before it is read; default 1 GiB for tables, 256 MiB for models",
  },
  maxRows: {
    part: "table",
    flag: "max-rows",
    value: "count",
    kind: "integer",
    min: 1,
    help: "rows a table may have; default 10 million",
  },
  maxColumns: {
    part: "table",
    flag: "max-columns",
    value: "count",
    kind: "integer",
    min: 1,
    help: "columns a table may have, asked before its rows are read; default 10,000",
  },
  maxCell: {
    part: "table",
    flag: "max-cell",
    value: "count",
    kind: "integer",
    min: 1,
    help: "characters one cell may have; default 1 million",
  },
  maxNodes: {
    part: "model",
    flag: "max-nodes",
    value: "count",
    kind: "integer",
    min: 1,
    help: "operators an ONNX model may have, counted before it is run; default 50,000",
  },
  maxElements: {
    part: "model",
    flag: "max-elements",
    value: "count",
    kind: "integer",
    min: 1,
    help: "numbers one constant of an ONNX model may declare, asked before it is run; default 67,108,864",
  },
  generator: {
    part: "rows",
    http: true,
    page: "Counterfactuals from",
    flag: "generator",
    value: "name",
    kind: "choice",
    choices: Object.keys(generators),
    default: "knn",
    help: "how counterfactuals are made",
  },
  counterfactuals: {
    part: "rows",
    flag: "counterfactuals",
    value: "file",
    kind: "text",
    help: "counterfactuals of your own: a table, DiCE or Alibi JSON",
  },
  coupling: {
    part: "method",
    http: true,
    page: "Coupling",
    flag: "coupling",
    value: "name",
    kind: "choice",
    choices: COUPLINGS,
    help: "how rows and counterfactuals are paired; match and joint choose the edits along and are for explain and refine alone; default: the known pair, else the best reference of each row, or transport where no edits are chosen",
  },
  reuse: {
    part: "method",
    http: true,
    page: "How many people may share a counterfactual",
    flag: "reuse",
    value: "K",
    kind: "text",
    help: "how many rows --coupling joint may give the same counterfactual: a number, or free; default: one",
  },
  capped: {
    part: "method",
    http: true,
    page: "No larger changes than with optimal pairing",
    flag: "capped",
    kind: "switch",
    help: "with --coupling joint no row goes farther from where it is than optimal transport would take it",
  },
  policy: {
    part: "method",
    http: true,
    page: "Policy",
    flag: "policy",
    value: "name",
    kind: "choice",
    choices: Object.keys(policies),
    help: "how edits are chosen; default: minimal, and greedy where --effect is asked of the group",
  },
  values: {
    part: "method",
    http: true,
    page: "Planned values",
    flag: "values",
    value: "name",
    kind: "choice",
    choices: ["least", "near", "reference"],
    help: "where planned values come from: least, any permitted value: fewest edits, then least change, proven for models with bounds; near, values of the 50 nearest rows at the goal, mixed; reference, those of one such row. Default: least, and reference with --effect, --coupling, --policy, --budget or --counterfactuals; least with --coupling or --policy moves the numbers of that plan back as far as the goal lets them. Reasons are against real rows in any case",
  },
  only: {
    part: "method",
    http: true,
    flag: "only",
    value: "what",
    kind: "choice",
    choices: ["plans"],
    help: "plans: no reasons, and no counterfactuals to compare with where the model has bounds; for many rows",
  },
  plausible: {
    part: "method",
    http: true,
    flag: "plausible",
    kind: "switch",
    help: "no plan is more unusual than the row itself, by an isolation forest over the table: as few edits and as little change as that leaves; for trees",
  },
  objective: {
    part: "method",
    http: true,
    page: "As few as can be",
    flag: "objective",
    value: "name",
    kind: "choice",
    choices: ["edits", "cost", "change"],
    help: "what a plan has as little of as can be: edits (default), then change; the sum of the costs that the schema gives its edits; or change alone, with any number of edits",
  },
  budget: {
    part: "method",
    http: true,
    page: "Edits over all people",
    flag: "budget",
    value: "C",
    kind: "integer",
    min: 0,
    help: "edits over all rows together",
  },
  perRow: {
    part: "method",
    http: true,
    page: "Edits per person",
    flag: "per-row",
    value: "C",
    kind: "integer",
    min: 0,
    help: "edits for each row",
  },
  effect: {
    part: "goal",
    http: true,
    page: "Share of the effect",
    flag: "effect",
    value: "share",
    kind: "number",
    min: 0,
    max: 1,
    help: "goal for the group: share of the effect to reach; without it every row must reach the target",
  },
  divergence: {
    part: "goal",
    http: true,
    page: "Distance between the scores",
    flag: "divergence",
    value: "name",
    kind: "choice",
    choices: Object.keys(divergences),
    help: "how the distance between the group's scores and those wanted is measured, with --effect; default: w1",
  },
  rows: {
    part: "rows",
    http: true,
    page: "People at most",
    flag: "rows",
    value: "count",
    kind: "integer",
    all: true,
    min: 1,
    default: 10,
    help: "rows to explain: the first that miss the target; on the command line also all",
  },
  ids: {
    part: "rows",
    http: true,
    flag: "ids",
    value: "ids",
    kind: "list",
    help: "explain the rows with these ids of --id, comma separated, whether they miss the target or not",
  },
  where: {
    part: "rows",
    http: true,
    flag: "where",
    value: "condition",
    kind: "text",
    help: "explain only rows that meet a condition, written like a rule: \"income < 30 and job == 'cook'\"",
  },
  by: {
    part: "rows",
    http: true,
    flag: "by",
    value: "attributes",
    kind: "list",
    page: "Compare groups by (such as sex, age:25,45)",
    help: "compare recourse between groups, by features or columns of the table, numbers with the edges of their ranges: sex,age:25,45; what people are compared by is locked in plans",
  },
  shardRows: {
    part: "result",
    flag: "shard-rows",
    value: "count",
    kind: "integer",
    min: 1,
    default: 1000,
    help: "most rows explained at a time (1, 2, 4, … up to this); what is finished is kept, so that the same command goes on after a kill, as far as the model still gives the kept rows and plans the same scores, and Ctrl-C gives the rows that are done; options that join the rows (--effect, --budget, --coupling, --policy) make it one piece of work",
  },
  alternatives: {
    part: "method",
    http: true,
    page: "Other plans",
    flag: "alternatives",
    value: "k",
    kind: "integer",
    all: true,
    min: 0,
    default: 0,
    help: "other plans per row, those of least change first; all, on the command line: every smallest set of features that reaches the goal",
  },
  front: {
    part: "method",
    http: true,
    flag: "front",
    value: "k",
    kind: "integer",
    min: 0,
    default: 0,
    help: "also report the least change with up to k edits more than the fewest",
  },
  effort: {
    part: "method",
    http: true,
    flag: "effort",
    value: "count",
    kind: "integer",
    min: 1,
    help: "mixtures scored for one row before its plan and proof settle for what is known by then; default 32,768; in the search over all values, 65,536 leaves each",
  },
  seed: {
    part: "run",
    http: true,
    page: "Seed",
    flag: "seed",
    value: "number",
    kind: "integer",
    default: 0,
    help: "seed of everything random",
  },
  timeout: {
    part: "run",
    http: true,
    flag: "timeout",
    value: "seconds",
    kind: "number",
    min: 0,
    help: "wall-clock limit of the whole run; what is done by then is kept",
  },
  out: {
    part: "result",
    flag: "out",
    value: "folder",
    kind: "text",
    default: "out",
    help: "folder for the results; - prints one of them instead and writes no file: explanation.json, or what the one name in --formats asks for (of tables the plans z)",
  },
  modelOut: { flag: "model-out", value: "file", kind: "text", help: "where the trained model is written" },
  reference: {
    flag: "reference",
    value: "file",
    kind: "text",
    help: "table whose last column holds your own scores of the rows",
  },
  tolerance: {
    flag: "tolerance",
    value: "number",
    kind: "number",
    min: 0,
    help: "largest difference to the reference scores",
  },
  dataDir: {
    part: "table",
    flag: "data-dir",
    value: "folder",
    kind: "text",
    help: "folder of the paper's data sets; default: $COLA_DATA, else data",
  },
  from: { flag: "from", value: "address", kind: "text", help: "address a data set is fetched from" },
  certificate: {
    part: "result",
    flag: "certificate",
    value: "file",
    kind: "text",
    help: "write (verify: read) the proofs of all plans that are proven over all permitted values, to be checked by cola verify: trees and linear models without rules between columns; at most 50 MB",
  },
  reasons: {
    part: "result",
    flag: "reasons",
    value: "file",
    kind: "text",
    help: "your own reason codes for report and letter, as JSON: { FEATURE: { code, text } }",
  },
  formats: {
    part: "result",
    flag: "formats",
    value: "names",
    kind: "list",
    help: "what to write beside explanation.json (explanation.jsonl above 20,000 rows: what was asked, a line per row, the totals): html, svg, png, dice, csv, tsv, parquet, arrow, json, jsonl; default: html,csv; letter: html, txt, default both; card: html, md, default both",
  },
  plainCsv: {
    part: "result",
    flag: "plain-csv",
    kind: "switch",
    help: "write CSV texts that begin like a formula (= + - @) as they are; default: behind an apostrophe, so that spreadsheets do not run them",
  },
  locale: {
    part: "result",
    flag: "locale",
    value: "name",
    kind: "text",
    default: "en",
    help: "language of text, report and figures: en, de",
  },
  date: {
    part: "result",
    flag: "date",
    value: "day",
    kind: "text",
    help: "day of report, letter or card, as 2026-05-31; default: today",
  },
  sender: { flag: "sender", value: "name", kind: "text", help: "who writes the letter: the line above it" },
  check: {
    flag: "check",
    value: "code",
    kind: "text",
    help: "say whether this code stands on the letter of this row, result and date, instead of writing it",
  },
  explanation: {
    flag: "explanation",
    value: "file",
    kind: "text",
    help: "the explanation that a letter, report or card was written from",
  },
  scenarios: {
    flag: "scenarios",
    value: "ids",
    kind: "list",
    help: "experiments to run, each data-model-generator, comma separated; default: the sixteen of the settings",
  },
  runs: {
    flag: "runs",
    value: "count",
    kind: "integer",
    min: 1,
    help: "sampling runs per scenario and method; default 100, quick 20",
  },
  splits: {
    flag: "splits",
    value: "count",
    kind: "integer",
    min: 1,
    help: "splits of every data set in the contest; default 5, quick 1",
  },
  quick: { flag: "quick", kind: "switch", help: "a subset that ends within two minutes" },
  preset: {
    flag: "preset",
    value: "name",
    kind: "choice",
    choices: ["paper", "authors"],
    default: "paper",
    help: "what the paper defines, or what its authors' programs do",
  },
  workers: {
    flag: "workers",
    value: "count",
    kind: "integer",
    min: 0,
    max: 64,
    help: "shards of rows (explain, refine; default from 500 rows on: as many as there are cores; models asked over a wire: one), scenarios (reproduce; default: as many as there are cores) or jobs (serve and worker; default 2) run at the same time; the results are the same; 0 (serve): none here, workers do them",
  },
  store: {
    flag: "store",
    value: "folder",
    kind: "text",
    help: "folder in which the server keeps jobs, uploads, results and the audit trail; default: cola-store, where no database is named",
  },
  blobs: {
    flag: "blobs",
    value: "folder",
    kind: "text",
    help: "with --database: a folder for uploads and results that all machines share; default: in the database",
  },
  host: {
    flag: "host",
    value: "address",
    kind: "text",
    default: "127.0.0.1",
    help: "address to listen on; any other than the loopback needs API keys in $COLA_API_KEYS (name:secret,…)",
  },
  port: {
    flag: "port",
    value: "number",
    kind: "integer",
    min: 0,
    max: 65_535,
    default: 8080,
    help: "port to listen on; 0 is any free one",
  },
  allowHosts: {
    flag: "allow-hosts",
    value: "hosts",
    kind: "list",
    help: "hosts whose HTTP models requests may name, comma separated; default: none",
  },
  page: {
    flag: "page",
    value: "folder",
    kind: "text",
    help: "folder with the page; default: the one built with the command",
  },
  keepDays: {
    flag: "keep-days",
    value: "days",
    kind: "integer",
    min: 1,
    help: "forget results, ended jobs and unused uploads after so many days, never audit records; default: keep everything",
  },
  auditKey: {
    flag: "audit-key",
    value: "file",
    kind: "text",
    help: "private key that signs the audit trail, made by cola audit key; default: $COLA_AUDIT_KEY, else it is not signed",
  },
  config: {
    flag: "config",
    value: "file",
    kind: "text",
    help: "JSON file with limits and API keys of the server; keys in it may change while it runs. $COLA_LIMIT_… win over it",
  },
  publicKey: {
    flag: "public-key",
    value: "file",
    kind: "text",
    help: "public key that must have signed the audit trail",
  },
  tables: { flag: "tables", kind: "switch", help: "remove the uploaded tables that hold the person, too" },
  head: {
    flag: "head",
    value: "hash",
    kind: "text",
    help: "hash of an earlier verification that must still be in the trail",
  },
  study: {
    flag: "study",
    value: "file",
    kind: "text",
    help: "a study that cola study save wrote: everything but the rows to explain",
  },
  json: { part: "run", flag: "json", kind: "switch", help: "print the result as JSON" },
  dryRun: {
    flag: "dry-run",
    kind: "switch",
    help: "say what would be done, how many rows the model would score at least and how long that would take, and stop",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type OptionName = keyof typeof OPTIONS;

type ValueOf<Spec extends OptionSpec> = Spec["kind"] extends "integer" | "number"
  ? number
  : Spec["kind"] extends "switch"
    ? boolean
    : Spec["kind"] extends "list"
      ? readonly string[]
      : string;

/** Options as a door receives them: absent when not given and without default. */
export type Given = { readonly [Name in OptionName]?: ValueOf<(typeof OPTIONS)[Name]> };

/** The rows of the table, by name. */
export const optionRows: readonly (readonly [OptionName, OptionSpec])[] = Object.entries(OPTIONS) as [
  OptionName,
  OptionSpec,
][];

/** The options about some parts of a study, in the order of the table. */
export function about(...parts: readonly Part[]): OptionName[] {
  return optionRows.flatMap(([name, { part }]) => (part && parts.includes(part) ? [name] : []));
}

/** Options on which the meaning of a table depends. */
export const MEANING = ["label", "id", "exclude", "dateParts", "strict", "freeze", "vary", "by"] as const;

/** The named options as far as they are given. */
export function only<Name extends OptionName>(given: Given, ...names: readonly Name[]): Pick<Given, Name> {
  const there = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, given[name]])) as Pick<Given, Name>;
}

type HttpName = {
  [Name in OptionName]: (typeof OPTIONS)[Name] extends { readonly http: true } ? Name : never;
}[OptionName];

/** Options of a request to the server. */
export type RequestOptions = Pick<Given, HttpName>;
