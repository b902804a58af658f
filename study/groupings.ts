import { levelsOf } from "../src/data/schema.ts";
import type { Explanation } from "../src/explanation.ts";
import type { Grouping } from "../src/group-audit.ts";
import { figuresOf, gapsOf } from "../src/groups/figures.ts";
import type { Cell } from "../src/types.ts";
import { type ByAttribute, byOf } from "./by.ts";

/**
 * The comparison of groups counted again from rows and plans: figures, intervals and gaps of attributes that are features.
 * Rules and conditions are searched, not counted, and other columns are not in an explanation.
 */
export function groupsFault({ groups, schema, rows, options, seed }: Explanation): string | undefined {
  const { by, attributes, gaps } = groups!;
  const asked = byOf(by);
  if (attributes.map(({ name }) => name).join("\n") !== asked.map(({ name }) => name).join("\n"))
    return "it compares other groups than were asked for";
  const used = Number(options["seed"] ?? seed);
  const known = asked.flatMap((attribute): Grouping[] => {
    const k = schema.features.findIndex(({ name }) => name === attribute.name);
    if (k < 0) return [];
    const cells = rows.map(({ x }) => x[k]!);
    return [groupingIn(attribute, cells, attribute.cuts.length > 0, levelsOf(schema.features[k]!))];
  });
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const grouping of known) {
    const told = attributes.find(({ name }) => name === grouping.name)!;
    const unknown = Array.from(grouping.of).filter((g) => g < 0).length;
    if (!same(told.groups, figuresOf(rows, grouping, used)) || (told.unknown ?? 0) !== unknown)
      return `the groups by ${grouping.name} have other figures`;
  }
  if (known.length === asked.length && !same(gaps, gapsOf(rows, known, used)))
    return "the gaps between groups are others";
  return undefined;
}

/** The groups that cells of an attribute fall into: its levels, those of the cells, or ranges between its edges. */
export function groupingIn(
  { name, cuts }: ByAttribute,
  cells: readonly Cell[],
  numeric: boolean,
  own: readonly string[] | undefined,
): Grouping {
  const known = cells.filter((cell) => cell !== null);
  if (numeric) {
    const edge = (e: number): string => String(cuts[e]);
    const groups = Array.from({ length: cuts.length + 1 }, (_, g) =>
      g === 0 ? `< ${edge(0)}` : g === cuts.length ? `≥ ${edge(g - 1)}` : `${edge(g - 1)} – < ${edge(g)}`,
    );
    return {
      name,
      groups,
      of: cells.map((cell) => (cell === null ? -1 : cuts.filter((cut) => Number(cell) >= cut).length)),
    };
  }
  const levels = own ?? [...new Set(known.map(String))].sort();
  return {
    name,
    groups: levels,
    of: cells.map((cell) => (cell === null ? -1 : levels.indexOf(String(cell)))),
  };
}
