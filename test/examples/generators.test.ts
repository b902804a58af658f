import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatorPictures } from "../../examples/generators.ts";
import { generators } from "../../src/generate/registry.ts";

const FOLDER = "docs/images/generators/";

test("every generator has its picture in the documentation, as the example draws it", async () => {
  const pictures = await generatorPictures();
  const page = readFileSync("docs/GENERATORS.md", "utf8");
  expect(readdirSync(FOLDER).sort()).toEqual(
    Object.keys(generators)
      .map((name) => `${name}.svg`)
      .sort(),
  );
  for (const [name, svg] of Object.entries(pictures)) {
    expect(svg, `${name}: write it again with npx tsx examples/generators.ts`).toBe(
      readFileSync(`${FOLDER}${name}.svg`, "utf8"),
    );
    expect(page).toContain(`images/generators/${name}.svg`);
    expect(page).toContain(`### \`${name}\``);
    const arrows = svg.match(/marker-end/g)?.length ?? 0;
    expect(arrows, `${name} moves most of its rows`).toBeGreaterThanOrEqual(10);
  }
});
