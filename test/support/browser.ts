import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const pack = join(dirname(require.resolve("@sparticuz/chromium")), "../../bin");
const fonts = dirname(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));

/** Our own flags: nothing that weakens the web's security rules, or the tests would prove nothing. */
const ARGS = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--font-render-hinting=none",
  "--hide-scrollbars",
  // Pages keep WebAssembly whatever else they are told, but without machine code there is none.
  ...(process.env["COLA_PLAIN"] ? ["--js-flags=--jitless"] : []),
];

/** The only fonts the browser sees, so that pages look the same everywhere. */
const FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"];

export type Launched = { readonly browser: Browser } | { readonly missing: string };

/** A real Chromium that ships inside a package, or why there is none here. Close it when done. */
export async function launchBrowser(): Promise<Launched> {
  try {
    const folder = await unpacked();
    const env = { ...process.env, FONTCONFIG_FILE: join(folder, "fonts.conf") };
    try {
      return { browser: await launch(folder, env) };
    } catch {
      const libraries = await unpackedLibraries(folder);
      return { browser: await launch(folder, { ...env, LD_LIBRARY_PATH: libraries }) };
    }
  } catch (error) {
    return { missing: `no browser can be started here: ${String(error).split("\n")[0]}` };
  }
}

function launch(folder: string, env: Record<string, string | undefined>): Promise<Browser> {
  const set = Object.fromEntries(Object.entries(env).filter((pair) => pair[1] !== undefined));
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: ARGS,
    headless: true,
    env: set as Record<string, string>,
    timeout: 60_000,
  });
}

/** Unpacks once into a folder of its own; whoever comes second finds it whole, because it is renamed when done. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(pack, "../package.json"), "utf8")) as { version: string };
  const home = join(tmpdir(), `cola-browser-${process.getuid?.() ?? 0}`);
  const folder = join(home, version);
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const fresh = mkdtempSync(join(home, "unpack-"));
  await decompress("chromium.br", join(fresh, "chromium"), 0o700);
  mkdirSync(join(fresh, "fonts"));
  for (const name of FONTS) copyFileSync(join(fonts, name), join(fresh, "fonts", name));
  writeFileSync(
    join(fresh, "fonts.conf"),
    `<?xml version="1.0"?><fontconfig><dir prefix="relative">fonts</dir><cachedir>${join(home, "cache")}</cachedir></fontconfig>`,
  );
  return settle(fresh, folder);
}

/** Libraries that a bare machine lacks. */
async function unpackedLibraries(folder: string): Promise<string> {
  const target = join(folder, "libraries");
  if (!existsSync(target)) {
    const fresh = mkdtempSync(join(folder, "unpack-"));
    const tar = join(fresh, "al2023.tar");
    await decompress("al2023.tar.br", tar, 0o600);
    execFileSync("tar", ["-xf", tar, "-C", fresh]);
    rmSync(tar);
    settle(fresh, target);
  }
  return join(target, "lib");
}

function settle(fresh: string, folder: string): string {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function decompress(name: string, to: string, mode: number): Promise<void> {
  return pipeline(
    createReadStream(join(pack, name)),
    createBrotliDecompress(),
    createWriteStream(to, { mode }),
  );
}
