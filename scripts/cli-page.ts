import { commands } from "../cli/commands/index.ts";
import { OPTIONS, type OptionSpec } from "../cli/options.ts";

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
the result as JSON; \`NO_COLOR\` turns colours off; \`-\` stands for standard input. Files are written whole or not at
all. Exit codes: 0 all rows ok, 1 some rows not, 2 bad input, 3 the model failed, 4 a budget ran out. This page is
made by \`npm run docs\`.

${parts.join("\n")}`;
}
