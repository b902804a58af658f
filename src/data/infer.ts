import { ColaError } from "../errors.ts";
import type { Cell, Feature, Kind, Schema, Table } from "../types.ts";
import { bare } from "./bare-text.ts";
import { isDateText, readAsDates } from "./date-parts.ts";
import { areDates } from "./dates-as-numbers.ts";
import { isIdentifier } from "./identifiers.ts";
import { asInTable, columnOfInput, levelsInInputs, type NamedLevels } from "./input-levels.ts";
import { Note } from "./notes.ts";
import { isNumberText, numbersBut } from "./number-texts.ts";
import { isProtected } from "./protected.ts";
import { plainLevel } from "./schema.ts";
import { sentinelNote, sentinelsIn, withSentinels } from "./sentinels.ts";

export interface InferOptions {
  /** Column with the known outcome; never a feature. */
  readonly target?: string;
  /** Columns that name a row; never features. */
  readonly id?: string;
  /** Columns that are not features by the caller's wish. */
  readonly exclude?: readonly string[];
  /** Kinds the caller knows better. */
  readonly kinds?: Readonly<Record<string, Kind>>;
  /** Text columns with more levels than this are left out as free text. Default 200. */
  readonly maxLevels?: number;
  /**
   * What a model from elsewhere reads: its inputs, or `all` where it does not say. Such columns stay features whatever
   * they look like, and levels named by inputs are levels.
   */
  readonly inputs?: readonly string[] | "all";
  /** Levels that the model's file names, of columns it reads. */
  readonly levels?: readonly NamedLevels[];
}

export interface Inferred {
  readonly schema: Schema;
  /** What was decided and why, for people. */
  readonly notes: readonly Note[];
  /** Columns that are not features: the target, ids, free text, dates. */
  readonly dropped: readonly string[];
}

const ID_NAME = /(^|[_\s.-])(id|uuid|key|index|zip|zip_?code|postcode|postal_?code|plz|ssn|iban|phone)$/i;
/** What pandas calls the row index it wrote as a column. */
const ROW_INDEX = /^(Unnamed: 0|level_0)(\.\d+)?$|^__index_level_\d+__$/;
const INFINITE = /^[+-]?(inf|infinity|∞)$/i;
/** A whole number, also as pandas writes it in a column with gaps: 55.0. */
const WHOLE = /^[+-]?\d+(\.0+)?([eE]\+?\d+)?$/;

/** What the distinct values of a column look like. */
interface Profile {
  readonly present: number;
  /** The different values as text, blanks around them apart. */
  readonly text: string[];
}

/**
 * Guesses the schema of a table: kinds from values, ids and codes kept out, protected attributes marked
 * immutable. Every guess is in the notes and every field can be edited before it is used.
 */
export function inferSchema(table: Table, options: InferOptions = {}): Inferred {
  const notes: Note[] = [];
  const dropped: string[] = [];
  const features: Feature[] = [];
  for (const [role, name] of [
    ["target", options.target],
    ["id", options.id],
    ...(options.exclude ?? []).map((name) => ["excluded", name] as const),
  ] as const) {
    if (name === undefined) continue;
    if (!table.names.includes(name)) {
      throw new ColaError(
        "SCHEMA_INVALID",
        `schema: there is no ${role} column ${JSON.stringify(name)}; the columns are ${table.names.join(", ")}.`,
        { name, role },
      );
    }
    dropped.push(name);
  }
  const reading = readingOf(table, options);
  const guesses = table.names.map((name, k) =>
    dropped.includes(name) ? undefined : inferFeature(name, table.columns[k]!, reading(name), options),
  );
  const sentinels = sentinelsIn(
    guesses.map((guess, k) => (guess && "quantity" in guess ? table.columns[k] : undefined)),
  );
  guesses.forEach((guess, k) => {
    const name = table.names[k]!;
    if (guess === undefined) return;
    if (guess instanceof Note) {
      dropped.push(name);
      notes.push(new Note("leftOut", { name, why: guess }));
      return;
    }
    const codes = sentinels[k];
    const feature = codes ? withSentinels(guess.feature, codes) : guess.feature;
    notes.push(...(codes ? [sentinelNote(name, codes)] : []), ...guess.notes, ...doubtfulLevels(feature));
    if (!feature.immutable && isProtected(name, feature.kind)) {
      notes.push(new Note("protected", { name }));
      features.push({ ...feature, immutable: true });
    } else features.push(feature);
  });
  if (features.length === 0) {
    const why = notes.map((note) => ` ${note}`).join("");
    throw new ColaError(
      "SCHEMA_INVALID",
      `schema: no column can be a feature; leave out fewer (options.exclude), or give a table with others.${why}`,
      { notes },
    );
  }
  return { schema: { features }, notes, dropped };
}

function profile(column: readonly Cell[]): Profile {
  const values = new Set<Cell>();
  let present = 0;
  for (const cell of column) {
    if (cell === null) continue;
    present++;
    values.add(cell);
  }
  return { present, text: [...new Set(Array.from(values, (v) => String(v).trim()))] };
}

/** How a model reads a column: whether it does, and the levels its inputs name. */
interface Reading {
  readonly read: boolean;
  readonly levels: readonly string[];
  /** The levels are the file's own, whatever the column looks like. */
  readonly named?: boolean;
}

function readingOf(table: Table, options: InferOptions): (name: string) => Reading {
  const reading = inputReading(table, options);
  const named = new Map(
    options.levels?.map(({ feature, levels }) => [columnOfInput(feature, table.names), levels]),
  );
  return (name) => {
    const levels = named.get(name);
    return levels ? { read: true, levels, named: true } : reading(name);
  };
}

function inputReading({ names }: Table, { inputs = [] }: InferOptions): (name: string) => Reading {
  if (inputs === "all") return (name) => ({ read: !ROW_INDEX.test(name), levels: [] });
  const direct = new Set(inputs.map((input) => columnOfInput(input, names)));
  const levels = levelsInInputs(inputs, names);
  return (name) => ({ read: direct.has(name), levels: levels.get(name) ?? [] });
}

interface Guess {
  readonly feature: Feature;
  readonly notes: readonly Note[];
  /** Numbers nobody has declared, among which codes for missing values are looked for. */
  readonly quantity?: true;
}

/** The feature with its notes, or the reason why the column is not a feature. */
function inferFeature(
  name: string,
  column: readonly Cell[],
  { read, levels: written, named = false }: Reading,
  options: InferOptions,
): Guess | Note {
  const { maxLevels = 200 } = options;
  const seen = profile(column);
  const levels = asInTable(written, seen.text);
  const declared = options.kinds && Object.hasOwn(options.kinds, name) ? options.kinds[name] : undefined;
  if (named && declared === undefined) return plainly(withLevels(name, levels, seen));
  const kind = declared ?? (coversLevels(seen, levels) ? "categorical" : guessKind(name, seen, column));
  if (kind === "empty") return read ? plainly({ name, kind: "numeric" }) : new Note("noValue");
  if (kind === "id" || kind === "date")
    return read ? frozen(name, kind, seen, column) : leftOut(name, kind, seen);
  const keyed = declared === undefined && isIdentifier(name, column, kind === "integer");
  if (kind === "integer" && keyed) return frozen(name, "id", seen, column);
  if (kind === "integer" && declared === undefined && areDates(name, seen.text))
    return frozen(name, "date", seen, column);
  if (kind === "numeric" || kind === "integer")
    return { ...plainly({ name, kind }), ...(declared === undefined ? { quantity: true } : {}) };
  if (kind === "boolean" && isPlainBoolean(seen.text)) return plainly({ name, kind });
  // A few rows may have one of the two words alone, which a model reads as the number it stands for.
  if (read && kind === "categorical" && seen.text.every((t) => /^(true|false|yes|no)$/i.test(t)))
    return plainly({ name, kind: "boolean" });
  if (seen.text.length > maxLevels) {
    const notNumber = numbersBut(seen.text);
    if (read && notNumber === undefined) return frozen(name, keyed ? "id" : "text", seen, column);
    const count = seen.text.length;
    return notNumber
      ? new Note("freeTextOfNumbers", { count, why: notNumber })
      : new Note("freeText", { count });
  }
  if (!read && declared === undefined && namesEveryRow(seen)) return new Note("ownText");
  return plainly({
    ...withLevels(name, levels, seen),
    ...(kind === "boolean" ? {} : { kind }),
  });
}

/** The levels a model names, and those of the table it does not: 10.0 is its 10. */
function withLevels(name: string, levels: readonly string[], { text }: Profile): Feature {
  const others = text.filter((t) => !levels.includes(t) && !levels.includes(plainLevel(t)));
  return { name, kind: "categorical", categories: [...levels, ...others].sort(byText) };
}

/** Rows from which a text that never comes twice describes nothing. */
const OWN_TEXTS = 30;

/** Has every row a text of its own, other than numbers that some cells spoil? */
const namesEveryRow = ({ text, present }: Profile): boolean =>
  present >= OWN_TEXTS && text.length === present && numbersBut(text) === undefined;

const plainly = (feature: Feature): Guess => ({ feature, notes: [] });

/** Do the inputs speak of this column's levels? Those of numbers only where one is met: `age_group` is not a level of age. */
function coversLevels({ text }: Profile, levels: readonly string[]): boolean {
  if (levels.length === 0) return false;
  return (
    !text.every(isNumberText) || text.length === 0 || levels.some((l) => text.map(plainLevel).includes(l))
  );
}

/** Why a column is not a feature; of dates, whether their parts can be read. */
function leftOut(name: string, kind: "id" | "date", { text }: Profile): Note {
  if (kind === "id") return new Note("looksLikeId", { name });
  return readAsDates(text) ? new Note("looksLikeDate", { name }) : new Note("looksLikeOtherDate");
}

const LOOKS = { id: "frozenId", date: "frozenDate", text: "frozenText" } as const;

/** A column that the model reads and nobody can change. */
function frozen(name: string, look: keyof typeof LOOKS, { text }: Profile, column: readonly Cell[]): Guess {
  const isWhole = text.every((t) => WHOLE.test(t) && Number.isSafeInteger(Number(t)));
  // 00123 is a number to a model that was trained on numbers, and a text to one that is told so by the table.
  const feature: Feature = isWhole
    ? { name, kind: "integer" }
    : { name, kind: "categorical", categories: [...text].sort(byText) };
  const example = String(column.find((cell) => cell !== null));
  const note = new Note(LOOKS[look], { name, example });
  return { feature: { ...feature, immutable: true }, notes: [note] };
}

function guessKind(
  name: string,
  { text: texts, present }: Profile,
  column: readonly Cell[],
): Kind | "id" | "date" | "empty" {
  if (present === 0) return "empty";
  if (ROW_INDEX.test(name)) return "id";
  if (isPlainBoolean(texts)) return "boolean";
  const rows = column.length;
  if (!texts.every((t) => isNumberText(t) || INFINITE.test(t))) {
    if (texts.every(isDateText)) return "date";
    return ID_NAME.test(name) && texts.length > 0.9 * rows ? "id" : "categorical";
  }
  const code = texts.some((t) => /^[+-]?(0\d|\d{16,}$)/.test(t));
  const flags = texts.every((t) => t === "0" || t === "1");
  if (code || (ID_NAME.test(name) && !flags && texts.length > Math.min(0.5 * rows, 50))) return "id";
  const isWhole = (t: string): boolean => WHOLE.test(t) && Number.isSafeInteger(Number(t));
  // One value, met in one row, says nothing of others.
  if (rows === 1) return "numeric";
  // 55.0 is a whole number where pandas had to write a float for a gap; elsewhere it says that fractions are meant.
  const whole = texts.every((t) => isWhole(t) && (present < rows || !t.includes(".")));
  return whole ? "integer" : "numeric";
}

/** What looks wrong about a column that is read as text. */
function doubtfulLevels({ name, categories = [] }: Feature): Note[] {
  const why = numbersBut(categories);
  if (why !== undefined) return [new Note("readAsText", { name, why })];
  const alike = new Map(categories.map((t) => [bare(t), t]));
  const twin = categories.find((t) => alike.get(bare(t)) !== t);
  if (twin === undefined) return [];
  const [one, other] = [JSON.stringify(twin), JSON.stringify(alike.get(bare(twin)))];
  return [new Note("twinLevels", { name, one, other })];
}

/** Two values of which one says no and the other yes. */
function isPlainBoolean(texts: readonly string[]): boolean {
  const lower = new Set(texts.map((t) => plainLevel(t.toLowerCase())));
  if (lower.size === 0 || lower.size > 2) return false;
  return [
    ["0", "1"],
    ["false", "true"],
    ["no", "yes"],
  ].some(([no, yes]) => lower.size === 2 && lower.has(no!) && lower.has(yes!));
}

/** Text order that does not depend on the machine's locale. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
