import type { CardSection, CardTable, MethodCard } from "./card.ts";

/** A method card as Markdown, for a repository or a wiki. */
export function cardMarkdown(card: MethodCard): string {
  const line = "_".repeat(24);
  const parts = [
    `# ${text(card.title)}`,
    text(card.lead),
    ...card.sections.flatMap(section),
    card.sign.map((name) => `${line} ${text(name)}`).join("  \n"),
    `${text(card.code[0])}: \`${card.code[1]}\``,
    text(card.made),
  ];
  return `${parts.join("\n\n")}\n`;
}

function section({ heading, texts, items, tables }: CardSection, number: number): string[] {
  return [
    `## ${number + 1}. ${text(heading)}`,
    ...texts.map(text),
    ...(items.length > 0 ? [items.map((item) => `- ${text(item)}`).join("\n")] : []),
    ...tables.map(table),
  ];
}

function table({ heads, rows }: CardTable): string {
  const first = heads.length > 0 ? heads : rows[0]!.map(() => "");
  const line = (cells: readonly string[]): string => `| ${cells.map(text).join(" | ")} |`;
  return [line(first), `|${first.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Text that stays what it is: no cell, element, link or emphasis begins in it. */
const text = (plain: string): string =>
  plain.replace(/\s+/g, " ").replace(/[\\`*_[\]<>|#~]/g, (sign) => (sign === "<" ? "&lt;" : `\\${sign}`));
