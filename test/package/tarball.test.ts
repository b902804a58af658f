import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "cola-pack-"));
afterAll(() => rmSync(folder, { recursive: true }));
const built = existsSync("dist/src/index.js") && existsSync("dist/cli/main.js");
const home = join(folder, "node_modules", "cola-xai");
const node = (...words: string[]): string =>
  execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });

describe.skipIf(!built)("the packed tarball (skipped before npm run build)", () => {
  beforeAll(() => {
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
    const paths = [
      "",
      "/num",
      "/data",
      "/model",
      "/generate",
      "/couple",
      "/match",
      "/attribute",
      "/compose",
      "/refine",
      "/evaluate",
      "/contracts",
      "/node",
      "/show",
    ];
    const script = `for (const p of ${JSON.stringify(paths)}) { const m = await import("cola-xai" + p); if (Object.keys(m).length === 0) throw new Error(p); } console.log("all")`;
    expect(node("--input-type=module", "-e", script).trim()).toBe("all");
  });

  test("publint and are-the-types-wrong have nothing to say", () => {
    const bin = (name: string): string => join(process.cwd(), "node_modules", ".bin", name);
    expect(execFileSync(bin("publint"), [home, "--strict"], { encoding: "utf8" })).toContain("All good");
    const types = execFileSync(bin("attw"), ["--pack", home, "--profile", "esm-only", "--format", "ascii"], {
      encoding: "utf8",
    });
    expect(types).not.toContain("❌");
  });
});
