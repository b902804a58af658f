import { decodeText, MISSING_TEXTS, readCsv } from "../../src/data/csv.ts";
import { withDateParts } from "../../src/data/date-parts.ts";
import { hasLevels, matrixToTable } from "../../src/data/schema.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { Matrix, Table } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import type { Data, DataParts } from "../../study/parts.ts";
import type { DataInfo, GivenFile } from "./protocol.ts";
import { type DataRoles, rolesOf } from "./roles.ts";

/** A table with the roles of its columns, and what it means before constraints of a run are laid over it. */
export interface Opened {
  /** Absent: the embedded one. */
  readonly table?: DataParts["table"];
  readonly roles: DataRoles;
  readonly data: Data;
  /** As it was given, to be read in another way. */
  readonly file?: GivenFile;
}

const PREVIEW = 5;
/** Rows a page can hold. */
const MAX_ROWS = 1_000_000;
/** What the page calls the embedded table. */
export const EMBEDDED = "Loan applications (synthetic, embedded)";

/** CSV and TSV are read at once; the readers of all other formats are fetched when one is met. */
export async function readFile(
  { name, bytes }: GivenFile,
  { decimalComma, missing = [], dateParts = [] }: DataRoles = {},
): Promise<Table> {
  const options = {
    maxRows: MAX_ROWS,
    decimalComma: decimalComma || ("auto" as const),
    missing: [...MISSING_TEXTS, ...missing],
  };
  const plain = /\.(csv|tsv|txt)$/i.test(name);
  if (plain && !/^(PAR1|ARROW1|PK)/.test(String.fromCharCode(...bytes.subarray(0, 6))))
    return withDateParts(readCsv(decodeText(bytes, name), options), dateParts);
  const { readTable } = await import("../../formats/index.ts");
  return readTable(name, bytes, { ...options, dateParts });
}

export async function openData(file: GivenFile, roles: DataRoles): Promise<Opened> {
  const table = await readFile(file, roles);
  return { ...meant({ source: file.name, table }, roles), file };
}

/** The table under the roles its columns have; without a table it is the embedded one. */
export function meant(table: DataParts["table"], roles: DataRoles): Opened {
  const read = table ? { table } : {};
  return { ...read, roles, data: dataOf({ ...read, ...partsOf(roles) }) };
}

/** What the roles say of the table. */
export function partsOf({
  label,
  id,
  kinds,
  exclude,
  dateParts,
}: DataRoles): Pick<DataParts, "kinds" | "options"> {
  return {
    ...(kinds ? { kinds } : {}),
    options: {
      ...(label ? { label } : {}),
      ...(id ? { id } : {}),
      ...(exclude ? { exclude } : {}),
      ...(dateParts ? { dateParts } : {}),
    },
  };
}

function countsOf({ labels, classes }: Data): number[] {
  const counts = new Array<number>(classes!.length).fill(0);
  for (const label of labels!) counts[label]!++;
  return counts;
}

export function infoOf({ table, roles, data }: Opened): DataInfo {
  const { schema, rows } = data;
  const some = takeRows(
    rows,
    Array.from({ length: Math.min(PREVIEW, rows.rows) }, (_, i) => i),
  );
  const { columns } = matrixToTable(schema, some);
  return {
    source: table?.source ?? EMBEDDED,
    rows: rows.rows,
    columns: data.table.names,
    schema,
    notes: data.notes,
    preview: Array.from({ length: some.rows }, (_, i) => columns.map((column) => column[i]!)),
    gaps: schema.features.flatMap(({ name }, k) => (hasGap(rows, k) ? [name] : [])),
    ranges: schema.features.map((feature, k) => (hasLevels(feature) ? null : rangeOf(rows, k))),
    ...rolesOf(roles),
    ...(data.classes ? { classes: data.classes, counts: countsOf(data) } : {}),
  };
}

function hasGap({ data, cols }: Matrix, k: number): boolean {
  for (let c = k; c < data.length; c += cols) if (Number.isNaN(data[c])) return true;
  return false;
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
