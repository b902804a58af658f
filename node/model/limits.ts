import { type Rule, resolveOptions } from "../../src/train/options.ts";

/** The options named in `table`, checked, with their defaults; other options are not looked at. */
export function limitsOf<Table extends Readonly<Record<string, Rule>>>(
  owner: string,
  options: object,
  table: Table,
): ReturnType<typeof resolveOptions<Table>> {
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(table, name));
  return resolveOptions(owner, Object.fromEntries(given), table);
}
