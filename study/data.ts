import { plainAmounts } from "../src/data/amounts.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { dateOf } from "../src/data/date-parts.ts";
import { inferSchema } from "../src/data/infer.ts";
import { columnsRead, withInputLevels } from "../src/data/input-levels.ts";
import { leakage, leakNote } from "../src/data/leakage.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { meant } from "../src/data/nearby.ts";
import { firstOf, Note } from "../src/data/notes.ts";
import { isNumberText } from "../src/data/number-texts.ts";
import { collapseOneHot, type OneHotGroup } from "../src/data/one-hot.ts";
import { type Overlay, withConstraints } from "../src/data/overlay.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Schema, Table } from "../src/types.ts";
import { frozenBy } from "./by.ts";
import { placeNotes } from "./by-place.ts";
import {
  apartNote,
  fewRows,
  manyNumbers,
  mergedNote,
  readAs,
  repeatedIds,
  twins,
  unread,
} from "./notices.ts";
import { ownTable } from "./own.ts";
import type { Data, DataParts, Labelled, TableSource } from "./parts.ts";
import { refuseNotes, rowNotesOf } from "./row-notes.ts";
import { overlayInOrder, schemaInOrder } from "./shapes.ts";

/** The loan applications that come with the library. */
function embedded(): TableSource {
  const { table, labels } = loans();
  return {
    source: "the embedded data set: 1,000 synthetic loan applications",
    table,
    known: { schema: loanSchema, labels, classes: loanClasses },
  };
}

/** The rows of a table as codes, with schema, constraints, labels and names. */
export function dataOf(given: DataParts): Data {
  const parts = {
    ...given,
    ...(given.schema ? { schema: schemaInOrder(given.schema) } : {}),
    ...(given.constraints ? { constraints: overlayInOrder(given.constraints) } : {}),
  };
  const source = parts.table ?? embedded();
  return source.known ? knownData(source, source.known, parts) : ownData(source, parts);
}

function knownData(
  { source, table }: TableSource,
  { schema: own, ...labelled }: NonNullable<TableSource["known"]>,
  parts: DataParts,
): Data {
  const schema = withConstraints(parts.schema ?? own, overlayOf(parts, parts.schema ?? own));
  const constraints = compiled(schema);
  const rows = tableToMatrix(schema, table);
  return {
    source,
    table,
    schema,
    constraints,
    listed: true,
    unknownLevels: [],
    groups: [],
    rows,
    ...labelled,
    notes: [],
  };
}

function ownData({ source, table: given }: TableSource, parts: DataParts): Data {
  const { label, id, exclude = [], strict } = parts.options;
  const known = parts.schema ?? parts.trained?.schema;
  const names = known?.features.map(({ name }) => name);
  const { table: raw, notes: amounts } = plainAmounts(given);
  const { table, groups, apart } = collapseOneHot(raw, {
    keep: [label, id, ...exclude, ...(names ?? [])].filter((name) => name !== undefined),
    ...(names ? { features: names } : {}),
  });
  checkRoles(table, parts.options);
  const inferred = known ? { schema: known, notes: trainedNote(parts) } : infer(table, groups, parts);
  const { schema: levelled, unknownLevels } = withInputLevels(inferred.schema, namesOf(parts), parts.levels);
  const dated = known ? { schema: levelled, notes: [] } : frozenDates(levelled, parts.options);
  const fixed = known ? { schema: levelled, notes: [] } : frozenUnread(dated.schema, parts);
  const schema = withConstraints(fixed.schema, overlayOf(parts, fixed.schema));
  const rows = tableToMatrix(schema, table);
  const labelled = label ? labelsOf(table, label) : undefined;
  const ids = id ? table.columns[table.names.indexOf(id)] : undefined;
  const constraints = compiled(schema);
  const { levels, stale } = rowNotesOf({ schema, constraints, unknownLevels }, rows, ids);
  const leaks = labelled
    ? leakage(schema, rows, labelled.labels, labelled.classes.length).map((leak) => leakNote(leak, label!))
    : [];
  if (strict) refuseNotes([...leaks, ...levels.filter(({ code }) => code === "levelUnknown")]);
  return {
    source,
    table,
    groups,
    schema,
    constraints,
    listed: parts.schema !== undefined,
    unknownLevels,
    rows,
    notes: [
      ...leaks,
      ...levels,
      ...stale,
      ...groups.map(mergedNote),
      ...apart.map(apartNote),
      ...amounts,
      ...(known ? [] : [readAs(schema)]),
      ...inferred.notes,
      ...fewRows(schema, rows.rows),
      ...dated.notes,
      ...(parts.schema ? [] : placeNotes(schema, parts.unnamed ?? [])),
      ...fixed.notes,
      ...(known ? unread(table, schema, [label, id, ...exclude]) : []),
      ...(ids ? repeatedIds(id!, ids) : []),
      ...(labelled ? twins(labelled.classes) : []),
      ...(labelled && label !== undefined ? manyNumbers(label, labelled.classes) : []),
    ],
    ...(ids ? { ids, idColumn: id! } : {}),
    ...(labelled ?? {}),
  };
}

const namesOf = ({ inputs = [] }: DataParts): readonly string[] => (inputs === "all" ? [] : inputs);

/** Another table in the columns of the data: amounts read, indicator columns made the same features. */
export function alike(table: Table, { table: { names }, groups }: Pick<Data, "table" | "groups">): Table {
  return collapseOneHot(plainAmounts(table).table, { groups, features: names, keep: names }).table;
}

function infer(table: Table, groups: readonly OneHotGroup[], parts: DataParts) {
  const { own, beside, kinds, inputs, levels, options } = parts;
  const { label, id, exclude = [] } = options;
  const rows = beside && alike(beside, { table, groups });
  const others = [own && ownTable(own, table, groups, id), rows];
  const all = others.reduce<Table>((sum, other) => (other ? joined(sum, other) : sum), table);
  const lacking = rows ? lackedBy(rows, table, parts) : [];
  const inferred = inferSchema(all, {
    ...(label ? { target: label } : {}),
    ...(id ? { id } : {}),
    exclude: [...exclude, ...lacking],
    ...(kinds ? { kinds } : {}),
    ...(inputs ? { inputs } : {}),
    ...(levels ? { levels } : {}),
  });
  const why = new Note("lackedByRows");
  const notes = lacking.map((name) => new Note("leftOut", { name, why }));
  return { ...inferred, notes: [...notes, ...inferred.notes] };
}

/** Columns of the references that the rows to explain do not have and no input of the model is named after. */
function lackedBy(rows: Table, { names }: Table, parts: DataParts): string[] {
  const { label, id, exclude = [] } = parts.options;
  const kept = [...rows.names, label, id, ...exclude, ...columnsRead(namesOf(parts), names)];
  return names.filter((name) => !kept.includes(name));
}

/** The schema with the parts of dates frozen: nobody can change when something was. */
function frozenDates(schema: Schema, { dateParts = [] }: DataParts["options"]) {
  const dates = schema.features.map(({ name }) => dateOf(name, dateParts));
  const features = schema.features.map((feature, k) =>
    dates[k] === undefined ? feature : { ...feature, immutable: true },
  );
  const notes = dateParts.map((name) => {
    const columns = schema.features.flatMap((feature, k) => (dates[k] === name ? [feature.name] : []));
    return new Note("dateParts", { name, columns });
  });
  return { schema: { ...schema, features }, notes };
}

/** The schema with the columns that no input of the model is named after frozen, unless formulas may need them. */
function frozenUnread(schema: Schema, parts: DataParts) {
  const names = schema.features.map(({ name }) => name);
  const read = columnsRead(parts.read ?? namesOf(parts), names);
  const formulas = Object.values(parts.constraints?.features ?? {}).some(({ derived }) => derived);
  const others = schema.features.filter(({ name, immutable }) => !immutable && !read.has(name));
  if (read.size === 0 || others.length === 0 || formulas) return { schema, notes: [] };
  const features = schema.features.map((one) => (others.includes(one) ? { ...one, immutable: true } : one));
  const shown = others.map(({ name }) => name);
  const note = new Note("unread", { names: firstOf(shown, 8), count: others.length });
  return { schema: { ...schema, features }, notes: [note] };
}

function trainedNote({ schema, trained }: DataParts): Note[] {
  return schema || !trained ? [] : [new Note("trainedSchema", { file: trained.file })];
}

/** What was locked and left open; people are compared by an attribute, never asked to change it. */
function overlayOf(
  { constraints = {}, options: { freeze = [], vary, by } }: DataParts,
  { features }: Schema,
): Overlay {
  const names = features.map(({ name }) => name);

  return {
    ...constraints,
    freeze: [...(constraints.freeze ?? []), ...freeze, ...frozenBy(by, names)],
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

/** The options `label`, `id` and `exclude` name columns of the table. */
function checkRoles(table: Table, { label, id, exclude = [], dateParts = [] }: DataParts["options"]): void {
  const undated = dateParts.find((name) => !table.names.some((column) => dateOf(column, [name])));
  if (undated !== undefined) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `options.dateParts: there is no column ${JSON.stringify(undated)}${meant(undated, table.names)}; the columns are ${table.names.slice(0, 40).join(", ")}.`,
      { name: undated },
    );
  }
  const roles = [["label", label], ["id", id], ...exclude.map((name) => ["exclude", name] as const)] as const;
  for (const [role, name] of roles) {
    if (name === undefined || table.names.includes(name)) continue;
    throw new ColaError(
      "SCHEMA_INVALID",
      `options.${role}: there is no column ${JSON.stringify(name)}${meant(name, table.names)}; the columns are ${table.names.slice(0, 40).join(", ")}${headless(table)}.`,
      { name, role },
    );
  }
}

/** What else may be the matter where a column is missing: names that are numbers are most often the first row. */
const headless = ({ names }: Table): string =>
  names.some(isNumberText) ? "; if these are cells of a row, put a header above" : "";

/** The class of every row; blanks around a label are not part of it. */
function labelsOf(table: Table, name: string): Required<Labelled> {
  const column = table.columns[table.names.indexOf(name)]!;
  const gap = column.indexOf(null);
  if (gap >= 0) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: row ${gap} has no value of ${name}; every row to train on needs its outcome: fill it in, or leave such rows out.`,
      { row: gap },
    );
  }
  const names = column.map((cell) => String(cell).trim());
  const classes = [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
  if (classes.length < 2 || classes.length > 100) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: the label ${name} has ${classes.length === 1 ? `one value alone, ${JSON.stringify(classes[0])}` : `${classes.length} different values`}; a classifier needs from 2 to 100: choose the column with the outcome (options.label)${classes.length === 1 ? ", and rows of both outcomes" : ""}.`,
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
