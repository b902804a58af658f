import { useEffect, useMemo, useState } from "react";
import type { Locale } from "../../show/locales/contract.ts";
import { planSentences } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { featureOf, personName } from "./words.ts";

/** For how long rows are searched before the page gets its turn, in milliseconds. */
const TURN_MS = 12;

/** The rows in which a text is found: all at once where nothing is sought, else a turn at a time. */
export function useFound(
  rows: readonly ExplainedRow[],
  find: string,
  locale: Locale,
  { schema }: Explanation,
): readonly ExplainedRow[] {
  const wanted = find.trim().toLowerCase();
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another language rows are searched anew
  const known = useMemo(() => new WeakMap<ExplainedRow, string>(), [locale, schema]);
  const [found, setFound] = useState({ rows, wanted: "", kept: rows });
  useEffect(() => {
    if (wanted === "") return;
    const kept: ExplainedRow[] = [];
    let at = 0;
    let timer: ReturnType<typeof setTimeout>;
    const turn = (): void => {
      const end = performance.now() + TURN_MS;
      for (; at < rows.length && performance.now() < end; at++) {
        const row = rows[at]!;
        const text = known.get(row) ?? textOf(schema, row, locale);
        known.set(row, text);
        if (text.includes(wanted)) kept.push(row);
      }
      if (at < rows.length) timer = setTimeout(turn);
      else setFound({ rows, wanted, kept });
    };
    turn();
    return () => clearTimeout(timer);
  }, [rows, wanted, known, schema, locale]);
  if (wanted === "") return rows;
  return found.rows === rows ? found.kept : rows;
}

/** What is searched of a row. */
function textOf(schema: Explanation["schema"], row: ExplainedRow, locale: Locale): string {
  const changed = row.edits.map(({ feature }) => `${labelOf(featureOf(schema, feature))} →`);
  const sentences = planSentences(schema, row, locale);
  return [personName(row, locale), ...sentences, ...changed, ...row.x.map(String)].join("\n").toLowerCase();
}
