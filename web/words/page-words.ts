import { offers } from "../offers.ts";
import type { Said } from "./said.ts";
import { english, saidIn } from "./said.ts";

/** Options that the page shows under a name of its own. */
const OWN: Readonly<Record<string, Parameters<Said["say"]>[0]>> = {
  label: "outcomeColumn",
  id: "idColumn",
  exclude: "leaveOutShort",
  target: "target",
  rows: "peopleAtMost",
  perRow: "editsPerPerson",
  effect: "shareOfEffect",
  seed: "seed",
  model: "model",
  encoding: "inputsHow",
  schema: "features",
  saveSchema: "schemaFile",
  constraints: "features",
  outputs: "outputsNamed",
  missing: "gaps",
  dateParts: "datesInParts",
  decimalComma: "decimalCommaSwitch",
  references: "pastRows",
};

const inEnglish = saidIn(english);

/**
 * What the library says, for people who never typed an option: hints how to type one are left out, and an option is
 * called what the page calls it, in the language of the text.
 */
export function inPageWords(text: string, said: Said = inEnglish): string {
  return text
    .replaceAll(/\s*\(-{2}[^()]*\)/g, "")
    .replaceAll(/-{2}([a-z][a-z-]*)(=[^\s,;.]+)?/g, (_, flag: string) => nameOf(camel(flag), said))
    .replaceAll(/\boptions\.([a-zA-Z]+)|\b(decimalComma)\b/g, (_, one?: string, other?: string) =>
      nameOf((one ?? other)!, said),
    );
}

const camel = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function nameOf(option: string, { say, title, locale }: Said): string {
  const own = OWN[option];
  const label = offers.options.find(({ name }) => name === option)?.label;
  const plain = option.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return locale.papers.quoted.replace("{text}", own ? say(own) : label ? title(label) : plain);
}
