import { createContext, useContext, useEffect, useState } from "react";
import { english, languages, type Said, saidIn } from "./said.ts";

const KEY = "cola-language";

/** The language chosen last, else the first the browser asks for that there is, else English. */
export function firstLanguage(): string {
  const asked = [remembered(), ...navigator.languages.map((tag) => tag.split("-")[0]!)];
  return asked.find((tag) => Object.hasOwn(languages, tag)) ?? "en";
}

// From a disk some browsers keep nothing; then the choice lasts as long as the page.
function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export function remember(language: string): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {}
}

/** How the page speaks. The old language stays until the new one is here. */
export function useLanguage(language: string): Said {
  const [said, setSaid] = useState(() => saidIn(english));
  useEffect(() => {
    let left = false;
    languages[language]?.load().then((found) => {
      if (left) return;
      document.documentElement.lang = found.locale.lang;
      setSaid(saidIn(found));
    });
    return () => {
      left = true;
    };
  }, [language]);
  return said;
}

export const SaidContext = createContext<Said>(saidIn(english));

export const useSaid = (): Said => useContext(SaidContext);
