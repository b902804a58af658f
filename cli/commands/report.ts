import { checkWritable } from "../../node/files.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { fill } from "../../show/sentences.ts";
import { isColaError } from "../../src/errors.ts";
import { damaged, readExplanation } from "../explanations.ts";
import type { CommandSpec } from "../parse.ts";
import { printResult, readReasons, resultKinds, writeResults } from "../results.ts";
import { EXIT } from "../run.ts";
import { dayOf } from "../today.ts";

/** Renders a stored explanation again: nothing is computed, so no model is needed. */
export const reportCommand: CommandSpec = {
  name: "report",
  summary: "render an explanation.json (or .jsonl) again: report, figures, tables",
  arguments: "<file>",
  options: ["out", "formats", "plainCsv", "reasons", "date", "locale", "json"],
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
      date: dayOf(given.date),
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
