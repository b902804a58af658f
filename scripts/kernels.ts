import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

/** Sources of the WebAssembly kernels, and where their code is embedded. */
const SOURCES = "kernels";
const EMBEDDED = "src/num/wasm";

/** The embedded form of each kernel, by file: its code as text in the library. */
export async function kernelFiles(): Promise<ReadonlyMap<string, string>> {
  const names = readdirSync(SOURCES).filter((name) => name.endsWith(".ts"));
  const files = new Map<string, string>();
  for (const name of names) {
    const code = await compile(join(SOURCES, name));
    const constant = `${basename(name, ".ts").toUpperCase()}_CODE`;
    const lines = Buffer.from(code)
      .toString("base64")
      .match(/.{1,100}/g)!
      .map((line) => `  "${line}",`);
    const text = `/** ${SOURCES}/${name}, compiled by scripts/kernels.ts. */\nexport const ${constant} = [\n${lines.join("\n")}\n].join("");\n`;
    files.set(join(EMBEDDED, name), text);
  }
  return files;
}

async function compile(source: string): Promise<Uint8Array> {
  let code: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      source,
      "--optimizeLevel=3",
      "--enable=simd",
      "--importMemory",
      "--runtime=stub",
      "--noAssert",
      "--outFile=out.wasm",
    ],
    {
      readFile: (name) => {
        try {
          return readFileSync(name, "utf8");
        } catch {
          return null;
        }
      },
      writeFile: (_, contents) => {
        if (typeof contents !== "string") code = contents;
      },
      listFiles: () => null,
    },
  );
  if (error || !code)
    throw new Error(`${source} does not compile: ${error?.message ?? ""}\n${stderr.toString()}`);
  return code;
}

/** Compiles the kernels into the library. */
export async function embedKernels(): Promise<void> {
  for (const [path, text] of await kernelFiles()) writeFileSync(path, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await embedKernels();
