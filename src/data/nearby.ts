/** A hint at the name that was meant, where one is close: at most a third of the letters are others, or blanks and case. */
export function meant(name: string, names: readonly string[]): string {
  const scored = names.map((other) => ({ other, far: distance(plain(name), plain(other)) }));
  const best = scored.reduce((a, b) => (b.far < a.far ? b : a), { other: "", far: Number.POSITIVE_INFINITY });
  return best.far <= Math.floor(name.length / 3) ? ` (did you mean ${JSON.stringify(best.other)}?)` : "";
}

/** Case, blanks, hyphens and underscores are what people mistype most. */
const plain = (text: string): string => text.toLowerCase().replace(/[\s_.-]+/g, "");

/** Letters to insert, drop or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length]!;
}
