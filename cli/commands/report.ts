import { checkWritable, readFileBytes, readFileHead } from "../../node/files.ts";
import { beginsLines, explanationOfLines, linesOf } from "../../show/lines.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { fill } from "../../show/sentences.ts";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import { readJsonFile } from "../json-file.ts";
import type { CommandSpec } from "../parse.ts";
import { printResult, readReasons, resultKinds, writeResults } from "../results.ts";
import { EXIT } from "../run.ts";

/** Renders a stored explanation again: nothing is computed, so no model is needed. */
export const reportCommand: CommandSpec = {
  name: "report",
  summary: "render an explanation.json (or .jsonl) again: report, figures, tables",
  arguments: "<file>",
  options: ["out", "formats", "plainCsv", "reasons", "locale", "json"],
  examples: [
    "cola report out/explanation.json --formats html,png --out again",
    "cola report out/explanation.json --locale de --out deutsch",
  ],
  async run(given, file) {
    const locale = localeNamed(given.locale ?? "en");
    if (given.out !== "-") checkWritable(given.out ?? "out");
    const explanation = readExplanation(file!);
    const options = {
      reasons: readReasons(given.reasons, explanation.schema),
      locale,
      plainCsv: given.plainCsv,
    };
    const kinds = resultKinds(given.formats ?? ["html", "csv"]);
    const written =
      given.out === "-"
        ? printResult(explanation, given.formats, options)
        : writeResults(given.out ?? "out", explanation, kinds, options);
    const files = await written.catch((error: unknown) => {
      throw isColaError(error) && error.code !== "INTERNAL" ? error : damaged(file!, error);
    });
    if (!files) return EXIT.ok;
    const sentence = fill(locale.words.textWritten, { files: files.join(", ") });
    process.stdout.write(given.json ? `${JSON.stringify({ files })}\n` : `${sentence}\n`);
    return EXIT.ok;
  },
};

/** Bytes in which the first line of an explanation ends: it holds the schema. */
const HEAD_BYTES = 2 ** 24;

function readExplanation(file: string): Explanation {
  const lines = file !== "-" && beginsLines(readFileHead(file, HEAD_BYTES));
  const value = lines ? undefined : readJsonFile<Partial<Explanation>>(file, "explanation");
  try {
    const explanation = upgradeExplanation(lines ? explanationOfLines(linesOf(readFileBytes(file))) : value);
    if (explanation) return explanation;
  } catch (error) {
    throw damaged(file, error);
  }
  throw new ColaError(
    "OPTION_INVALID",
    `${file}: this is not an explanation of version 1 or 2; write one with cola explain.`,
  );
}

/** Nothing is computed here, so what cannot be rendered was not written by us. */
function damaged(file: string, cause: unknown): ColaError {
  return new ColaError(
    "OPTION_INVALID",
    `${file}: the explanation is damaged (${messageOf(cause).slice(0, 200)}); write it again with cola explain.`,
    { file },
    cause,
  );
}
