import type { Letter } from "./letter.ts";
import type { LetterPart } from "./part.ts";

const WIDTH = 78;

/** A letter as plain text, in lines of at most 78 characters. */
export function letterText(letter: Letter): string {
  const [about, date] = [letter.about.join(": "), letter.date.slice(0, 2).join(": ")];
  const [label, code, note] = letter.code;
  const line = "_".repeat(34);
  return `${[
    ...(letter.sender ? [letter.sender, ""] : []),
    ...wrapped(letter.title, ""),
    "",
    about,
    date,
    ...letter.parts.flatMap((part) => ["", ...partLines(part)]),
    "",
    "",
    `${line}    ${line}`,
    `${letter.sign[0].padEnd(38)}${letter.sign[1]}`,
    "",
    ...wrapped(`${label}: ${code}. ${note}`, ""),
    "",
    ...letter.basis.flatMap((text) => wrapped(text, "")),
    letter.made,
  ].join("\n")}\n`;
}

function partLines({ kind, heading, before, items, after }: LetterPart): string[] {
  const list = items.flatMap((text, i) =>
    wrapped(`${kind === "reasons" ? `${i + 1}.` : "-"} ${text}`, "   "),
  );
  return [
    heading.toUpperCase(),
    ...before.flatMap((text) => wrapped(text, "")),
    ...list,
    ...after.flatMap((text) => wrapped(text, "")),
  ];
}

/** A text in lines, those after the first behind an indent. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
