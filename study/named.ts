import { compileExpression, type Expression } from "../src/data/expression.ts";
import { ColaError, isColaError } from "../src/errors.ts";
import { rowOf } from "../src/num/matrix.ts";
import type { Matrix, Schema } from "../src/types.ts";
import type { Given } from "./options.ts";
import type { Among, Study } from "./study.ts";

/** The rows that meet a condition, written like a rule over the features. */
export function meeting(
  { data: { table, schema, constraints } }: Study,
  where: string,
  rows: Matrix,
): number[] {
  const condition = conditionOf(where, schema, table.names);
  const whole = constraints.complete(rows);
  const fit = Array.from({ length: rows.rows }, (_, i) => i).filter(
    (i) => condition.evaluate(rowOf(whole, i)) > 0,
  );
  if (fit.length > 0) return fit;
  throw new ColaError(
    "INPUT_EMPTY",
    `options.where: none of the ${rows.rows} rows meets ${JSON.stringify(where)}; widen the condition.`,
    { where },
  );
}

/** A condition over the features; of a column that is none it is said so. */
function conditionOf(where: string, schema: Schema, columns: readonly string[]): Expression {
  try {
    return compileExpression(where, schema);
  } catch (error) {
    const name = isColaError(error) ? error.details["name"] : undefined;
    if (typeof name !== "string" || !columns.includes(name)) throw error;
    throw new ColaError(
      "CONSTRAINT_INVALID",
      `options.where: ${name} is a column of the table, but not a feature of the study (dates become numbers by options.dateParts; identifiers and free text are left out); write the condition over features: ${schema.features.map((feature) => feature.name).join(", ")}.`,
      { name, where },
    );
  }
}

/** The rows with these ids, in the order of the table. */
export function placesOf(wanted: readonly string[], { ids, rows }: Among): number[] {
  const named = ids ?? Array.from({ length: rows.rows }, (_, i) => i);
  const known = new Set(named.map(String));
  const lost = wanted.find((id) => !known.has(id));
  if (lost !== undefined) {
    throw new ColaError(
      "OPTION_INVALID",
      ids
        ? `options.ids: no row is called ${JSON.stringify(lost)} in the column of options.id, which begins ${named.slice(0, 5).join(", ")}; correct it, or name another column (options.id).`
        : `options.ids: there is no row ${JSON.stringify(lost)}; without options.id the ${rows.rows} rows are numbered from 0: correct it, or name the column of ids (options.id).`,
      { id: lost },
    );
  }
  return named.flatMap((id, i) => (wanted.includes(String(id)) ? [i] : []));
}

/** Those of the rows named that meet the condition, too, where there is one. */
export function bothOf(named: readonly number[], fit: readonly number[] | undefined, { ids, where }: Given) {
  const fitting = fit && new Set(fit);
  const both = named.filter((i) => fitting?.has(i) ?? true);
  if (both.length > 0) return both;
  throw new ColaError(
    "INPUT_EMPTY",
    `options.ids, options.where: none of the rows named (${ids!.slice(0, 5).join(", ")}${ids!.length > 5 ? ", …" : ""}) meets ${JSON.stringify(where)}; leave one of the two out, or correct it.`,
    { ids, where },
  );
}
