import { existsSync, statSync } from "node:fs";
import { readSetTable, setsFolder } from "../node/sets.ts";
import { readSql } from "../node/sql.ts";
import { readTableFile } from "../node/tables.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { inferSchema } from "../src/data/infer.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { collapseOneHot, type OneHotGroup } from "../src/data/one-hot.ts";
import { type Overlay, withConstraints } from "../src/data/overlay.ts";
import { matrixToTable, tableToMatrix } from "../src/data/schema.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell, Matrix, Schema, Table, WorkOptions } from "../src/types.ts";
import { savedBundle } from "./bundle.ts";
import { readJsonFile } from "./json-file.ts";
import { tableOptions } from "./limits.ts";
import { apartNote, leaks, mergedNote, readAs, twins, unread } from "./notices.ts";
import type { Given } from "./options.ts";
import { referenceTable, sameGroups } from "./references.ts";
import { checkTime } from "./run.ts";
import { constraintsShape, schemaShape } from "./shapes.ts";

/** A table with its meaning. */
export interface Loaded {
  /** Where it came from, in words. */
  readonly source: string;
  readonly table: Table;
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** Indicator columns of the file that became one feature. */
  readonly groups?: readonly OneHotGroup[];
  /** The rows as codes. */
  readonly rows: Matrix;
  readonly ids?: readonly Cell[];
  /** Name of the column with the ids. */
  readonly idColumn?: string;
  /** Index of each row's class, where a label column is known. */
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
  /** What was decided while reading, for people. */
  readonly notes: readonly string[];
}

/** Do the options name rows, rather than leave it to the embedded ones? */
export const hasTable = ({ data, sql, dataset }: Given): boolean =>
  [data, sql, dataset].some((given) => given !== undefined);

/** The rows the options name, with their meaning; the time this takes is part of --timeout. */
export async function loadData(given: Given, work: WorkOptions = {}): Promise<Loaded> {
  const data = await read(given);
  checkTime(work, "reading the rows");
  return data;
}

async function read(given: Given): Promise<Loaded> {
  const overlay = overlayOf(given);
  if (given.dataset) return paperSet(given, given.dataset, overlay);
  if (!hasTable(given)) return embedded(given, overlay);
  const known = knownSchema(given);
  const names = known?.schema.features.map(({ name }) => name);
  const { table, groups, apart } = collapseOneHot(await rawTable(given), {
    keep: [given.label, given.id, ...(names ?? [])].filter((name) => name !== undefined),
    ...(names ? { features: names } : {}),
  });
  const notes = [...groups.map(mergedNote), ...apart.map(apartNote)];
  checkRoles(table, given);
  const others = given.counterfactuals
    ? await referenceTable(given.counterfactuals, tableOptions(given), sameGroups(table, groups), given.id)
    : undefined;
  const seen = others ? joined(table, others) : table;
  const inferred =
    known ??
    inferSchema(seen, {
      ...(given.label ? { target: given.label } : {}),
      ...(given.id ? { id: given.id } : {}),
    });
  const schema = withConstraints(inferred.schema, overlay);
  const labels = given.label ? labelsOf(table, given.label) : undefined;
  const id = given.id ? table.columns[table.names.indexOf(given.id)] : undefined;
  return {
    source: given.data ?? "the query",
    table,
    groups,
    schema,
    constraints: compiled(schema),
    rows: tableToMatrix(schema, table),
    notes: [
      ...notes,
      ...(known ? [] : [readAs(schema)]),
      ...inferred.notes,
      ...(known ? unread(table, schema, [given.label, given.id]) : []),
      ...(labels ? [...twins(labels.classes), ...leaks(table, schema, given.label!)] : []),
    ],
    ...(id ? { ids: id, idColumn: given.id! } : {}),
    ...(labels ?? {}),
  };
}

function rawTable(given: Given): Promise<Table> {
  const options = tableOptions(given);
  if (!given.sql) {
    refusePipe(given.data!);
    return readTableFile(given.data!, options);
  }
  return readSql(given.sql, { ...(given.database ? { database: given.database } : {}), ...options });
}

/** A pipe is read as standard input alone: what a file is and how long it is, is asked before it is read. */
function refusePipe(path: string): void {
  if (path === "-" || !isPipe(path)) return;
  throw new ColaError(
    "FILE_UNREADABLE",
    `${path}: is a pipe, not a file; give --data - and the rows as standard input (… | cola explain --data -).`,
    { path },
  );
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** Constraints under which every feature that lists allowed values has at least one. */
function compiled(schema: Schema): Constraints {
  const constraints = compileConstraints(schema);
  schema.features.forEach(({ name, allowed, min, max, step }, k) => {
    if (!allowed?.length || constraints.domain(k, Number.NaN).values?.length !== 0) return;
    throw new ColaError(
      "CONSTRAINT_INVALID",
      `constraints: ${name}: none of the values \`allowed\` (${allowed.slice(0, 8).join(", ")}) meets ${JSON.stringify({ min, max, step })}; correct either, or freeze the feature.`,
      { feature: name },
    );
  });
  return constraints;
}

/** --label and --id name columns of the table. */
function checkRoles(table: Table, { label, id }: Given): void {
  for (const [role, name] of Object.entries({ target: label, id })) {
    if (name === undefined || table.names.includes(name)) continue;
    throw new ColaError(
      "SCHEMA_INVALID",
      `table: there is no ${role} column ${JSON.stringify(name)}; the columns are ${table.names.slice(0, 40).join(", ")}.`,
      { name, role },
    );
  }
}

/** The schema of --schema, else the one a saved model was trained with. */
function knownSchema(given: Given): { schema: Schema; notes: readonly string[] } | undefined {
  if (given.schema) return { schema: readJsonFile<Schema>(given.schema, "schema", schemaShape), notes: [] };
  const saved = given.model && existsSync(given.model) ? savedBundle(given.model, given.maxBytes) : undefined;
  return (
    saved && {
      schema: saved.encoder.schema,
      notes: [`The schema is the one ${given.model} was trained with.`],
    }
  );
}

function overlayOf(given: Given): Overlay {
  const file = given.constraints
    ? readJsonFile<Overlay>(given.constraints, "constraints", constraintsShape)
    : {};
  return {
    ...file,
    freeze: [...(file.freeze ?? []), ...(given.freeze ?? [])],
    ...(given.vary ? { vary: given.vary } : {}),
  };
}

function embedded(given: Given, overlay: Overlay): Loaded {
  const { table, labels } = loans();
  const own = given.schema ? readJsonFile<Schema>(given.schema, "schema", schemaShape) : loanSchema;
  const schema = withConstraints(own, overlay);
  return {
    source: "the embedded data set: 1,000 synthetic loan applications",
    table,
    schema,
    constraints: compiled(schema),
    rows: tableToMatrix(schema, table),
    labels,
    classes: [...loanClasses],
    notes: [],
  };
}

/** One of the paper's data sets in the product's form. */
async function paperSet(given: Given, name: string, overlay: Overlay): Promise<Loaded> {
  if (given.data || given.sql) {
    throw new ColaError("OPTION_INVALID", "--dataset stands for a table; leave out --data and --sql.");
  }
  const { info, product } = dataSet(name);
  const set = product(await readSetTable(info, setsFolder(given.dataDir)));
  const own = given.schema ? readJsonFile<Schema>(given.schema, "schema", schemaShape) : set.schema;
  const table = matrixToTable(set.schema, set.rows);
  const schema = withConstraints(own, overlay);
  return {
    source: info.title,
    table,
    schema,
    constraints: compiled(schema),
    rows: tableToMatrix(schema, table),
    labels: set.labels,
    classes: [...set.classes],
    notes: [],
  };
}

function labelsOf(table: Table, name: string): { labels: Int32Array; classes: string[] } {
  const column = table.columns[table.names.indexOf(name)]!;
  const gap = column.indexOf(null);
  if (gap >= 0) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: row ${gap} has no ${name}; every row to train on needs its outcome.`,
      { row: gap },
    );
  }
  const names = column.map((cell) => String(cell).trim());
  const classes = [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
  if (classes.length < 2 || classes.length > 100) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: the label ${name} has ${classes.length} different values; a classifier needs from 2 to 100.`,
      { name, classes: classes.length },
    );
  }
  return { labels: Int32Array.from(names, (label) => classes.indexOf(label)), classes };
}

/** Both tables below each other, over the columns of the first: levels of either are levels. */
function joined(first: Table, second: Table): Table {
  const columns = first.names.map((name, k) => [
    ...first.columns[k]!,
    ...(second.columns[second.names.indexOf(name)] ?? []),
  ]);
  const rows = first.rows + second.rows;
  return {
    names: first.names,
    columns: columns.map((c) => [...c, ...new Array<null>(rows - c.length).fill(null)]),
    rows,
  };
}
