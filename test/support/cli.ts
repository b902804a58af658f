import { vi } from "vitest";
import { runCli } from "../../cli/program.ts";

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process and catches what it prints. */
export async function cola(...words: string[]): Promise<Answer> {
  let [out, err] = ["", ""];
  const stdout = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += typeof text === "string" ? text : Buffer.from(text).toString();
    return true;
  });
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  try {
    const code = await runCli(words);
    return { code, out, err };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}
