import { AsyncLocalStorage } from "node:async_hooks";
import { runCli } from "../../cli/program.ts";

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a run has printed so far. */
interface Printed {
  out: string;
  err: string;
}

/** The run that a write belongs to: one that ends late never prints into the answer of another. */
const running = new AsyncLocalStorage<Printed>();
catchWrites(process.stdout, "out");
catchWrites(process.stderr, "err");

/** Runs the command line in this process and catches what it prints. */
export async function cola(...words: string[]): Promise<Answer> {
  const printed: Printed = { out: "", err: "" };
  const code = await running.run(printed, () => runCli(words));
  return { code, ...printed };
}

/** Keeps what a run writes; writes of nobody's run pass. */
function catchWrites(stream: NodeJS.WriteStream, name: keyof Printed): void {
  const write = stream.write.bind(stream);
  stream.write = ((text: string | Uint8Array, ...rest: []) => {
    const printed = running.getStore();
    if (!printed) return write(text, ...rest);
    printed[name] += typeof text === "string" ? text : Buffer.from(text).toString();
    return true;
  }) as typeof stream.write;
}
