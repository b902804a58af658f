import { bare } from "../src/data/bare-text.ts";
import type { OneHotGroup } from "../src/data/one-hot.ts";
import type { Schema, Table } from "../src/types.ts";

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
