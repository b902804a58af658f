/** An object or a list that is open at the place where the scan is. */
interface Open {
  /** Keys met so far; none for a list. */
  readonly keys?: Set<string>;
  /** The member the scan is in: its key, or its number. */
  member: string | number;
}

/** What a scan stops at: a text, or what opens, closes and parts. */
const MARK = /["{}[\]:,]/g;

/**
 * Where a key stands for the second time in one object of a JSON text, as `features.income.min` or `inputs[2].feature`;
 * JSON.parse would keep the last of both without a word. The text must be JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const open: Open[] = [];
  const marks = new RegExp(MARK);
  let expectsKey = false;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const [mark] = found;
    const at = open.at(-1);
    if (mark === '"') {
      marks.lastIndex = endOfText(text, found.index);
      if (expectsKey && at?.keys) {
        at.member = JSON.parse(text.slice(found.index, marks.lastIndex)) as string;
        if (at.keys.has(at.member)) return pathOf(open);
        at.keys.add(at.member);
      }
    } else if (mark === "{") open.push({ keys: new Set(), member: "" });
    else if (mark === "[") open.push({ member: 0 });
    else if (mark === "}" || mark === "]") open.pop();
    else if (mark === "," && typeof at?.member === "number") at.member++;
    expectsKey = mark === "{" || mark === ",";
  }
  return undefined;
}

/** The place after the quote that ends the text which begins at `start`; an escaped quote ends nothing. */
function endOfText(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
}

function pathOf(open: readonly Open[]): string {
  return open
    .map(({ member }) => (typeof member === "number" ? `[${member}]` : `.${member}`))
    .join("")
    .replace(/^\./, "");
}
