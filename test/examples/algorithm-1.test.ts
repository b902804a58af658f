import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { algorithm1 } from "../../examples/algorithm-1.ts";

test("docs/EXAMPLE.md shows what examples/algorithm-1.ts prints", async () => {
  const lines: string[] = [];
  await algorithm1((line) => lines.push(line));
  const page = readFileSync("docs/EXAMPLE.md", "utf8");
  const [, block] = page.match(/```\n\$ npx tsx examples\/algorithm-1\.ts\n([\s\S]*?)\n```/)!;
  expect(block).toBe(lines.join("\n"));
});

test("both plans of Figure 1 bring half of the effect, one with a third of the edits", async () => {
  const lines: string[] = [];
  await algorithm1((line) => lines.push(line));
  expect(lines.at(-3)).toMatch(/: 6 edits, 50 %/);
  expect(lines.at(-2)).toMatch(/: 2 edits, 50 %/);
});
