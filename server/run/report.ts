import type { Blobs, Ref } from "../../node/store/blobs.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { reportHtml } from "../../show/report/report.ts";
import { ColaError } from "../../src/errors.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import { resultOf } from "./result.ts";

/** The page that `cola report` writes of a kept explanation. */
export async function reportOf(blobs: Blobs, result: Ref, locale: string): Promise<string> {
  const explanation = upgradeExplanation(resultOf(result, await blobs.get(result)));
  if (!explanation)
    throw new ColaError("FILE_UNREADABLE", `report: the kept result ${result} is no explanation.`);
  return reportHtml(explanation, { locale: localeNamed(locale) });
}
