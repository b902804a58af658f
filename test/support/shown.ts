import { expect } from "vitest";

/** Commands shown on a page, and what the last of them prints. */
export interface Shown {
  readonly typed: readonly string[];
  readonly printed: string;
}

/** The blocks of a page with this mark: commands after `$`, then the output; `…` stands for lines left out. */
export function shownIn(page: string, mark: string): Shown[] {
  return [...page.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => {
      const text = match[1]!.replaceAll(/\\\n\s*/g, "");
      const lines = text.split("\n").slice(0, -1);
      const typed = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
      return { typed, printed: lines.slice(typed.length).join("\n") };
    },
  );
}

/** Each piece between dots is in the text, whole lines only, one after the other. */
export function expectPieces(printed: string, text: string): void {
  let rest = `\n${text}\n`;
  for (const piece of printed.split(/^…\n?/m).filter((part) => part.trim() !== "")) {
    const at = rest.indexOf(`\n${piece.trimEnd()}\n`);
    expect(at, `${piece}\nis not in\n${rest}`).toBeGreaterThanOrEqual(0);
    rest = rest.slice(at + piece.trimEnd().length + 1);
  }
}
