import { build, type Rollup } from "vite";
import { expect, test } from "vitest";
import { clientBundle, withClientScript } from "../../scripts/client-bundle.ts";
import { clientScript } from "../../show/report/client-script.ts";

test("the report's script is its source, bundled, and cannot end the element it stands in", async () => {
  const text = await clientScript();
  expect(text).toBe(await clientBundle());
  expect(text).toContain("view-table");
  expect(text).not.toMatch(/<\/script|<!--/i);
  expect(text, "a language of its own").not.toContain("Nothing needs to change");
});

test("a build carries the finished script and no bundler", async () => {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    plugins: [withClientScript],
    build: { write: false, lib: { entry: "show/report/client-script.ts", formats: ["es"] } },
  })) as Rollup.RollupOutput[];
  const { output } = built[0]!;
  expect(output).toHaveLength(1);
  const { clientScript: carried } = (await import(
    `data:text/javascript,${encodeURIComponent(output[0].code)}`
  )) as { clientScript(): Promise<string> };
  expect(await carried()).toBe(await clientScript());
});
