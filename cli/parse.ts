import { type Command, InvalidArgumentError, Option } from "commander";
import { type Given, OPTIONS, type OptionName, type OptionSpec } from "../study/options.ts";

/** One command: its name, the options it takes from the one table, and what it does (an exit code comes back). */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionName[];
  readonly examples: readonly string[];
  /** Words after the command's name, e.g. `[action] [name]`. */
  readonly arguments?: string;
  run(options: Given, ...words: (string | undefined)[]): Promise<number>;
}

export function addOptions(command: Command, names: readonly OptionName[]): void {
  for (const name of names) {
    const spec: OptionSpec = OPTIONS[name];
    const option = new Option(spec.value ? `--${spec.flag} <${spec.value}>` : `--${spec.flag}`, spec.help);
    if (spec.choices) option.choices(spec.choices);
    if (spec.value) option.argParser(parserOf(spec));
    if (spec.default !== undefined) option.default(spec.default);
    command.addOption(option);
  }
}

/** Reads one option of one command line: lists grow, anything else is given once. A default is nothing given. */
function parserOf(spec: OptionSpec): (text: string) => unknown {
  let before: unknown;
  return (text) => {
    const value = parseValue(spec, text);
    if (before !== undefined && !Array.isArray(before))
      throw new InvalidArgumentError("It is given twice; give it once.");
    before = Array.isArray(before) ? [...before, ...(value as string[])] : value;
    return before;
  };
}

/** The parts between commas; a name that has a comma itself stands in back quotes. */
const parts = (text: string): string[] =>
  text.split(/,(?=(?:[^`]*`[^`]*`)*[^`]*$)/).map((part) => part.trim().replace(/^`(.*)`$/, "$1"));

/** The value of an option, inside its range. An empty one is most often a variable that is not set. */
function parseValue(spec: OptionSpec, text: string): unknown {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  if (Object.values(OPTIONS).some(({ flag }) => text === `--${flag}`))
    throw new InvalidArgumentError("It is the next option; write the value before that.");
  if (spec.choices && !spec.choices.includes(text))
    throw new InvalidArgumentError(`Allowed choices are ${spec.choices.join(", ")}.`);
  if (spec.kind === "list") return parts(text);
  if (spec.kind !== "integer" && spec.kind !== "number") return text;
  const value = spec.all && text === "all" ? Number.MAX_SAFE_INTEGER : Number(text);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = spec;
  const whole = spec.kind === "number" || Number.isInteger(value);
  if (Number.isFinite(value) && whole && value >= min && value <= max) return value;
  const range = Number.isFinite(max)
    ? ` from ${min} to ${max}`
    : Number.isFinite(min)
      ? ` of at least ${min}`
      : "";
  throw new InvalidArgumentError(
    `It must be a ${spec.kind === "integer" ? "whole " : ""}number${range}${spec.all ? ", or the word all" : ""}.`,
  );
}
