import type { Constraints } from "../../src/data/constraints.ts";
import { decodeText } from "../../src/data/csv.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import type { GivenSource } from "../../src/generate/given/source.ts";
import type { Matrix, Table } from "../../src/types.ts";
import { type Data, readFile } from "./data.ts";
import type { GivenFile } from "./protocol.ts";

/** Counterfactuals somebody brought: a table, or the file of another tool. */
export type Own = { readonly table: Table } | { readonly source: GivenSource };

/** What a JSON file of another tool is, by the fields only that tool writes. */
function toolFile({ name, bytes }: GivenFile): GivenSource | undefined {
  if (!/\.json$/i.test(name)) return undefined;
  const text = decodeText(bytes, name);
  if (/"(cfs_list|cf_examples_list)"\s*:/.test(text)) return { format: "dice", file: text };
  return /"meta"\s*:/.test(text) ? { format: "alibi", explanations: text } : undefined;
}

/** Reads the file far enough to refuse a bad one, and counts its rows. */
export async function readOwn(file: GivenFile): Promise<{ own: Own; rows: number }> {
  const source = toolFile(file);
  if (!source) {
    const table = await readFile(file);
    return { own: { table }, rows: table.rows };
  }
  return { own: { source }, rows: await rowsOf(source) };
}

async function rowsOf(source: GivenSource): Promise<number> {
  if (source.format === "dice" && typeof source.file === "string") {
    const { readDiceJson } = await import("../../src/generate/given/dice.ts");
    const { examples } = readDiceJson(source.file);
    return examples.reduce((sum, { counterfactuals }) => sum + (counterfactuals?.rows.length ?? 0), 0);
  }
  const { readAlibi } = await import("../../src/generate/given/alibi.ts");
  const text = source.format === "alibi" ? String(source.explanations) : "";
  return readAlibi(text).counterfactuals.flat().length;
}

/** The counterfactuals as codes; where the file knows for which rows they are, only these are explained. */
export async function ownReferences(
  own: Own,
  { rows }: Data,
  constraints: Constraints,
): Promise<{ references: Matrix; chosen?: readonly number[]; pairs?: ArrayLike<number> }> {
  if ("table" in own) return { references: tableToMatrix(constraints.schema, own.table) };
  const { given } = await import("../../src/generate/given.ts");
  const read = await given({ constraints, x: rows }, own.source);
  if (!read.pairs) return { references: read.rows };
  const chosen = [...new Set(read.pairs)].sort((a, b) => a - b);
  const place = new Map(chosen.map((i, at) => [i, at]));
  return { references: read.rows, chosen, pairs: read.pairs.map((i) => place.get(i)!) };
}
