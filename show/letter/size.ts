import type { Letter } from "./letter.ts";

/** Characters of a line, and lines of a page, at full size. */
const LINE = 88;
const SIZES = [
  [34, "usual"],
  [42, "long"],
  [56, "longer"],
] as const;

/** The size at which all lines stay on one page. */
export function letterSize({ parts, basis }: Letter): "usual" | "long" | "longer" | "longest" {
  const lines = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + Math.ceil(text.length / LINE), 0);
  const all =
    lines(basis) +
    parts.reduce((sum, { before, items, after }) => sum + 2 + lines(before) + lines(items) + lines(after), 0);
  return SIZES.find(([most]) => all <= most)?.[1] ?? "longest";
}
