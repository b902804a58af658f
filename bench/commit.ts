import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle } from "../scripts/bundle.ts";

/** What things cost at this commit is measured beside ours where the history has it. */
export const BEFORE = process.env["COLA_COMMIT"] ?? "3166d12";

/** The command line as it was at a commit. */
export interface CommandAt {
  readonly main: string;
  /** The words of these options that `cola explain` had. */
  had(options: Readonly<Record<string, string>>): string[];
}

/**
 * Bundles a source file as it was at the earlier commit into a folder, with the packages here or, where it needs others,
 * its own. Undefined, with a sentence, where the history of the repository does not have it.
 */
export async function bundledBefore(source: string, folder: string): Promise<string | undefined> {
  if (spawnSync("git", ["cat-file", "-e", `${BEFORE}^{commit}`]).status !== 0) {
    console.log(
      `skipped beside commit ${BEFORE}: the history is not here (COLA_COMMIT names another commit)`,
    );
    return undefined;
  }
  const root = join(folder, "sources");
  const packages = join(root, "node_modules");
  mkdirSync(root, { recursive: true });
  execFileSync("git", ["archive", "--output", join(folder, "sources.tar"), BEFORE]);
  execFileSync("tar", ["-xf", join(folder, "sources.tar"), "-C", root]);
  symlinkSync(resolve("node_modules"), packages);
  const made = (): Promise<string[]> => bundle(folder, { bundled: source }, [], root);
  await made().catch(() => {
    rmSync(packages);
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root });
    return made();
  });
  return join(folder, "bundled.js");
}

/** The command line of the earlier commit. */
export async function commandBefore(folder: string): Promise<CommandAt | undefined> {
  const main = await bundledBefore("cli/main.ts", folder);
  if (main === undefined) return undefined;
  const help = execFileSync(process.execPath, [main, "explain", "--help"], { encoding: "utf8" });
  return {
    main,
    had: (options) =>
      Object.entries(options).flatMap(([name, value]) =>
        help.includes(`--${name} `) ? [`--${name}`, value] : [],
      ),
  };
}
