import { existsSync } from "node:fs";
import { readSql } from "../node/sql.ts";
import { readTableFile } from "../node/tables.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { inferSchema } from "../src/data/infer.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { collapseOneHot } from "../src/data/one-hot.ts";
import { type Overlay, withConstraints } from "../src/data/overlay.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell, Matrix, Schema, Table } from "../src/types.ts";
import { savedBundle } from "./bundle.ts";
import { readJsonFile } from "./json-file.ts";
import type { Given } from "./options.ts";
import { referenceTable } from "./references.ts";

/** A table with its meaning. */
export interface Loaded {
  /** Where it came from, in words. */
  readonly source: string;
  readonly table: Table;
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** The rows as codes. */
  readonly rows: Matrix;
  readonly ids?: readonly Cell[];
  /** Index of each row's class, where a label column is known. */
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
  /** What was decided while reading, for people. */
  readonly notes: readonly string[];
}

export async function loadData(given: Given): Promise<Loaded> {
  const overlay = overlayOf(given);
  if (!given.data && !given.sql) return embedded(overlay);
  const raw = given.sql ? await sqlTable(given, given.sql) : await fileTable(given, given.data!);
  const { table, groups } = collapseOneHot(raw);
  const notes = groups.map((g) => `${g.columns.length} indicator columns became one feature ${g.feature}.`);
  const others = given.counterfactuals ? await referenceTable(given.counterfactuals) : undefined;
  const seen = others ? joined(table, others) : table;
  const inferred =
    knownSchema(given) ??
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
    schema,
    constraints: compileConstraints(schema),
    rows: tableToMatrix(schema, table),
    notes: [...notes, ...inferred.notes],
    ...(id ? { ids: id } : {}),
    ...(labels ?? {}),
  };
}

function fileTable(given: Given, path: string): Promise<Table> {
  return readTableFile(path, {
    ...(given.maxBytes === undefined ? {} : { maxBytes: given.maxBytes }),
    ...(given.maxRows === undefined ? {} : { maxRows: given.maxRows }),
    ...(given.missing ? { missing: ["", ...given.missing] } : {}),
  });
}

function sqlTable(given: Given, sql: string): Promise<Table> {
  return readSql(sql, {
    ...(given.database ? { database: given.database } : {}),
    ...(given.maxRows === undefined ? {} : { maxRows: given.maxRows }),
  });
}

/** The schema of --schema, else the one a saved model was trained with. */
function knownSchema(given: Given): { schema: Schema; notes: readonly string[] } | undefined {
  if (given.schema) return { schema: readJsonFile<Schema>(given.schema, "schema"), notes: [] };
  const saved = given.model && existsSync(given.model) ? savedBundle(given.model) : undefined;
  return (
    saved && {
      schema: saved.encoder.schema,
      notes: [`The schema is the one ${given.model} was trained with.`],
    }
  );
}

function overlayOf(given: Given): Overlay {
  const file = given.constraints ? readJsonFile<Overlay>(given.constraints, "constraints") : {};
  return {
    ...file,
    freeze: [...(file.freeze ?? []), ...(given.freeze ?? [])],
    ...(given.vary ? { vary: given.vary } : {}),
  };
}

function embedded(overlay: Overlay): Loaded {
  const { table, labels } = loans();
  const schema = withConstraints(loanSchema, overlay);
  return {
    source: "the embedded data set: 1,000 synthetic loan applications",
    table,
    schema,
    constraints: compileConstraints(schema),
    rows: tableToMatrix(schema, table),
    labels,
    classes: [...loanClasses],
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
  const classes = [...new Set(column.map(String))].sort((a, b) => (a < b ? -1 : 1));
  if (classes.length < 2 || classes.length > 100) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: the label ${name} has ${classes.length} different values; a classifier needs from 2 to 100.`,
      { name, classes: classes.length },
    );
  }
  return { labels: Int32Array.from(column, (cell) => classes.indexOf(String(cell))), classes };
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
