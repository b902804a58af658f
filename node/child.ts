import { type ChildProcess, fork } from "node:child_process";
import { MEMORY, PARENT } from "./guard.ts";

/** What a process is started with. */
export interface Start {
  /** Plain data, which the process reads by `givenData`. */
  readonly data: unknown;
  /** Mebibytes of objects and buffers it may hold. Default: what this process may, or Node gives one. */
  readonly memoryMb?: number;
  /** Variables of its environment beside ours, for what a command line must not show. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. Default: empty. */
  readonly input?: Uint8Array;
}

/** How a process ended: for want of memory, ended by others (as by a system without memory left), or of itself. */
export type End = "memory" | "killed" | "other";

/** A process of our own that computes beside this one and can be ended whatever it does. */
export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<End>;
  /** Ends it at once. */
  kill(): Promise<End>;
}

/** What a process wrote last tells why it ended; it is never shown, for it may quote data. */
const LAST_CHARACTERS = 20_000;
/** Words of V8 in every version, and of `guardChild`. */
const OUT_OF_MEMORY = /out of memory/;

/**
 * A process over the module `name` beside the module at `from`: built as name.js, from source as name.ts through
 * tsx. Not a thread: in some versions of Node one that outgrows its heap takes the whole process with it, and no
 * limit of a thread counts typed arrays.
 */
export function startChild(from: string, name: string, { data, input, env, ...start }: Start): Child {
  const source = from.endsWith(".ts");
  const memoryMb = start.memoryMb ?? process.env[MEMORY];
  const child = fork(new URL(`${name}.${source ? "ts" : "js"}`, from), [JSON.stringify(data)], {
    execArgv: [
      ...(source ? ["--import", import.meta.resolve("tsx")] : []),
      ...(memoryMb ? [`--max-old-space-size=${memoryMb}`] : []),
    ],
    env: {
      ...process.env,
      ...env,
      [PARENT]: String(process.pid),
      ...(memoryMb && { [MEMORY]: String(memoryMb) }),
    },
    serialization: "advanced",
    stdio: [input ? "pipe" : "ignore", "ignore", "pipe", "ipc"],
  });
  // One that ends while it is written to breaks the pipe; its end says the rest.
  child.stdin?.on("error", () => {}).end(input);
  let killed = false;
  const ended = endOf(child, () => killed);
  return {
    process: child,
    ended,
    kill() {
      killed = true;
      child.kill("SIGKILL");
      return ended;
    },
  };
}

function endOf(child: ChildProcess, killed: () => boolean): Promise<End> {
  let last = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    last = (last + text).slice(-LAST_CHARACTERS);
  });
  return new Promise((resolve) => {
    child.once("close", (_code, signal) => {
      if (OUT_OF_MEMORY.test(last)) resolve("memory");
      else resolve(signal === "SIGKILL" && !killed() ? "killed" : "other");
    });
    child.on("error", () => {
      if (child.pid === undefined) resolve("other");
    });
  });
}
