import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const built = existsSync("dist/src/index.js") && existsSync("dist/cli/main.js");
const bin = (name: string): string => join(process.cwd(), "node_modules", ".bin", name);
let [folder, home] = ["", ""];
const node = (...words: string[]): string =>
  execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
/** Files of the tarball whose path fits. */
const packed = (what: RegExp): string[] =>
  readdirSync(home, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll(sep, "/"))
    .filter((path) => what.test(path));

const PATHS = [
  ...["", "/num", "/data", "/model", "/generate", "/couple", "/match", "/attribute", "/compose"],
  ...["/refine", "/evaluate", "/contracts", "/node", "/show", "/server"],
];

describe.skipIf(!built)("the packed tarball (skipped before npm run build)", () => {
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cola-pack-"));
    home = join(folder, "node_modules", "cola-xai");
    const name = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      encoding: "utf8",
    }).trim();
    mkdirSync(home, { recursive: true });
    execFileSync("tar", [
      "-xzf",
      join(folder, name.split("\n").at(-1)!),
      "-C",
      home,
      "--strip-components",
      "1",
    ]);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  });

  test("a bill of materials and the licences name what is bundled, and only that", () => {
    const bill = JSON.parse(readFileSync(join(home, "dist/sbom.cdx.json"), "utf8")) as {
      readonly bomFormat: string;
      readonly components: readonly { name: string; version: string; purl: string; licenses: unknown[] }[];
    };
    expect(bill.bomFormat).toBe("CycloneDX");
    const names = bill.components.map(({ name }) => name);
    for (const name of ["fastify", "zod", "commander", "hyparquet", "apache-arrow", "react", "vega"])
      expect(names, name).toContain(name);
    for (const name of ["vitest", "vite", "pg", "onnxruntime-node"]) expect(names, name).not.toContain(name);
    const licences = readFileSync(join(home, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const { name, version, purl, licenses } of bill.components) {
      expect(licences).toContain(`${name} ${version} (`);
      expect([purl.startsWith("pkg:npm/"), licenses.length]).toEqual([true, 1]);
    }
  });

  test("the command runs without any other package", () => {
    const printed = node(
      join(home, "dist/cli/main.js"),
      "explain",
      "--rows",
      "2",
      "--formats",
      "html,csv,svg",
    );
    expect(printed).toContain("2 of 2 rows reach the goal");
    expect(existsSync(join(folder, "out/report.html"))).toBe(true);
    expect(existsSync(join(folder, "out/curve.svg"))).toBe(true);
  });

  test("every subpath can be imported by name", () => {
    const script = `for (const p of ${JSON.stringify(PATHS)}) { const m = await import("cola-xai" + p); if (Object.keys(m).length === 0) throw new Error(p); } console.log("all")`;
    expect(node("--input-type=module", "-e", script).trim()).toBe("all");
  });

  test("publint and are-the-types-wrong have nothing to say", () => {
    expect(execFileSync(bin("publint"), [home, "--strict"], { encoding: "utf8" })).toContain("All good");
    const types = execFileSync(bin("attw"), ["--pack", home, "--profile", "esm-only", "--format", "ascii"], {
      encoding: "utf8",
    });
    expect(types).not.toContain("❌");
  }, 300_000);

  test("every subpath has types that ask for no other package", () => {
    const imports = PATHS.map((path, k) => `import * as m${k} from "cola-xai${path}";`);
    const used = PATHS.map((_, k) => `m${k}`).join(", ");
    const program = `${imports.join("\n")}
      export const all: readonly object[] = [${used}];
      const app = await m${PATHS.indexOf("/server")}.createApp({ folder: "store" });
      export const status: number = (await app.inject({ method: "POST", url: "/v1/jobs" })).statusCode;
      // @ts-expect-error the server is not a number
      export const wrong: number = app;`;
    writeFileSync(join(folder, "all.ts"), program);
    const lib = ["--lib", "ES2023,DOM,DOM.Iterable", "--types", "", "--module", "NodeNext"];
    const strict = ["--strict", "--noEmit", "--skipLibCheck", "false", "--target", "ES2023"];
    execFileSync(bin("tsc"), [...strict, ...lib, "all.ts"], { cwd: folder, encoding: "utf8" });
  });

  test("every file in dist beside the page is led to by an export or the command", () => {
    const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
      exports: Record<string, string | Record<string, string>>;
    };
    const named = Object.values(exports).flatMap((to) => (typeof to === "string" ? [] : Object.values(to)));
    const processes = packed(/^dist\/\w+\/(?:(?:table|work)-process|part-worker|body-thread)\.js$/);
    const open = [...named, ...processes, "dist/cli/main.js"].map((path) => posix.normalize(path));
    const seen = new Set<string>();
    for (let path = open.pop(); path; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const text = readFileSync(join(home, path), "utf8");
      for (const [, other] of text.matchAll(/\b(?:from|import) ?\(? ?["'](\.[^"']+\.[jt]s)["']/g)) {
        const to = posix.join(posix.dirname(path), other!);
        const file = path.endsWith(".d.ts") ? to.replace(/\.[jt]s$/, ".d.ts") : to;
        // Comments in a bundle quote imports of the packages it is made of.
        if (existsSync(join(home, file))) open.push(file);
      }
    }
    expect(packed(/^dist\/(?!web\/).*\.[jt]s$/).filter((path) => !seen.has(path))).toEqual([]);
    expect(processes).toHaveLength(9);
  });

  test("every relative link of its pages leads to a file of its own", () => {
    const pages = packed(/^[^/]+\.md$|^docs\/.*\.md$/);
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/CLI.md"]));
    const links = pages.flatMap((page) =>
      [...readFileSync(join(home, page), "utf8").matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, to]) => ({
        page,
        to: posix.join(posix.dirname(page), decodeURI(to!)),
      })),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ to }) => !existsSync(join(home, to)))).toEqual([]);
  });
});
