import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle } from "../scripts/bundle.ts";

/** The command line as it was at a commit. */
export interface CommandAt {
  readonly commit: string;
  readonly main: string;
  /** The words of these options that `cola explain` had. */
  had(options: Readonly<Record<string, string>>): string[];
}

/**
 * Bundles the command line of a commit into a folder, with the packages here or, where it needs others, its own. Undefined,
 * with a sentence, where the history of the repository does not have it.
 */
export async function commandAt(commit: string, folder: string): Promise<CommandAt | undefined> {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`]).status !== 0) {
    console.log(
      `skipped beside commit ${commit}: the history is not here (COLA_COMMIT names another commit)`,
    );
    return undefined;
  }
  const root = join(folder, "sources");
  const packages = join(root, "node_modules");
  mkdirSync(root, { recursive: true });
  execFileSync("git", ["archive", "--output", join(folder, "sources.tar"), commit]);
  execFileSync("tar", ["-xf", join(folder, "sources.tar"), "-C", root]);
  symlinkSync(resolve("node_modules"), packages);
  const made = (): Promise<string[]> => bundle(folder, { main: "cli/main.ts" }, [], root);
  await made().catch(() => {
    rmSync(packages);
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root });
    return made();
  });
  const main = join(folder, "main.js");
  const help = execFileSync(process.execPath, [main, "explain", "--help"], { encoding: "utf8" });
  return {
    commit,
    main,
    had: (options) =>
      Object.entries(options).flatMap(([name, value]) =>
        help.includes(`--${name} `) ? [`--${name}`, value] : [],
      ),
  };
}
