import { Command } from "commander";
import type { ColaError } from "../src/errors.ts";
import { VERSION } from "../src/version.ts";
import { commands } from "./commands/index.ts";
import type { Given } from "./options.ts";
import { addOptions } from "./parse.ts";
import { EXIT, exitCodeOf } from "./run.ts";

const program = new Command("cola")
  .description("The few edits that change a model's decision.")
  .version(VERSION)
  .showHelpAfterError("(--help lists the options)")
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.badInput);
  });

for (const command of commands) {
  const sub = program
    .command(command.arguments ? `${command.name} ${command.arguments}` : command.name)
    .description(command.summary);
  addOptions(sub, command.options);
  sub.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
  sub.action(async (...received: unknown[]) => {
    const given = received.at(-2) as Given;
    try {
      process.exitCode = await command.run(given, ...(received.slice(0, -2) as (string | undefined)[]));
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      const { message, code, details } = error as ColaError;
      if (given.json) process.stdout.write(`${JSON.stringify({ error: { code, message, details } })}\n`);
      else process.stderr.write(`cola: ${message} [${code}]\n`);
    }
  });
}

await program.parseAsync();
