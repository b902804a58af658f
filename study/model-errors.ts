import { isNumberText } from "../src/data/number-texts.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell } from "../src/types.ts";
import type { Data } from "./parts.ts";

/** The error of a reader, which knows no names, with that of the file. */
export function withFile({ code, message, details }: ColaError, file: string): ColaError {
  return new ColaError(code, message.replace(/^read[A-Z]\w*: /, `${file}: `), details);
}

/** The error with the row of the cell it speaks of, and with why columns it misses are not features. */
export function placed(error: ColaError, { table, notes, schema }: Data): ColaError {
  const {
    feature,
    level,
    inputs = [],
    missing = [],
  } = error.details as {
    readonly feature?: string;
    readonly level?: string;
    readonly inputs?: readonly string[];
    readonly missing?: readonly string[];
  };
  const column = table.columns[table.names.indexOf(feature ?? "")] ?? [];
  const isOdd = (cell: Cell): boolean => {
    const text = String(cell).trim();
    return cell !== null && (isNumberText(level!) ? text === level : !isNumberText(text));
  };
  const row = level === undefined ? -1 : column.findIndex(isOdd);
  const out = notes.filter(
    ({ code, values }) => code === "leftOut" && inputs.includes(String(values["name"])),
  );
  const first = row < 0 ? [] : [`The first such cell is ${JSON.stringify(column[row])} in row ${row}.`];
  const names = new Set([...schema.features, ...out.map(({ values }) => values)].map(({ name }) => name));
  const isOf = (input: string, name: string): boolean =>
    input === name || input.startsWith(`${name}_`) || input.startsWith(`${name}=`);
  const taken = table.names.filter((name) => !names.has(name) && inputs.some((input) => isOf(input, name)));
  if (missing.length > 0 && missing.every((input) => taken.some((name) => isOf(input, name))))
    return setAside(error, taken);
  const roles = taken.map(
    (name) =>
      `${name} is in the table, but given as options.label, options.id or options.exclude: the model needs it; options.freeze keeps it as it is.`,
  );
  const details = [...first, ...out, ...roles];
  if (details.length === 0) return error;
  const between = error.message.includes("\n") ? "\n" : " ";
  return new ColaError(
    error.code,
    [error.message, ...details].join(between),
    { ...error.details, row },
    error,
  );
}

/** What the model reads is there, and only said to be no feature. */
function setAside({ code, details }: ColaError, names: readonly string[]): ColaError {
  const [it, is] = names.length === 1 ? ["it", "is"] : ["them", "are"];
  return new ColaError(
    code,
    `binding: the model reads ${names.join(", ")}, which ${is} given as options.label, options.id or options.exclude; take ${it} off there, and use options.freeze if ${it === "it" ? "it" : "they"} must stay as ${it === "it" ? "it is" : "they are"}.`,
    details,
  );
}
