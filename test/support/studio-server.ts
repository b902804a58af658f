import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { COMMAND } from "./command.ts";

/** A `cola serve` of its own process, with the page of a folder. */
export interface ServeProcess {
  readonly url: string;
  readonly port: number;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

export interface ServeOptions {
  readonly store: string;
  readonly page: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Jobs that run together. */
  readonly workers?: number;
  /** `name:secret,…` */
  readonly keys?: string;
}

/** Starts the server and waits until it listens. */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const { store, page, port = 0, workers = 2, keys } = options;
  const args = [...COMMAND, "serve", "--port", String(port), "--store", store];
  const child = spawn(process.execPath, [...args, "--page", page, "--workers", String(workers)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, COLA_API_KEYS: keys ?? "" },
  });
  const url = await listening(child);
  return {
    url,
    port: Number(new URL(url).port),
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    },
  };
}

function listening(child: ChildProcess): Promise<string> {
  let text = "";
  child.stderr!.on("data", (part: Buffer) => {
    text = (text + part).slice(-4000);
  });
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${text}`)));
    child.stdout!.on("data", (part: Buffer) => {
      const url = /listens on (\S+)/.exec(String(part))?.[1];
      if (url) done(url);
    });
  });
}
