import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { inferSchema } from "../src/data/infer.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { collapseOneHot, type OneHotGroup } from "../src/data/one-hot.ts";
import { type Overlay, withConstraints } from "../src/data/overlay.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell, Kind, Matrix, Schema, Table } from "../src/types.ts";
import { apartNote, leaks, mergedNote, readAs, twins, unread } from "./notices.ts";
import type { Given } from "./options.ts";
import { type Own, ownTable } from "./own.ts";

/** A table as a door read it. */
export interface TableSource {
  /** Where it came from, in words. */
  readonly source: string;
  readonly table: Table;
  /** What is known of it beforehand. */
  readonly known?: Required<Labelled> & { readonly schema: Schema };
}

interface Labelled {
  /** Index of each row's class, where a label column is known. */
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
}

/** Everything the meaning of a table depends on. */
export interface DataParts {
  /** Absent: the embedded loan applications. */
  readonly table?: TableSource;
  readonly schema?: Schema;
  /** The schema a saved model was trained with, and the name of its file; `schema` goes before. */
  readonly trained?: { readonly schema: Schema; readonly file: string };
  readonly constraints?: Overlay;
  /** Counterfactuals of one's own, whose levels are levels too. */
  readonly own?: Own;
  readonly kinds?: Readonly<Record<string, Kind>>;
  readonly options: Pick<Given, "label" | "id" | "freeze" | "vary">;
}

/** A table with its meaning. */
export interface Data extends Labelled {
  readonly source: string;
  readonly table: Table;
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** The levels of its features are listed by somebody, not those one table happens to have. */
  readonly listed: boolean;
  /** Indicator columns of the file that became one feature. */
  readonly groups: readonly OneHotGroup[];
  /** The rows as codes. */
  readonly rows: Matrix;
  readonly ids?: readonly Cell[];
  /** Name of the column with the ids. */
  readonly idColumn?: string;
  /** What was decided while reading, for people. */
  readonly notes: readonly string[];
}

/** The loan applications that come with the library. */
export function embedded(): TableSource {
  const { table, labels } = loans();
  return {
    source: "the embedded data set: 1,000 synthetic loan applications",
    table,
    known: { schema: loanSchema, labels, classes: loanClasses },
  };
}

/** The rows of a table as codes, with schema, constraints, labels and names. */
export function dataOf(parts: DataParts): Data {
  const source = parts.table ?? embedded();
  return source.known ? knownData(source, source.known, parts) : ownData(source, parts);
}

function knownData(
  { source, table }: TableSource,
  { schema: own, ...labelled }: NonNullable<TableSource["known"]>,
  parts: DataParts,
): Data {
  const schema = withConstraints(parts.schema ?? own, overlayOf(parts));
  const constraints = compiled(schema);
  const rows = tableToMatrix(schema, table);
  return { source, table, schema, constraints, listed: true, groups: [], rows, ...labelled, notes: [] };
}

function ownData({ source, table: raw }: TableSource, parts: DataParts): Data {
  const { label, id } = parts.options;
  const known = parts.schema ?? parts.trained?.schema;
  const names = known?.features.map(({ name }) => name);
  const { table, groups, apart } = collapseOneHot(raw, {
    keep: [label, id, ...(names ?? [])].filter((name) => name !== undefined),
    ...(names ? { features: names } : {}),
  });
  checkRoles(table, parts.options);
  const inferred = known ? { schema: known, notes: trainedNote(parts) } : infer(table, groups, parts);
  const schema = withConstraints(inferred.schema, overlayOf(parts));
  const labelled = label ? labelsOf(table, label) : undefined;
  const ids = id ? table.columns[table.names.indexOf(id)] : undefined;
  return {
    source,
    table,
    groups,
    schema,
    constraints: compiled(schema),
    listed: parts.schema !== undefined,
    rows: tableToMatrix(schema, table),
    notes: [
      ...groups.map(mergedNote),
      ...apart.map(apartNote),
      ...(known ? [] : [readAs(schema)]),
      ...inferred.notes,
      ...(known ? unread(table, schema, [label, id]) : []),
      ...(labelled ? [...twins(labelled.classes), ...leaks(table, schema, label!)] : []),
    ],
    ...(ids ? { ids, idColumn: id! } : {}),
    ...(labelled ?? {}),
  };
}

function infer(
  table: Table,
  groups: readonly OneHotGroup[],
  { own, kinds, options: { label, id } }: DataParts,
) {
  const others = own && ownTable(own, table, groups, id);
  return inferSchema(others ? joined(table, others) : table, {
    ...(label ? { target: label } : {}),
    ...(id ? { id } : {}),
    ...(kinds ? { kinds } : {}),
  });
}

function trainedNote({ schema, trained }: DataParts): string[] {
  return schema || !trained ? [] : [`The schema is the one ${trained.file} was trained with.`];
}

function overlayOf({ constraints = {}, options: { freeze = [], vary } }: DataParts): Overlay {
  return {
    ...constraints,
    freeze: [...(constraints.freeze ?? []), ...freeze],
    ...(vary ? { vary } : {}),
  };
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

/** The options `label` and `id` name columns of the table. */
function checkRoles(table: Table, { label, id }: DataParts["options"]): void {
  for (const [role, name] of Object.entries({ target: label, id })) {
    if (name === undefined || table.names.includes(name)) continue;
    throw new ColaError(
      "SCHEMA_INVALID",
      `table: there is no ${role} column ${JSON.stringify(name)}; the columns are ${table.names.slice(0, 40).join(", ")}.`,
      { name, role },
    );
  }
}

/** The class of every row; blanks around a label are none of its letters. */
function labelsOf(table: Table, name: string): Required<Labelled> {
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
