import type { Explanation } from "../../src/explanation.ts";
import { optionFacts } from "../facts.ts";
import type { Locale } from "../locales/contract.ts";
import { basisFacts } from "../report/audit-panel.ts";
import { fill } from "../sentences.ts";

/** Digests, quality of the model and every option, in small print; an option that names a protected attribute is left out. */
export function letterBasis(explanation: Explanation, hidden: ReadonlySet<string>, locale: Locale): string[] {
  const { papers } = locale;
  const told = (name: string, fact: string): string => fill(papers.letterFact, { name, fact });
  const options = optionFacts(explanation, locale).filter(
    ([, fact]) => ![...hidden].some((name) => fact.includes(name)),
  );
  const unset = options.filter(([, fact]) => fact === "–").map(([name]) => name);
  const set = options.filter(([, fact]) => fact !== "–").map((pair) => pair.join(" "));
  const last = unset.length > 0 ? [fill(papers.letterUnset, { names: unset.join(", ") })] : [];
  return [
    basisFacts(explanation, locale)
      .map(([name, fact]) => told(name, fact))
      .join(" "),
    told(papers.letterOptions, [...set, ...last].join("; ")),
  ];
}
