import { readFileBytes, writeFileWhole } from "../../node/files.ts";
import { ColaError } from "../../src/errors.ts";
import { about } from "../../study/options.ts";
import { openStudy, savedStudy } from "../../study/saved.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { withStudy } from "../sources.ts";

/** Freezes a study into one file: schema, model, references, constraints, options, digest. */
export const studyCommand: CommandSpec = {
  name: "study",
  summary: "save everything but the rows to explain as one file for cola pipe, or look at such a file",
  arguments: "<action> <file>",
  options: [...about("table", "constraints", "model", "goal", "method", "run"), "generator"],
  examples: [
    "cola study save study.json --data loans.csv --id id --model model.json --target granted",
    "cola study show study.json",
  ],
  async run(given, action, file = "") {
    if (action === "show") return show(file, given.json ?? false);
    if (action !== "save")
      throw new ColaError(
        "OPTION_INVALID",
        `study: ${action} is not an action; write "cola study save FILE …" or "cola study show FILE".`,
      );
    return withWork(given, (work) =>
      withStudy(given, work, async (study) => {
        const { json: _, ...options } = given;
        writeFileWhole(file, savedStudy({ ...study, options }));
        return show(file, given.json ?? false);
      }),
    );
  },
};

function show(file: string, json: boolean): number {
  const { data, model, options } = openStudy(file, new TextDecoder().decode(readFileBytes(file, 2 ** 31)));
  const features = data.schema.features.length;
  const told = {
    file,
    source: data.source,
    rows: data.rows.rows,
    features,
    model: model.title,
    digest: model.digest,
  };
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...told, options })}\n`
      : `${file}: ${model.title} on ${told.rows} rows of ${told.source}, ${features} features, target ${options.target ?? "the default"}.\n`,
  );
  return EXIT.ok;
}
