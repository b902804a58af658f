import { ColaError } from "../errors.ts";
import type { Cell, Feature, Kind, Schema, Table } from "../types.ts";

export interface InferOptions {
  /** Column with the known outcome; never a feature. */
  readonly target?: string;
  /** Columns that name a row; never features. */
  readonly id?: string;
  /** Kinds the caller knows better. */
  readonly kinds?: Readonly<Record<string, Kind>>;
  /** Text columns with more levels than this are left out as free text. Default 200. */
  readonly maxLevels?: number;
  /** `1,5` is one and a half. Default false. */
  readonly decimalComma?: boolean;
}

export interface Inferred {
  readonly schema: Schema;
  /** What was decided and why, for people. */
  readonly notes: readonly string[];
  /** Columns that are no features: the target, ids, free text, dates. */
  readonly dropped: readonly string[];
}

/** Names under which protected attributes usually stand; they are suggested as immutable. */
const PROTECTED =
  /^(age|sex|gender|race|ethnicity|nationality|religion|marital(_?status)?|date_?of_?birth|dob|birth_?date|disability|pregnan.*)$/i;
const ID_NAME = /(^|[_\s.-])(id|uuid|key|index|zip|zip_?code|postcode|postal_?code|plz|ssn|iban|phone)$/i;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}([T ].*)?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** What the distinct values of a column look like. */
interface Profile {
  readonly values: ReadonlyMap<Cell, number>;
  readonly present: number;
  readonly text: string[];
}

/**
 * Guesses the schema of a table: kinds from values, ids and codes kept out, protected attributes marked
 * immutable. Every guess is in the notes and every field can be edited before it is used.
 */
export function inferSchema(table: Table, options: InferOptions = {}): Inferred {
  const notes: string[] = [];
  const dropped: string[] = [];
  const features: Feature[] = [];
  for (const [role, name] of [
    ["target", options.target],
    ["id", options.id],
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
  table.names.forEach((name, k) => {
    if (dropped.includes(name)) return;
    const guess = inferFeature(name, profile(table.columns[k]!), table.rows, options);
    if (typeof guess === "string") {
      dropped.push(name);
      notes.push(`${name} is left out: ${guess}.`);
      return;
    }
    if (PROTECTED.test(name)) {
      notes.push(
        `${name} looks like a protected attribute and is set immutable; edit the schema to change that.`,
      );
      features.push({ ...guess, immutable: true });
    } else features.push(guess);
  });
  if (features.length === 0) {
    throw new ColaError("SCHEMA_INVALID", `schema: no column can be a feature. ${notes.join(" ")}`, {
      notes,
    });
  }
  return { schema: { features }, notes, dropped };
}

function profile(column: readonly Cell[]): Profile {
  const values = new Map<Cell, number>();
  let present = 0;
  for (const cell of column) {
    if (cell === null) continue;
    present++;
    values.set(cell, (values.get(cell) ?? 0) + 1);
  }
  return { values, present, text: [...values.keys()].map((v) => String(v).trim()) };
}

/** The feature, or the reason why the column is none. */
function inferFeature(name: string, seen: Profile, rows: number, options: InferOptions): Feature | string {
  const { maxLevels = 200 } = options;
  const declared = options.kinds?.[name];
  if (seen.present === 0) return "it has no value at all";
  const kind = declared ?? guessKind(name, seen, rows, options);
  if (kind === "id") return "it looks like an identifier or code, not a quantity; declare its kind to use it";
  if (kind === "date") return "it looks like a date; derive a number from it to use it";
  if (kind === "numeric" || kind === "integer") return { name, kind };
  if (kind === "boolean" && isPlainBoolean(seen.text)) return { name, kind };
  if (seen.values.size > maxLevels) return `it is text with ${seen.values.size} different values`;
  return { name, kind: kind === "boolean" ? "categorical" : kind, categories: [...seen.text].sort(byText) };
}

function guessKind(name: string, seen: Profile, rows: number, options: InferOptions): Kind | "id" | "date" {
  const texts = seen.text;
  const numeric = texts.every((t) => NUMBER.test(options.decimalComma ? t.replace(",", ".") : t));
  if (isPlainBoolean(texts)) return "boolean";
  if (!numeric) {
    if (texts.every((t) => DATE.test(t))) return "date";
    return ID_NAME.test(name) && seen.values.size > 0.9 * rows ? "id" : "categorical";
  }
  const code = texts.some((t) => /^[+-]?0\d/.test(t) || t.replace(/\D/g, "").length > 15);
  if (code || (ID_NAME.test(name) && seen.values.size > Math.min(0.5 * rows, 50))) return "id";
  const whole = texts.every((t) =>
    Number.isSafeInteger(Number(options.decimalComma ? t.replace(",", ".") : t)),
  );
  const dotted = texts.some((t) => t.includes(".") || t.includes(","));
  return whole && !dotted ? "integer" : "numeric";
}

/** Two values of which one says no and the other yes. */
function isPlainBoolean(texts: readonly string[]): boolean {
  const lower = new Set(texts.map((t) => t.toLowerCase()));
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
