import { isColaError } from "../../src/errors.ts";
import { frameBytes } from "../bridge/frames.ts";
import { serveBridge } from "../bridge/session.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";

/** How often it is looked whether whoever started the command is still there. */
const PARENT_MS = 1000;

/** The library for programs in other languages: framed messages on standard input and output. */
export const bridgeCommand: CommandSpec = {
  name: "bridge",
  summary: "speak to a program in another language: framed messages on standard input and output",
  options: [],
  examples: ["cola bridge"],
  run: async () => {
    endWithParent();
    try {
      await serveBridge(process.stdin, process.stdout);
    } catch (error) {
      if (!isColaError(error)) throw error;
      const { code, message, details } = error;
      process.stdout.write(frameBytes({ type: "error", id: null, code, message, details }));
      return EXIT.badInput;
    }
    process.exit(EXIT.ok); // what was under way is of no use to anybody
  },
};

/** A process that a copy of its caller still holds the pipe of would not see its input end. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(EXIT.ok);
  }, PARENT_MS).unref();
}
