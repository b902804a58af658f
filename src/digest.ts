import type { Explanation } from "./explanation.ts";
import { Sha256 } from "./num/sha256.ts";

/**
 * SHA-256 of all that an explanation says, row by row; the same whether it was just made, read from one JSON text, or from
 * lines. Nothing secret is in it: it shows that something was changed, not who wrote it.
 */
export function contentDigest({ rows, ...told }: Explanation): string {
  const hash = digestOfRows(told);
  for (const row of rows) hash.row(JSON.stringify(row));
  return hash.end();
}

/** The same fed with the text of each row, for explanations that are never held whole. */
export function digestOfRows(told: Omit<Explanation, "rows">): { row(text: string): void; end(): string } {
  const { digest: _, curve, effect, coupling, attribution, totals, realism, ...head } = told;
  const hash = new Sha256().text(JSON.stringify(head));
  return {
    row: (text) => {
      hash.text(text);
    },
    end: () => hash.text(JSON.stringify({ curve, effect, coupling, attribution, totals, realism })).hex(),
  };
}

/** The explanation with the digest of what it says. */
export function sealed(explanation: Explanation): Explanation {
  const { digest: _, ...said } = explanation;
  return Object.freeze({ ...said, digest: contentDigest(explanation) });
}
