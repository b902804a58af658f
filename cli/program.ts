import { Command, CommanderError } from "commander";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import { VERSION } from "../src/version.ts";
import type { Given } from "../study/options.ts";
import { commands } from "./commands/index.ts";
import { asTyped } from "./names.ts";
import { addOptions, type CommandSpec } from "./parse.ts";
import { EXIT, exitCodeOf } from "./run.ts";

/** Runs `cola` with these words and returns its exit code. */
export async function runCli(words: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const json = words.includes("--json");
  const program = new Command("cola")
    .description("The few edits that change a model's decision.")
    .version(VERSION)
    .showHelpAfterError("(--help lists the options)")
    .configureOutput({
      outputError: (text, write) => write(withArgument(text, words[0])),
      ...(json ? { writeErr: () => {} } : {}),
    })
    .exitOverride();
  for (const command of commands) {
    const sub = program.command(command.arguments ? `${command.name} ${command.arguments}` : command.name);
    sub.description(command.summary).exitOverride();
    addOptions(sub, command.options);
    sub.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
    sub.action(async (...received: unknown[]) => {
      code = await guarded(
        command,
        received.at(-2) as Given,
        received.slice(0, -2) as (string | undefined)[],
      );
    });
  }
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
    if (json && code !== EXIT.ok)
      say(
        new ColaError("OPTION_INVALID", withArgument(error.message.replace(/^error: /, ""), words[0])),
        json,
      );
  }
  return code;
}

/** What is said of a word that is missing behind a command or an option, or is one too many, and where it belongs. */
const withArgument = (text: string, command = ""): string =>
  text
    .replace(/(missing required argument '(.*?)')$/m, `$1; write cola ${command} <$2>`)
    .replace(/option '(.*?)' argument missing$/m, "option '$1' lacks its value; write it behind the option")
    .replace(/(too many arguments for .*)\.$/m, "$1; put a value that has blanks in quotes");

/** The command's exit code; an error becomes one line (or JSON) and a code of its own. */
async function guarded(command: CommandSpec, given: Given, words: (string | undefined)[]): Promise<number> {
  try {
    return await command.run(given, ...words);
  } catch (thrown) {
    const error = isColaError(thrown) ? thrown : defect(command.name, thrown);
    say(error, given.json ?? false);
    return exitCodeOf(error);
  }
}

/** One line for people on standard error, or JSON for programs on standard output. */
function say({ code, message: text, details }: ColaError, json: boolean): void {
  const message = asTyped(text);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, details } })}\n`);
  else process.stderr.write(`cola: ${message} [${code}]\n`);
}

/** What no input should bring about, as an error like others; the place goes with it for the one who repairs it. */
function defect(command: string, cause: unknown): ColaError {
  const where = cause instanceof Error ? cause.stack?.match(/at .*/)?.[0] : undefined;
  return new ColaError(
    "INTERNAL",
    `${command}: ${messageOf(cause)}; this is a defect of cola, not of your input: please report it with the command.`,
    where ? { where } : {},
    cause,
  );
}
