import { decodeText, readCsv } from "../../src/data/csv.ts";
import { inferSchema } from "../../src/data/infer.ts";
import { loanClasses, loanSchema, loans } from "../../src/data/loans.ts";
import { collapseOneHot } from "../../src/data/one-hot.ts";
import { hasLevels, matrixToTable, tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { Cell, Matrix, Schema, Table } from "../../src/types.ts";
import type { DataInfo, DataRoles, GivenFile } from "./protocol.ts";

/** A table with its meaning, as the worker keeps it. */
export interface Data {
  readonly source: string;
  readonly table: Table;
  /** Before constraints of a run are laid over it. */
  readonly schema: Schema;
  readonly rows: Matrix;
  readonly notes: readonly string[];
  readonly roles: DataRoles;
  readonly ids?: readonly Cell[];
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
}

const PREVIEW = 5;
/** Rows a page can hold. */
const MAX_ROWS = 1_000_000;

export function embeddedData(): Data {
  const { table, labels } = loans();
  return {
    source: "Loan applications (synthetic, embedded)",
    table,
    schema: loanSchema,
    rows: tableToMatrix(loanSchema, table),
    notes: [],
    roles: { label: "granted" },
    labels,
    classes: [...loanClasses],
  };
}

/** CSV and TSV are read at once; the readers of all other formats are fetched when one is met. */
export async function readFile({ name, bytes }: GivenFile): Promise<Table> {
  const options = { maxRows: MAX_ROWS };
  if (
    /\.(csv|tsv|txt)$/i.test(name) &&
    !/^(PAR1|ARROW1|PK)/.test(String.fromCharCode(...bytes.subarray(0, 6)))
  ) {
    return collapseOneHot(readCsv(decodeText(bytes, name), options)).table;
  }
  const { readTable } = await import("../../formats/index.ts");
  return collapseOneHot(await readTable(name, bytes, options)).table;
}

export async function openData(file: GivenFile, roles: DataRoles): Promise<Data> {
  const table = await readFile(file);
  const guess = roles.label ?? guessLabel(table);
  return meaningOf(file.name, table, { ...roles, ...(guess === undefined ? {} : { label: guess }) });
}

/** The last column with few different values is where outcomes usually stand. */
function guessLabel({ names, columns }: Table): string | undefined {
  const last = columns.at(-1);
  const levels = last ? new Set(last) : new Set();
  return last && !levels.has(null) && levels.size >= 2 && levels.size <= 20 ? names.at(-1) : undefined;
}

/** The schema of a table under the roles its columns have. */
export function meaningOf(source: string, table: Table, roles: DataRoles): Data {
  const { label, id, kinds } = roles;
  const inferred = inferSchema(table, {
    ...(label ? { target: label } : {}),
    ...(id ? { id } : {}),
    ...(kinds ? { kinds } : {}),
  });
  const names = id ? table.columns[table.names.indexOf(id)] : undefined;
  return {
    source,
    table,
    schema: inferred.schema,
    rows: tableToMatrix(inferred.schema, table),
    notes: inferred.notes,
    roles,
    ...(names ? { ids: names } : {}),
    ...(label ? outcomesOf(table, label) : {}),
  };
}

/** The data with the known outcomes its roles name. */
export function withOutcomes(data: Data): Data {
  const { label } = data.roles;
  return label ? { ...data, ...outcomesOf(data.table, label) } : data;
}

function outcomesOf(table: Table, label: string): { labels: Int32Array; classes: string[] } {
  const column = table.columns[table.names.indexOf(label)]!;
  const classes = [...new Set(column.map(String))].sort((a, b) => (a < b ? -1 : 1));
  if (column.includes(null) || classes.length < 2 || classes.length > 100) {
    throw new ColaError(
      "VALUE_INVALID",
      `The column ${label} cannot be the known outcome: it needs from 2 to 100 different values and none missing, and has ${classes.length}${column.includes(null) ? " with gaps" : ""}. Choose another column, or none and load a model.`,
      { label },
    );
  }
  const codes = new Map(classes.map((name, c) => [name, c]));
  return { labels: Int32Array.from(column, (cell) => codes.get(String(cell))!), classes };
}

export function infoOf(data: Data): DataInfo {
  const { schema, rows, roles } = data;
  const some = takeRows(
    rows,
    Array.from({ length: Math.min(PREVIEW, rows.rows) }, (_, i) => i),
  );
  const { columns } = matrixToTable(schema, some);
  return {
    source: data.source,
    rows: rows.rows,
    columns: data.table.names,
    schema,
    notes: data.notes,
    preview: Array.from({ length: some.rows }, (_, i) => columns.map((column) => column[i]!)),
    ranges: schema.features.map((feature, k) => (hasLevels(feature) ? null : rangeOf(rows, k))),
    ...(roles.label ? { label: roles.label } : {}),
    ...(roles.id ? { id: roles.id } : {}),
    ...(data.classes ? { classes: data.classes } : {}),
  };
}

function rangeOf({ data, cols }: Matrix, k: number): [number, number] | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let c = k; c < data.length; c += cols) {
    const v = data[c]!;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : null;
}
