import { spawnSync } from "node:child_process";

/** A Python that can import `modules`, or undefined: tests that need it are skipped with a sentence. */
export function pythonWith(...modules: readonly string[]): string | undefined {
  const script = ["pass", ...modules.map((name) => `import ${name}`)].join(";");
  return ["python3", "/usr/bin/python3", "python"].find(
    (python) => spawnSync(python, ["-c", script], { stdio: "ignore" }).status === 0,
  );
}
