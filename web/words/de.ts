import { de } from "../../show/locales/de.ts";
import type { StudioLocale } from "./contract.ts";
import { deChecks, deFaults } from "./de-checks.ts";
import { deErrors } from "./de-errors.ts";
import { deOwn } from "./de-own.ts";
import { dePerson } from "./de-person.ts";
import { deResult } from "./de-result.ts";
import { deSetup } from "./de-setup.ts";
import { deTitles } from "./de-titles.ts";

export const german: StudioLocale = {
  locale: de,
  words: { ...deSetup, ...deResult, ...dePerson, ...deOwn, ...deChecks },
  titles: { ...deTitles, ...deFaults, ...deErrors },
};
