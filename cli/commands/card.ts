import { join } from "node:path";
import { checkWritable, writeFilesWhole, writeFileWhole } from "../../node/files.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { cardOf } from "../../show/method-card/card.ts";
import { cardHtml } from "../../show/method-card/html.ts";
import { cardMarkdown } from "../../show/method-card/markdown.ts";
import { fill } from "../../show/sentences.ts";
import { ColaError, checkName } from "../../src/errors.ts";
import type { Given } from "../../study/options.ts";
import { readExplanation } from "../explanations.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { dayOf } from "../today.ts";

const FORMATS = { html: cardHtml, md: cardMarkdown } as const;
type Format = keyof typeof FORMATS;

/** What a model-risk team files: what the method does, its limits, what this run shows of it, figures to monitor. */
export const cardCommand: CommandSpec = {
  name: "card",
  summary: "the method card of an explanation: purpose, data, method, limits, evidence, figures to monitor",
  arguments: "<file>",
  options: ["date", "out", "formats", "locale", "json"],
  examples: [
    "cola card out/explanation.json",
    "cola card out/explanation.json --locale de --date 2026-05-31 --out deutsch",
    "cola card out/explanation.json --formats md --out - > METHOD.md",
  ],
  async run(given, file = "") {
    const formats = formatsOf(given);
    const locale = localeNamed(given.locale ?? "en");
    const card = cardOf(readExplanation(file), { date: dayOf(given.date), locale });
    const { out = "out" } = given;
    if (out === "-") {
      writeFileWhole("-", given.json ? `${JSON.stringify(card)}\n` : FORMATS[formats[0]!](card));
      return EXIT.ok;
    }
    const files = formats.map((format) => [join(out, `card.${format}`), FORMATS[format](card)] as const);
    writeFilesWhole(files);
    const paths = files.map(([path]) => path);
    const { evidence, figures, code } = card;
    process.stdout.write(
      given.json
        ? `${JSON.stringify({ files: paths, code: code[1], evidence, figures })}\n`
        : `${fill(locale.words.textWritten, { files: paths.join(", ") })}\n`,
    );
    return EXIT.ok;
  },
};

function formatsOf({ formats, out, json }: Given): readonly Format[] {
  const names = formats ?? (out === "-" ? ["md"] : ["html", "md"]);
  for (const name of names) checkName("card", "format", name, Object.keys(FORMATS));
  if (out !== "-") checkWritable(out ?? "out");
  else if (names.length !== 1 && !json)
    throw new ColaError(
      "OPTION_INVALID",
      "--out - prints one card: name html or md with --formats, not both.",
    );
  return names as readonly Format[];
}
