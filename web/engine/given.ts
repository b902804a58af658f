import type { Constraints } from "../../src/data/constraints.ts";
import { decodeText } from "../../src/data/csv.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import type { GivenSource } from "../../src/generate/given/source.ts";
import { toolSource } from "../../src/generate/given/tool.ts";
import type { Matrix, Table } from "../../src/types.ts";
import { type Data, readFile } from "./data.ts";
import type { GivenFile } from "./protocol.ts";

/** Counterfactuals somebody brought: a table, or the file of another tool. */
export type Own = { readonly table: Table } | { readonly source: GivenSource };

/** Reads the file far enough to refuse a bad one, and counts its rows. */
export async function readOwn(file: GivenFile): Promise<{ own: Own; rows: number }> {
  const source = /\.json$|^[^.]*$/i.test(file.name)
    ? toolSource(decodeText(file.bytes, file.name))
    : undefined;
  if (!source) {
    const table = await readFile(file);
    return { own: { table }, rows: table.rows };
  }
  const { countGiven } = await import("../../src/generate/given/count.ts");
  return { own: { source }, rows: countGiven(source) };
}

/** The counterfactuals as codes; where the file knows for which rows they are, the first of these are explained. */
export async function ownReferences(
  own: Own,
  { rows }: Pick<Data, "rows">,
  constraints: Constraints,
  most: number,
): Promise<{ references: Matrix; chosen?: readonly number[]; pairs?: ArrayLike<number> }> {
  if ("table" in own) return { references: tableToMatrix(constraints.schema, own.table) };
  const { given } = await import("../../src/generate/given.ts");
  const read = await given({ constraints, x: rows }, own.source);
  if (!read.pairs) return { references: read.rows };
  const people = [...new Set(read.pairs)].sort((a, b) => a - b);
  const place = new Map(people.map((i, at) => [i, at]));
  const chosen = people.slice(0, most);
  const { ofFirst } = await import("../../src/generate/given/first.ts");
  return {
    chosen,
    ...ofFirst(
      chosen.length,
      read.rows,
      read.pairs.map((i) => place.get(i)!),
    ),
  };
}
