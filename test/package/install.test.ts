import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectPieces, shownIn } from "../support/shown.ts";

const page = readFileSync("docs/INSTALL.md", "utf8");
const [clone, project] = [shownIn(page, "in the clone"), shownIn(page, "in a project")];
const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  peerDependencies: Record<string, string>;
};

const QUICK = ["--fetch-retries", "0", "--fetch-timeout", "10000"];
const answers = (command: string, ...words: string[]): boolean =>
  spawnSync(command, words, { stdio: "ignore", timeout: 30_000 }).status === 0;
const why = !answers("git", "rev-parse", "HEAD")
  ? "this is not a clone"
  : !answers("npm", "view", "pg", "version", ...QUICK)
    ? "the registry does not answer"
    : "";

test("docs/INSTALL.md shows how every optional package is installed, and its commands are run below", () => {
  const commands = project.flatMap(({ typed }) => typed).filter((line) => line.startsWith("npm install"));
  for (const name of Object.keys(peerDependencies))
    expect(
      commands.some((line) => line.split(" ").some((word) => word.replace(/(?<=.)@.*/, "") === name)),
      name,
    ).toBe(true);
  const listed = [...page.matchAll(/^\| .* \| `(npm install .*)` \|$/gm)].map(([, line]) => line);
  expect(commands.slice(1).sort()).toEqual(listed.sort());
});

describe.skipIf(why)(`docs/INSTALL.md from a fresh clone${why && ` (skipped: ${why})`}`, () => {
  const home = mkdtempSync(join(tmpdir(), "cola-install-"));
  const [source, target] = [join(home, "cola-xai"), join(home, "project")];
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  beforeAll(() => {
    const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const files = execFileSync("git", list, { encoding: "utf8" }).split("\0");
    for (const file of files.filter((name) => name !== "" && existsSync(name))) {
      mkdirSync(dirname(join(source, file)), { recursive: true });
      cpSync(file, join(source, file));
    }
    mkdirSync(target);
    writeFileSync(join(target, "package.json"), '{ "private": true }');
    writeFileSync(join(target, "plan.mjs"), page.match(/<!-- plan.mjs -->\n```js\n([\s\S]*?)```/)![1]!);
  });

  const shell = (cwd: string, line: string) => {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", line], { cwd, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const done = (cwd: string, line: string): string => {
    const { status, stdout, stderr } = shell(cwd, line);
    expect(status, `${line}\n${stdout}\n${stderr}`.slice(-3000)).toBe(0);
    return stdout;
  };

  test("the package is built and packed", () => {
    expect(clone).toHaveLength(1);
    for (const { typed, printed } of clone)
      expectPieces(printed, typed.map((line) => done(source, line)).at(-1)!);
  }, 900_000);

  test.each(project.map((shown) => ({ ...shown, all: shown.typed.join(" && ") })))(
    "$all",
    async ({ typed, printed }) => {
      for (const [k, line] of typed.entries()) {
        if (line.startsWith("npx cola serve")) {
          await serves(line, printed);
          continue;
        }
        if (line.includes("pglite")) lacks();
        const said = done(target, line);
        if (k === typed.length - 1 && printed !== "") expectPieces(printed, said);
      }
    },
    300_000,
  );

  /** Without its packages the server does not begin, and names all of them at once. */
  function lacks(): void {
    const { status, stderr } = shell(target, "npx cola serve --port 0");
    expect(status).not.toBe(0);
    expect(stderr).toContain("npm install @electric-sql/pglite");
    expect(stderr).toContain("PEER_MISSING");
  }

  async function serves(line: string, printed: string): Promise<void> {
    const words = ["node_modules/cola-xai/dist/cli/main.js", ...line.split(" ").slice(2), "--port", "0"];
    const server = spawn(process.execPath, words, { cwd: target, stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [said] = (await once(server.stdout, "data")) as [Buffer];
      expectPieces(printed, String(said).replace(/:\d+\n/, ":8080\n"));
      const url = String(said).match(/http\S+/)![0];
      const body = JSON.stringify({ options: { rows: 1 } });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${url}/v1/explanations`, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
    } finally {
      const gone = once(server, "exit");
      server.kill("SIGTERM");
      await gone;
    }
  }
});
