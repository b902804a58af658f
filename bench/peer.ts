import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A Python library in a process of its own, on one thread: a line of JSON in, a line of JSON out. */
export interface Peer<Task, Answer> {
  ask(task: Task): Promise<Answer>;
  /** Numbers as a file of doubles in the folder that the script gets as its argument. */
  give(name: string, data: Float64Array): string;
  stop(): void;
}

/** COLA_PYTHON, Debian's Python or the one on the path: the first that has what the script imports. */
const PYTHONS = [process.env["COLA_PYTHON"], "/usr/bin/python3", "python3"];

/** Starts the script where some Python here has these modules, and the one it reads parts of; undefined where none has. */
export function startPeer<Task, Answer>(
  modules: string,
  script: string,
  inParts?: string,
): Peer<Task, Answer> | undefined {
  const found = inParts === undefined ? "" : `; assert importlib.util.find_spec("${inParts}")`;
  const check = `import importlib.util, ${modules}${found}`;
  const has = (name?: string): boolean => name !== undefined && spawnSync(name, ["-c", check]).status === 0;
  const python = PYTHONS.find(has);
  if (python === undefined) {
    console.log(
      `no peer: no Python here has ${[modules, inParts ?? []].flat().join(", ")} (COLA_PYTHON names one)`,
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  const child = spawn(python, ["-c", script, folder], {
    env: { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(task) {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const { value: line, done } = await answers.next();
      if (done) throw new Error(`The peer (${modules}) ended before it answered.`);
      return JSON.parse(line) as Answer;
    },
    give(name, data) {
      writeFileSync(join(folder, name), data);
      return join(folder, name);
    },
    stop() {
      child.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}
