import { ColaError } from "../../src/errors.ts";
import type { Locale } from "./contract.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";

/** Every language there is; a new one is one file and one line here. */
export const locales = { en, de } as const satisfies Readonly<Record<string, Locale>>;

/** The locale of this name; an unknown one is refused with those there are. */
export function localeNamed(name: string): Locale {
  if (Object.hasOwn(locales, name)) return locales[name as keyof typeof locales];
  const names = Object.keys(locales);
  throw new ColaError(
    "NAME_UNKNOWN",
    `locale: there is no locale ${JSON.stringify(name)}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
}
