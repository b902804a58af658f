import { commands } from "../cli/commands/index.ts";
import { OPTIONS, type OptionSpec } from "../study/options.ts";

/** docs/CLI.md as it follows from the commands and the one table of options. */
export function cliPage(): string {
  const parts = commands.map((command) => {
    const rows = command.options.map((name) => {
      const spec: OptionSpec = OPTIONS[name];
      const value = spec.value ? ` <${spec.value}>` : "";
      const fallback = spec.default === undefined ? "" : ` Default: ${spec.default}.`;
      const choices = spec.choices ? ` One of ${spec.choices.join(", ")}.` : "";
      return `| \`--${spec.flag}${value}\` | ${spec.help.replaceAll("|", "\\|")}.${choices}${fallback} |`;
    });
    const words = command.arguments ? ` ${command.arguments}` : "";
    return `## cola ${command.name}${words}

${command.summary[0]!.toUpperCase()}${command.summary.slice(1)}.

\`\`\`
${command.examples.join("\n")}
\`\`\`

| option | meaning |
|---|---|
${rows.join("\n")}
`;
  });
  return `# The command line

\`cola COMMAND --help\` prints the same. Progress goes to standard error, results to standard output; \`--json\` prints
the result as JSON, errors too; \`NO_COLOR\` turns colours off; \`-\` stands for standard input. An option is given once;
a list may also be given in parts (\`--freeze age --freeze income\`), and a name with a comma stands in back quotes (\`\`--freeze '\`debt, total\`'\`\`).
An empty value is refused, as of a variable that is not set. Files are written whole or not at all, those of one result together. Exit codes: 0 all rows ok, 1 some rows not,
2 bad input, 3 the model failed, 4 a budget ran out (141 where the reader of a pipe has gone). This page is made by
\`npm run docs\`.

${parts.join("\n")}`;
}
