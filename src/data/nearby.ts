/** Letters of a name that another may go on from: age is not a beginning of agenda. */
const BEGINNING = 4;

/**
 * A hint at the name that was meant, where one is close: at most a third of the letters are others, or blanks and case;
 * or where one of the two begins with the other (tenure, tenure_months).
 */
export function meant(name: string, names: readonly string[]): string {
  const scored = names.map((other) => ({ other, far: distance(plain(name), plain(other)) }));
  const best = scored.reduce((a, b) => (b.far < a.far ? b : a), { other: "", far: Number.POSITIVE_INFINITY });
  return best.far <= Math.floor(name.length / 3) ? ` (did you mean ${JSON.stringify(best.other)}?)` : "";
}

/** Case, blanks, hyphens, underscores and whole numbers written 1.0 are what people mistype most. */
const plain = (text: string): string => text.toLowerCase().replace(/\.0$|[\s_.-]+/g, "");

/** Letters to insert, drop or replace (Levenshtein); one where a name goes on from the other. */
function distance(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= BEGINNING && a !== b && long.startsWith(short)) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length]!;
}
