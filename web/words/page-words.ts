import { offers } from "../offers.ts";

/** Options that the page shows under a name of its own. */
const OWN: Readonly<Record<string, string>> = {
  label: "Known outcome",
  id: "Names the rows",
  exclude: "leave out",
  target: "What should be reached",
  rows: "People at most",
  perRow: "Edits per person",
  effect: "Share of the effect",
  seed: "Seed",
  model: "Model",
  encoding: "how the inputs are made of columns",
  schema: "Features",
  saveSchema: "Schema (Files)",
  constraints: "Features",
  outputs: "Names of the outputs",
};

/**
 * What the library says, for people who never typed an option: hints how to type one are left out, and an option is
 * called what the page calls it.
 */
export function inPageWords(text: string): string {
  return text
    .replaceAll(/\s*\(-{2}[^()]*\)/g, "")
    .replaceAll(/-{2}([a-z][a-z-]*)(=[^\s,;.]+)?/g, (_, flag: string) => nameOf(camel(flag)))
    .replaceAll(/\boptions\.([a-zA-Z]+)/g, (_, name: string) => nameOf(name));
}

const camel = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function nameOf(option: string): string {
  const label = OWN[option] ?? offers.options.find(({ name }) => name === option)?.label;
  return `“${label ?? option.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)}”`;
}
