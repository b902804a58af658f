import { Command } from "commander";
import type { ColaError } from "../src/errors.ts";
import { VERSION } from "../src/version.ts";
import { explainCommand } from "./commands/explain.ts";
import type { Given } from "./options.ts";
import { addOptions } from "./parse.ts";
import { exitCodeOf } from "./run.ts";

const program = new Command("cola")
  .description("The few edits that change a model's decision.")
  .version(VERSION)
  .showHelpAfterError();

for (const command of [explainCommand]) {
  const sub = program.command(command.name).description(command.summary);
  addOptions(sub, command.options);
  sub.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
  sub.action(async (given: Given) => {
    try {
      process.exitCode = await command.run(given);
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      const { message, code, details } = error as ColaError;
      if (given.json) process.stdout.write(`${JSON.stringify({ error: { code, message, details } })}\n`);
      else process.stderr.write(`cola: ${message} [${code}]\n`);
    }
  });
}

await program.parseAsync();
