import type { PlainNote } from "../../src/data/notes.ts";
import type { DataInfo } from "../engine/protocol.ts";

/** A column that is not read as what it is, and what would help at once, where something does. */
interface UnreadColumn {
  readonly name: string;
  readonly note: PlainNote;
  readonly remedy: Remedy | null;
}

/** Texts that mean a missing value, a date to be read in parts, or the decimal comma of the file. */
export type Remedy = { readonly texts: readonly string[] } | "date" | "comma";

const COMMAS: readonly string[] = ["decimalComma", "eitherComma", "pointThousands"];

/** Columns that are left out or read as text though they are dates, or numbers but for how they are written. */
export function unreadColumns({ notes }: Pick<DataInfo, "notes">): UnreadColumn[] {
  return notes.flatMap((note): UnreadColumn[] => {
    if (note.code !== "leftOut" && note.code !== "readAsText") return [];
    const name = String(note.values["name"]);
    const why = whyOf(note);
    if (why?.code === "looksLikeDate") return [{ name, note, remedy: "date" }];
    const reason =
      why?.code === "freeTextOfNumbers" ? whyOf(why) : note.code === "readAsText" ? why : undefined;
    return reason ? [{ name, note, remedy: remedyFor(reason) }] : [];
  });
}

function remedyFor({ code, values }: PlainNote): Remedy | null {
  if (COMMAS.includes(code)) return "comma";
  if (code !== "someNoNumbers" && code !== "someNoAmounts") return null;
  const cells = values["cells"] as readonly unknown[];
  return { texts: cells.flatMap((cell) => (typeof cell === "string" ? [JSON.parse(cell) as string] : [])) };
}

function whyOf({ values }: PlainNote): PlainNote | undefined {
  const why = values["why"];
  return typeof why === "object" && "code" in why ? why : undefined;
}
