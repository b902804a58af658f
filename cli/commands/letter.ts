import { join } from "node:path";
import { checkWritable, writeFilesWhole, writeFileWhole } from "../../node/files.ts";
import { letterCode, typedCode } from "../../show/letter/code.ts";
import { letterHtml } from "../../show/letter/html.ts";
import { letterOf, rowCalled } from "../../show/letter/letter.ts";
import { letterText } from "../../show/letter/text.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { fill } from "../../show/sentences.ts";
import { ColaError, checkName } from "../../src/errors.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Given } from "../../study/options.ts";
import { readExplanation } from "../explanations.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { readReasons } from "../results.ts";
import { EXIT } from "../run.ts";
import { dayOf } from "../today.ts";

const FORMATS = { html: letterHtml, txt: letterText } as const;
type Format = keyof typeof FORMATS;

/** One page for one refused person: the decision, its reasons, the plan, and what is not promised. */
export const letterCommand: CommandSpec = {
  name: "letter",
  summary: "one page for one person: the decision, its reasons, the plan; or check the code of such a letter",
  arguments: "<file>",
  options: ["id", "date", "sender", "reasons", "check", "out", "formats", "locale", "json"],
  examples: [
    "cola letter out/explanation.json --id A102",
    "cola letter out/explanation.json --id A102 --locale de --date 2026-05-31 --sender 'Example Bank' --out -",
    "cola letter out/explanation.json --id A102 --date 2026-05-31 --check 7K2M-9QXA-03BF-T6WZ",
  ],
  async run(given, file = "") {
    const { id, check } = given;
    if (id === undefined)
      throw new ColaError(
        "OPTION_INVALID",
        "letter: name the person with --id, by the id that the table has.",
      );
    const date = dayOf(given.date);
    const formats = formatsOf(given);
    const explanation = readExplanation(file);
    const row = rowCalled(explanation, id);
    return check === undefined
      ? write(explanation, row, date, formats, given)
      : compare(letterCode(explanation, row, date, given.sender), check, given);
  },
};

function formatsOf({ formats, out }: Given): readonly Format[] {
  const names = formats ?? (out === "-" ? ["txt"] : ["html", "txt"]);
  for (const name of names) checkName("letter", "format", name, Object.keys(FORMATS));
  if (out !== "-") checkWritable(out ?? "out");
  else if (names.length !== 1)
    throw new ColaError(
      "OPTION_INVALID",
      "--out - prints one letter: name html or txt with --formats, not both.",
    );
  return names as readonly Format[];
}

function write(
  explanation: Explanation,
  row: ExplainedRow,
  date: string,
  formats: readonly Format[],
  given: Given,
): number {
  const { out = "out", sender } = given;
  const locale = localeNamed(given.locale ?? "en");
  const codes = readReasons(given.reasons, explanation.schema);
  const letter = letterOf(explanation, row, { date, locale, codes, ...(sender ? { sender } : {}) });
  if (out === "-") {
    writeFileWhole("-", FORMATS[formats[0]!](letter));
    return EXIT.ok;
  }
  const name = `letter-${letter.about[1].replace(/[^\p{L}\p{N}._-]+/gu, "_")}`;
  const files = formats.map((format) => [join(out, `${name}.${format}`), FORMATS[format](letter)] as const);
  writeFilesWhole(files);
  const paths = files.map(([path]) => path);
  process.stdout.write(
    given.json
      ? `${JSON.stringify({ files: paths, code: letter.code[1] })}\n`
      : `${fill(locale.words.textWritten, { files: paths.join(", ") })}\n`,
  );
  return EXIT.ok;
}

function compare(code: string, typed: string, { json, id }: Given): number {
  const same = typedCode(typed) === code;
  process.stdout.write(
    json
      ? `${JSON.stringify({ same })}\n`
      : same
        ? `${paint.good("✔")} the code belongs to ${id}, this result, date and sender\n`
        : `${paint.bad("✘")} the code does not belong to ${id}, this result, date and sender: the letter is about another row, result, day or sender, or was changed\n`,
  );
  return same ? EXIT.ok : EXIT.someRows;
}
