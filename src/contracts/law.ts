import { isColaError, isLimit, messageOf } from "../errors.ts";

/** One law of a contract, and whether the thing under test keeps it. */
export interface LawResult {
  readonly law: string;
  readonly ok: boolean;
  /** Where the law holds: empty, or what was seen; else what was expected and what was found. */
  readonly message: string;
}

/**
 * Runs every law; one that throws is broken, and its message says how. A text it returns is kept as what was
 * seen. Aborts and limits are the caller's, not the law's, and go through.
 */
export async function runLaws(laws: Readonly<Record<string, () => unknown>>): Promise<readonly LawResult[]> {
  const results: LawResult[] = [];
  for (const [law, check] of Object.entries(laws)) {
    try {
      const seen = await check();
      results.push({ law, ok: true, message: typeof seen === "string" ? seen : "" });
    } catch (error) {
      if (isLimit(error) || (isColaError(error) && error.code === "ABORTED")) throw error;
      results.push({ law, ok: false, message: messageOf(error) });
    }
  }
  return results;
}

/** Throws `message` unless `holds`. */
export function demand(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}
