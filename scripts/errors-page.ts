import { ERRORS } from "../src/errors.ts";

/** docs/ERRORS.md as it follows from the one table of errors. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `# Errors

Every error of the library is a \`ColaError\` with a stable \`code\`, a message that names the owner, the rule, the
value and the remedy, \`details\` for programs and, where another error lies behind it, its \`cause\`. The user's
model failing (\`PREDICT_*\`) is told apart from us failing (\`INTERNAL\`). This page is made by \`npm run docs\`.

| code | meaning |
|---|---|
${rows.join("\n")}
`;
}
