import type { Blobs, Ref } from "../../node/store/blobs.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { reportHtml } from "../../show/report/report.ts";
import type { Explanation } from "../../src/explanation.ts";

/** The page that `cola report` writes of a kept explanation. */
export async function reportOf(blobs: Blobs, result: Ref, locale: string): Promise<string> {
  const explanation = JSON.parse(Buffer.from(blobs.get(result)).toString()) as Explanation;
  return reportHtml(explanation, { locale: localeNamed(locale) });
}
