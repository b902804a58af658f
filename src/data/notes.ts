/**
 * What is told of a table, its model and its goal, by code, in English. `{name}` is replaced by a value, `{name|one|other}`
 * by the first text where the value is 1 and by the second where it is not. Other languages have the same codes
 * (`show/locales`).
 */
export const NOTES = {
  leakAlways:
    "{feature} tells {label} of every row; if it is the outcome under another name, or known only after it, leave it out (--exclude {feature}).",
  leakAuc:
    "{feature} alone predicts {label} of rows held out with an AUC of {auc}; if it is the outcome under another name, or known only after it, leave it out (--exclude {feature}).",
  levelLeftOut:
    "{feature}: {level} has no input of its own and is taken for the level that the model's encoding leaves out.",
  levelUnknown:
    "{feature} of {cells} {count|is a level|are levels} the model's inputs do not have ({known}), so the model reads {count|it|them} as none of these; correct the cells, say what these levels are to the model (options.encoding), or leave these rows out.",
  levelsByPlace:
    "{feature} is a category to the model, whose file does not name its categories: its levels are taken in the order of their texts ({codes}); if the model was trained on others too, list all in this order in a schema (options.schema).",
  staleDerived:
    "{feature} of {cells} is not what its formula gives, and is computed anew; correct the cells, or `derived` of {feature}.",
  staleCell: "{row} ({value}, by the formula {computed})",
  staleGap: "{row} ({value}, by the formula missing)",
  cell: "{row} ({value})",
  row: "row {row}",
  moreRows: "and {count} more {count|row|rows}",
  more: "and {count} more",
  merged:
    "{columns} became one feature {feature}; to keep them apart, list them as features in options.schema.",
  apart:
    '{columns} are read as features of their own, because some rows have no 1 in any; if they are levels of one feature, list {feature} in options.schema with these and a level "(other)".',
  amounts: "{name} is read as numbers: {written} is {value}, and so on.",
  readAs: "Read as {features}; options.saveSchema writes this to be edited.",
  fewRows:
    "What numbers may become is guessed from {count} {count|row|rows} alone, and plans stay within that; give past rows (options.references), or `min` and `max` of features (options.constraints).",
  featureLevels: "{name} ({count} {count|level|levels})",
  featureNumeric: "{name} (numeric)",
  featureInteger: "{name} (integer)",
  featureBoolean: "{name} (boolean)",
  featureOrdinal: "{name} (ordinal)",
  featureCategorical: "{name} (categorical)",
  leftOut: "{name} is left out: {why}.",
  unread:
    "{names} {count|is not an input|are not inputs} of the model, so {count|it stays|they stay} as {count|it is|they are} in every plan; options.exclude leaves {count|it|them} out.",
  lackedByRows: "the rows to explain do not have it",
  noValue: "it has no value at all",
  looksLikeId: "it looks like an identifier or code, not a quantity; declare its kind to use it",
  looksLikeDate: "it looks like a date or time; options.dateParts {name} reads it as numbers",
  looksLikeOtherDate:
    "it looks like a date or time; write it as 2024-03-31 or 2024-03-31 14:05 to have its parts as numbers (options.dateParts)",
  ownText: "every row has a different text; declare its kind to use it",
  freeText: "it is text with {count} different values",
  freeTextOfNumbers: "it is text with {count} different values, though nearly all are numbers: {why}",
  frozenId:
    "{name} names rows rather than describes them ({example}, …): it stays a column for the model, but is set immutable; edit the schema to change that.",
  frozenDate:
    "{name} is a date or time ({example}, …): the model reads it, but it is set immutable; edit the schema to change that.",
  dateParts: "{name} is read as {columns}, which are set immutable; edit the schema to change that.",
  frozenText:
    "{name} is free text ({example}, …): the model reads it, but it is set immutable; edit the schema to change that.",
  protected: "{name} looks like a protected attribute and is set immutable; edit the schema to change that.",
  sentinels:
    '{name} has {codes} in {rows} {rows|row|rows} beside values from {low} to {high}: read as codes for a missing value, so no edit leads to or from them; "missing" in the schema changes that, and --missing={typed} makes them gaps.',
  readAsText: "{name} is read as text: {why}.",
  decimalComma: "{cell} has a decimal comma; read the file with decimalComma (--decimal-comma)",
  eitherComma:
    "{cell} is {thousands} with a comma between thousands, or {decimal} with a decimal comma; write the thousands without, or read the file with decimalComma (--decimal-comma)",
  pointThousands:
    "{cell} has points between its thousands; write such numbers without, or read the file with decimalComma (--decimal-comma)",
  someNoNumbers:
    "{count} of its {all} values {count|is not a number|are not numbers}, e.g. {cells}; correct {count|it|them} or declare {count|it|them} missing (options.missing)",
  someNoAmounts:
    "its values are amounts as {amount}, but {count} of {all} {count|is|are} not, e.g. {cells}; correct {count|it|them} or declare {count|it|them} missing (options.missing) to have the others read as numbers",
  unitBehind:
    "its values are numbers with {unit} behind, e.g. {cell}; leave it away to have them read as numbers",
  twinLevels: "{name} has levels that are nearly the same: {one} and {other}.",
  twinClasses: "The outcomes {one} and {other} are two classes, though nearly the same.",
  repeatedIds:
    "{name} has the id of an earlier row in {count} {count|row|rows} ({example}, …): an id stands for all its rows; name a column of ids of their own by options.id.",
  manyNumbers:
    "{label} has {count} different numbers, and each is a class of its own; put them into few ranges first, or bring a model that predicts the number (options.model).",
  notRead: "{names} {count|is|are} not read: the schema does not list {count|it|them}.",
  trainedSchema: "The schema is the one {file} was trained with.",
  targetTaken:
    "No target is given, so the last of the {count} classes {classes} is taken: {class}; name another by options.target.",
  emptyRows:
    "{file}: {count} of {all} rows are empty and not read; name the id column (options.id) to say whose they are.",
  othersUnexplained: "{count} of {all} rows of the data are not in {file} and are not explained.",
  noCounterfactual: "{file} has no counterfactual for {rows}.",
  illegal: "Counterfactual {row} breaks the constraints: {problems}.",
  illegalOf: "Counterfactual {row} of {owner} breaks the constraints: {problems}.",
  moreIllegal: "{count} more {count|counterfactual breaks|counterfactuals break} the constraints.",
} as const;

export type NoteCode = keyof typeof NOTES;

/** A note as it comes out of JSON or another thread. */
export type PlainNote = Pick<Note, "code" | "values">;

/** What a note may speak of: texts, numbers, notes within it, and lists of these. */
export type NoteValue = string | number | Note | readonly NoteValue[];

/** Something people should know, by code and values: each door tells it in its language; as a text it is English. */
export class Note {
  readonly code: NoteCode;
  readonly values: Readonly<Record<string, NoteValue>>;

  constructor(code: NoteCode, values: Readonly<Record<string, NoteValue>> = {}) {
    this.code = code;
    this.values = values;
  }

  toString(): string {
    return noteText(this, NOTES, String);
  }
}

/** A note in the words of a language; its numbers as `write` writes them. */
export function noteText(
  { code, values }: PlainNote,
  words: Readonly<Record<NoteCode, string>>,
  write: (value: number) => string,
): string {
  const written = (value: NoteValue): string => {
    if (typeof value === "string") return value;
    if (typeof value === "number") return write(value);
    return "code" in value ? noteText(value, words, write) : value.map(written).join(", ");
  };
  return fill(
    words[code],
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(value)])),
  );
}

/** The first of some things, and how many more there are. */
export function firstOf(
  things: readonly NoteValue[],
  count: number,
  more: "more" | "moreRows" = "more",
): NoteValue[] {
  const rest = things.length - count;
  return rest > 0 ? [...things.slice(0, count), new Note(more, { count: rest })] : [...things];
}

/** The template with every `{name}` replaced, and every `{name|one|other}` by what fits the number. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(
    /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g,
    (_, name: string, one?: string, other?: string) =>
      one === undefined ? (values[name] ?? "") : values[name] === "1" ? one : other!,
  );
}
