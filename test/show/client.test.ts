import { expect, test } from "vitest";
import { clientBundle } from "../support/client-bundle.ts";

test("the report's script is its source, bundled", async () => {
  const text = await clientBundle();
  expect(text).not.toContain("</script");
  await expect(text).toMatchFileSnapshot("../../show/report/client.script.ts");
});
