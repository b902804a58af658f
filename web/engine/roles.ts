import { MISSING_TEXTS } from "../../src/data/csv.ts";
import type { Kind } from "../../src/types.ts";

/** What the columns of a table are, and how its file is read. */
export interface DataRoles {
  /** Column with the known outcome. */
  readonly label?: string;
  /** Column that names a row. */
  readonly id?: string;
  readonly kinds?: Readonly<Record<string, Kind>>;
  /** Columns that neither model nor plan sees. */
  readonly exclude?: readonly string[];
  /** Numbers of the file have a decimal comma. */
  readonly decimalComma?: boolean;
  /** Texts that mean a missing value, beside those that always do. */
  readonly missing?: readonly string[];
  /** Columns of dates that are read in parts: year, month, day, … */
  readonly dateParts?: readonly string[];
}

/** The roles the columns of a table have. */
export function rolesOf({
  label,
  id,
  kinds,
  exclude,
  decimalComma,
  missing,
  dateParts,
}: DataRoles): DataRoles {
  return {
    ...(label ? { label } : {}),
    ...(id ? { id } : {}),
    ...(kinds ? { kinds } : {}),
    ...(exclude?.length ? { exclude } : {}),
    ...(decimalComma ? { decimalComma } : {}),
    ...(missing?.length ? { missing } : {}),
    ...(dateParts?.length ? { dateParts } : {}),
  };
}

/** What of the roles says how the file itself is read. */
export const readingOf = ({ decimalComma, missing, dateParts }: DataRoles): string =>
  JSON.stringify([decimalComma || false, missing ?? [], dateParts ?? []]);

/** The option `missing` of the other doors, which names all such texts. */
export const missingTexts = (own: readonly string[]): string[] => [...MISSING_TEXTS.filter(Boolean), ...own];

/** The roles a job was given by its options; null where the page cannot read its table so. */
export function rolesOfJob(options: Readonly<Record<string, unknown>>): DataRoles | null {
  const { label, id, exclude, decimalComma, missing, dateParts } = options as DataRoles;
  if (missing && !missingTexts([]).every((text) => missing.includes(text))) return null;
  const own = missing?.filter((text) => !MISSING_TEXTS.includes(text));
  return rolesOf({ label, id, exclude, decimalComma, missing: own, dateParts } as DataRoles);
}
