/** An attribute by which people are grouped, with the edges of its ranges where it is a number. */
export interface ByAttribute {
  readonly name: string;
  readonly cuts: readonly number[];
}

/** `sex`, `age:25,45`: a number goes on with the edges of the attribute before it. */
export function byOf(words: readonly string[]): ByAttribute[] {
  const found: { name: string; cuts: number[] }[] = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last && last.cuts.length > 0 && word !== "" && Number.isFinite(Number(word))) {
      last.cuts.push(Number(word));
      continue;
    }
    const at = word.lastIndexOf(":");
    const edge = at < 0 ? Number.NaN : Number(word.slice(at + 1));
    if (at > 0 && word.length > at + 1 && Number.isFinite(edge))
      found.push({ name: word.slice(0, at), cuts: [edge] });
    else found.push({ name: word, cuts: [] });
  }
  return found.map(({ name, cuts }) => ({ name, cuts: [...new Set(cuts)].sort((a, b) => a - b) }));
}

/** Names that must not change in plans because people are grouped by them, as far as they are features. */
export const frozenBy = (by: readonly string[] = [], names: readonly string[]): string[] =>
  byOf(by)
    .map(({ name }) => name)
    .filter((name) => names.includes(name));
