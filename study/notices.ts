import { bare } from "../src/data/bare-text.ts";
import type { OneHotGroup } from "../src/data/one-hot.ts";
import type { Cell, Schema, Table } from "../src/types.ts";

/** Features a notice names. */
const NAMED = 40;

/** How the columns of a table were read, in words. */
export function readAs({ features }: Schema): string {
  const told = features.slice(0, NAMED).map(({ name, kind, categories }) => {
    return `${name} (${categories ? `${categories.length} levels` : kind})`;
  });
  const rest = features.length > NAMED ? `, and ${features.length - NAMED} more` : "";
  return `Read as ${told.join(", ")}${rest}; options.saveSchema writes this to be edited.`;
}

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

/** Indicator columns that became one feature, in words. */
export function mergedNote({ columns, feature }: OneHotGroup): string {
  return `${columns.join(", ")} became one feature ${feature}; to keep them apart, list them as features in options.schema.`;
}

/** Columns that may be one feature, in words. */
export function apartNote({ columns, feature }: OneHotGroup): string {
  return `${columns.join(", ")} are read as features of their own, because some rows have no 1 in any; if they are levels of one feature, list ${feature} in options.schema with these and a level "(other)".`;
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

/** Values a feature that tells the label may have for each class; with more it may just be fine-grained. */
const VALUES_PER_CLASS = 5;

/** Features whose few values each go with one label over all rows: mostly the outcome under another name. */
export function leaks({ names, columns }: Table, { features }: Schema, label: string): string[] {
  const cells = new Map(names.map((name, k) => [name, columns[k]!]));
  const outcome = cells.get(label)!;
  return features
    .filter(({ name }) => tells(cells.get(name) ?? [null], outcome))
    .map(
      ({ name }) =>
        `${name} tells ${label} of every row; if it is the outcome under another name, leave it out.`,
    );
}

function tells(values: readonly Cell[], outcome: readonly Cell[]): boolean {
  const most = VALUES_PER_CLASS * new Set(outcome).size;
  const label = new Map<Cell, Cell>();
  return values.every((value, i) => {
    if (!label.has(value)) label.set(value, outcome[i]!);
    return label.get(value) === outcome[i] && label.size <= most && label.size * 2 <= values.length;
  });
}
