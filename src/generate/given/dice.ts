import { ColaError } from "../../errors.ts";
import { type PyValue, readPython, writePython } from "./python-json.ts";

/** A cell of a DiCE file: whole numbers are bigint, floats number. */
export type DiceCell = null | boolean | bigint | number | string;

/** A data frame of a DiCE file. */
export interface DiceFrame {
  readonly names: readonly string[];
  readonly rows: readonly (readonly DiceCell[])[];
  /** Labels of the rows; schema 1 has them. */
  readonly index?: readonly string[];
}

/** The counterfactuals of one query instance. */
export interface DiceExample {
  readonly factual: DiceFrame;
  /** Null where DiCE found none. */
  readonly counterfactuals: DiceFrame | null;
  /** Name of the outcome column, in both frames. */
  readonly outcome: string;
  readonly data: DiceCell;
  readonly modelType: PyValue;
  readonly desiredClass: PyValue;
  readonly desiredRange: PyValue;
}

/** What `CounterfactualExplanations.to_json()` of DiCE writes, schema 1 or 2. */
export interface DiceFile {
  readonly version: "1.0" | "2.0";
  readonly examples: readonly DiceExample[];
  readonly localImportance: PyValue;
  readonly summaryImportance: PyValue;
}

type PyMap = ReadonlyMap<string, PyValue>;

function wrong(rule: string, remedy: string, details: Readonly<Record<string, unknown>> = {}): ColaError {
  return new ColaError("TABLE_INVALID", `dice: ${rule}; ${remedy}.`, details);
}

function field(map: PyMap, name: string, where = "the file"): PyValue {
  const value = map.get(name);
  if (value !== undefined) return value;
  throw wrong(
    `${where} has no "${name}"`,
    "give what CounterfactualExplanations.to_json() wrote, whole and unchanged",
    { field: name },
  );
}

const isMap = (value: PyValue): value is PyMap => value instanceof Map;

function mapOf(value: PyValue, what: string): PyMap {
  if (isMap(value)) return value;
  throw wrong(`${what} is not an object`, "give what CounterfactualExplanations.to_json() wrote");
}

function listOf(value: PyValue, what: string): readonly PyValue[] {
  if (Array.isArray(value)) return value as readonly PyValue[];
  throw wrong(`${what} is not a list`, "give what CounterfactualExplanations.to_json() wrote");
}

function cellOf(value: PyValue, what: string): DiceCell {
  if (value === null || typeof value !== "object") return value;
  throw wrong(`${what} holds a list or an object where a cell should be`, "write the file again");
}

const namesOf = (value: PyValue, what: string): string[] =>
  listOf(value, what).map((name) => {
    if (typeof name === "string") return name;
    throw wrong(`${what} holds ${String(name)}, which is not a name`, "write the file again");
  });

/** Reads a DiCE file of schema 1 or 2; TABLE_INVALID says what is wrong with it. */
export function readDiceJson(text: string): DiceFile {
  const file = mapOf(readPython(text, "dice"), "the file");
  const version = mapOf(field(file, "metadata"), '"metadata"').get("version");
  if (version !== "1.0" && version !== "2.0") {
    throw wrong(
      `the version is ${JSON.stringify(String(version))}`,
      "only the schemas 1.0 and 2.0 are known",
      { version: String(version) },
    );
  }
  return {
    version,
    examples: version === "1.0" ? readOne(file) : readTwo(file),
    localImportance: field(file, "local_importance"),
    summaryImportance: field(file, "summary_importance"),
  };
}

/** Schema 1: every example is a JSON text of its own, its frames JSON texts once more. */
function readOne(file: PyMap): DiceExample[] {
  return listOf(field(file, "cf_examples_list"), '"cf_examples_list"').map((item, i) => {
    const where = `example ${i}`;
    if (typeof item !== "string") throw wrong(`${where} is not a text`, "write the file again");
    const example = mapOf(readPython(item, `dice: ${where}`), where);
    const source = mapOf(field(example, "data_interface", where), `data_interface of ${where}`);
    const found = field(example, "final_cfs_df", where);
    const made: DiceExample = {
      factual: columnFrame(field(example, "test_instance_df", where), `test_instance_df of ${where}`),
      counterfactuals: found === null ? null : columnFrame(found, `final_cfs_df of ${where}`),
      outcome: String(field(source, "outcome_name", where)),
      data: cellOf(source.get("data_df") ?? null, `data_df of ${where}`),
      modelType: field(example, "model_type", where),
      desiredClass: field(example, "desired_class", where),
      desiredRange: field(example, "desired_range", where),
    };
    for (const frame of [made.factual, made.counterfactuals]) {
      if (frame && frame.names.length > 0) checkOutcome(frame.names, made.outcome, where);
    }
    return made;
  });
}

/** {"column": {"label": cell, …}, …}: what DataFrame.to_json() writes. */
function columnFrame(value: PyValue, what: string): DiceFrame {
  if (typeof value !== "string") throw wrong(`${what} is not a text`, "write the file again");
  const columns = [...mapOf(readPython(value, `dice: ${what}`), what)].map(
    ([name, cells]) => [name, mapOf(cells, `column ${name} of ${what}`)] as const,
  );
  const index = [...(columns[0]?.[1].keys() ?? [])];
  for (const [name, cells] of columns) {
    if (cells.size === index.length && index.every((label) => cells.has(label))) continue;
    throw wrong(
      `column ${name} of ${what} has ${cells.size} cells where column ${columns[0]![0]} has ${index.length}`,
      "write the file again",
      { column: name },
    );
  }
  return {
    names: columns.map(([name]) => name),
    index,
    rows: index.map((label) =>
      columns.map(([name, cells]) => cellOf(cells.get(label)!, `${name} of ${what}`)),
    ),
  };
}

/** Schema 2: lists of rows over `feature_names_including_target`. */
function readTwo(file: PyMap): DiceExample[] {
  const factuals = listOf(field(file, "test_data"), '"test_data"');
  const found = listOf(field(file, "cfs_list"), '"cfs_list"');
  if (factuals.length !== found.length) {
    throw wrong(
      `"test_data" has ${factuals.length} instances and "cfs_list" counterfactuals of ${found.length}`,
      "each instance needs one entry in both, null where nothing was found",
      { instances: factuals.length, counterfactuals: found.length },
    );
  }
  if (factuals.length === 0) return [];
  const names = namesOf(field(file, "feature_names_including_target"), '"feature_names_including_target"');
  const source = mapOf(field(file, "data_interface"), '"data_interface"');
  const outcome = String(field(source, "outcome_name", '"data_interface"'));
  checkOutcome(names, outcome, "the file");
  checkOrder(names, namesOf(field(file, "feature_names"), '"feature_names"'), outcome);
  return factuals.map((factual, i) => {
    return {
      factual: rowFrame(names, factual, `test_data of instance ${i}`),
      counterfactuals: found[i] === null ? null : rowFrame(names, found[i]!, `cfs_list of instance ${i}`),
      outcome,
      data: cellOf(source.get("data_df") ?? null, "data_df"),
      modelType: field(file, "model_type"),
      desiredClass: field(file, "desired_class"),
      desiredRange: field(file, "desired_range"),
    };
  });
}

function rowFrame(names: readonly string[], value: PyValue, what: string): DiceFrame {
  const rows = listOf(value, what).map((row, t) => {
    const cells = listOf(row, `row ${t} of ${what}`);
    if (cells.length === names.length) return cells.map((cell) => cellOf(cell, what));
    throw wrong(
      `row ${t} of ${what} has ${cells.length} cells for the ${names.length} columns ${names.join(", ")}`,
      "write the file again, with its target column",
      { row: t, cells: cells.length, columns: names.length },
    );
  });
  return { names, rows };
}

function checkOutcome(names: readonly string[], outcome: string, what: string): void {
  if (names.includes(outcome)) return;
  throw wrong(
    `the target column ${JSON.stringify(outcome)} of ${what} is missing among ${names.join(", ")}`,
    "write the file again with the target column, or give the rows without one as a plain table",
    { outcome, columns: names },
  );
}

/** The two lists of names a file of schema 2 has must agree, or nobody knows which column is which. */
function checkOrder(all: readonly string[], features: readonly string[], outcome: string): void {
  const expected = all.filter((name) => name !== outcome);
  const k = expected.findIndex((name, t) => name !== features[t]);
  if (k < 0 && expected.length === features.length) return;
  throw wrong(
    `"feature_names" and "feature_names_including_target" name different columns or put them in another order (${features.join(", ")} against ${expected.join(", ")})`,
    "the rows follow the second; make the first agree",
    { features, columns: expected },
  );
}

/** Writes a DiCE file: byte for byte what was read. */
export function writeDiceJson(file: DiceFile): string {
  return writePython(new Map(file.version === "1.0" ? writeOne(file) : writeTwo(file)));
}

function writeOne(file: DiceFile): [string, PyValue][] {
  const examples = file.examples.map((example) =>
    writePython(
      new Map<string, PyValue>([
        ["data_interface", sourceOf(example)],
        ["model_type", example.modelType],
        ["desired_class", example.desiredClass],
        ["desired_range", example.desiredRange],
        ["test_instance_df", columnText(example.factual)],
        ["final_cfs_df", example.counterfactuals && columnText(example.counterfactuals)],
      ]),
    ),
  );
  return [
    ["cf_examples_list", examples],
    ["local_importance", file.localImportance],
    ["summary_importance", file.summaryImportance],
    ["metadata", new Map([["version", file.version]])],
  ];
}

const sourceOf = ({ outcome, data }: DiceExample): PyMap =>
  new Map<string, PyValue>([
    ["outcome_name", outcome],
    ["data_df", data],
  ]);

function columnText({ names, rows, index }: DiceFrame): string {
  const label = (t: number): string => index?.[t] ?? String(t);
  const columns = names.map((name, k): [string, PyValue] => [
    name,
    new Map(rows.map((row, t): [string, PyValue] => [label(t), row[k]!])),
  ]);
  return writePython(new Map(columns), "pandas");
}

function writeTwo({ examples, localImportance, summaryImportance, version }: DiceFile): [string, PyValue][] {
  const first = examples[0];
  const names = first?.factual.names ?? null;
  return [
    ["test_data", examples.map(({ factual }) => factual.rows)],
    ["cfs_list", examples.map(({ counterfactuals }) => (counterfactuals ? counterfactuals.rows : null))],
    ["local_importance", localImportance],
    ["summary_importance", summaryImportance],
    ["data_interface", first ? sourceOf(first) : null],
    ["feature_names", names ? names.filter((name) => name !== first!.outcome) : null],
    ["feature_names_including_target", names],
    ["model_type", first?.modelType ?? null],
    ["desired_class", first?.desiredClass ?? null],
    ["desired_range", first?.desiredRange ?? null],
    ["metadata", new Map([["version", version]])],
  ];
}
