import { compileExpression, type Expression } from "../src/data/expression.ts";
import { ColaError, isColaError } from "../src/errors.ts";
import { rowOf } from "../src/num/matrix.ts";
import type { Matrix, Schema } from "../src/types.ts";
import type { Given } from "./options.ts";
import type { Data, Own } from "./parts.ts";

/** What of a study names rows. */
interface Study {
  readonly data: Data;
  readonly options: Given;
  readonly own?: Own;
}

/** The rows that are named among. */
type Among = Pick<Data, "rows" | "ids">;

/** The rows that the options name by id or condition; undefined where they name none. */
export function namedIn(study: Study, among: Among): number[] | undefined {
  const { ids, where } = study.options;
  const fit = where === undefined ? undefined : meeting(study, where, among.rows);
  return ids ? bothOf(placesOf(ids, among), fit, study.options) : fit;
}

/** Places in `chosen`, the rows that have counterfactuals of one's own, of those that the options name. */
export function namedPeople(
  study: Study,
  among: Among,
  chosen: readonly number[],
): readonly number[] | undefined {
  const named = namedIn(study, among);
  if (!named) return undefined;
  const wanted = new Set(named);
  const places = Array.from(chosen.keys()).filter((at) => wanted.has(chosen[at]!));
  if (places.length > 0) return places;
  const { ids, where } = study.options;
  throw new ColaError(
    "INPUT_EMPTY",
    `${study.own!.name}: no counterfactual is of the rows that ${ids ? "options.ids" : "options.where"} names; name others, or leave it out.`,
    { ids, where },
  );
}

/** The rows that meet a condition, written like a rule over the features. */
function meeting({ data: { table, schema, constraints } }: Study, where: string, rows: Matrix): number[] {
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

/** A condition over the features; an error says so where it names a column that is not a feature. */
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
function placesOf(wanted: readonly string[], { ids, rows }: Among): number[] {
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
function bothOf(named: readonly number[], fit: readonly number[] | undefined, { ids, where }: Given) {
  const fitting = fit && new Set(fit);
  const both = named.filter((i) => fitting?.has(i) ?? true);
  if (both.length > 0) return both;
  throw new ColaError(
    "INPUT_EMPTY",
    `options.ids, options.where: none of the rows named (${ids!.slice(0, 5).join(", ")}${ids!.length > 5 ? ", …" : ""}) meets ${JSON.stringify(where)}; leave one of the two out, or correct it.`,
    { ids, where },
  );
}
