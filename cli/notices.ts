import { bare } from "../src/data/infer.ts";
import type { Cell, Schema, Table } from "../src/types.ts";

/** Columns of the table that the schema does not speak of, in words. */
export function unread(
  { names }: Table,
  { features }: Schema,
  roles: readonly (string | undefined)[],
): string[] {
  const known = new Set([...features.map((f) => f.name), ...roles]);
  const others = names.filter((name) => !known.has(name));
  if (others.length === 0) return [];
  const verb = others.length === 1 ? "is" : "are";
  return [`${others.slice(0, 20).join(", ")} ${verb} not read: the schema has no such feature.`];
}

/** Classes that are nearly the same. */
export function twins(classes: readonly string[]): string[] {
  return classes.flatMap((one, k) =>
    classes
      .slice(k + 1)
      .filter((other) => bare(other) === bare(one))
      .map(
        (other) =>
          `The outcomes ${JSON.stringify(one)} and ${JSON.stringify(other)} are two classes, though nearly the same.`,
      ),
  );
}

/** Features whose values and the label's go one to one over all rows: mostly the outcome under another name. */
export function leaks({ names, columns }: Table, { features }: Schema, label: string): string[] {
  const cells = new Map(names.map((name, k) => [name, columns[k]!]));
  const outcome = cells.get(label)!;
  return features
    .filter(({ name }) => oneToOne(cells.get(name) ?? [null], outcome))
    .map(
      ({ name }) =>
        `${name} tells ${label} of every row; if it is the outcome under another name, leave it out.`,
    );
}

function oneToOne(a: readonly Cell[], b: readonly Cell[]): boolean {
  const [forth, back] = [new Map<Cell, Cell>(), new Map<Cell, Cell>()];
  return a.every((cell, i) => {
    const other = b[i]!;
    if (!forth.has(cell)) forth.set(cell, other);
    if (!back.has(other)) back.set(other, cell);
    return forth.get(cell) === other && back.get(other) === cell;
  });
}
