import { fileURLToPath } from "node:url";
import { build, type Rollup } from "vite";

const entry = fileURLToPath(new URL("../../show/report/client.ts", import.meta.url));

/** The text of show/report/client.script.ts as it follows from show/report/client.ts. */
export async function clientBundle(): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      lib: { entry, formats: ["iife"], name: "report" },
    },
  })) as Rollup.RollupOutput[];
  const { code } = built[0]!.output[0];
  const quoted = JSON.stringify(code.trim()).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `/** Made from client.ts by \`npx vitest run test/show/client.test.ts -u\`; do not edit. */
export const clientScript: string =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code as text
  '${quoted}';
`;
}
