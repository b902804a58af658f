import { type Command, InvalidArgumentError, Option } from "commander";
import { type Given, OPTIONS, type OptionName, type OptionSpec } from "./options.ts";

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
    else option.argParser((text) => parseValue(spec, text));
    if (spec.default !== undefined) option.default(spec.default);
    command.addOption(option);
  }
}

/** The value of an option, inside its range. */
function parseValue(spec: OptionSpec, text: string): unknown {
  if (spec.kind === "list") return text.split(",").map((part) => part.trim());
  if (spec.kind !== "integer" && spec.kind !== "number") return text;
  const value = Number(text);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = spec;
  const whole = spec.kind === "number" || Number.isInteger(value);
  if (text.trim() !== "" && Number.isFinite(value) && whole && value >= min && value <= max) return value;
  const range = Number.isFinite(max)
    ? ` from ${min} to ${max}`
    : Number.isFinite(min)
      ? ` of at least ${min}`
      : "";
  throw new InvalidArgumentError(`It must be a ${spec.kind === "integer" ? "whole " : ""}number${range}.`);
}
