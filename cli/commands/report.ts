import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { readJsonFile } from "../json-file.ts";
import type { CommandSpec } from "../parse.ts";
import { readReasons, resultKinds, writeResults } from "../results.ts";
import { EXIT } from "../run.ts";

/** Renders a stored explanation again: nothing is computed, so no model is needed. */
export const reportCommand: CommandSpec = {
  name: "report",
  summary: "render an explanation.json again: report, figures, tables",
  arguments: "<file>",
  options: ["out", "formats", "reasons", "json"],
  examples: ["cola report out/explanation.json --formats html,png --out again"],
  async run(given, file) {
    const explanation = readJsonFile<Explanation>(file!, "explanation");
    if (explanation?.schemaVersion !== 1 || !Array.isArray(explanation.rows)) {
      throw new ColaError(
        "OPTION_INVALID",
        `${file}: this is no explanation of version 1; write one with cola explain.`,
      );
    }
    const files = await writeResults(
      given.out ?? "out",
      explanation,
      resultKinds(given.formats ?? ["html", "csv"]),
      readReasons(given.reasons),
    );
    process.stdout.write(given.json ? `${JSON.stringify({ files })}\n` : `Written: ${files.join(", ")}\n`);
    return EXIT.ok;
  },
};
