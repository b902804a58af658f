import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { ColaError, messageOf } from "../../src/errors.ts";
import { parseAnswer } from "./answers.ts";

/** Most of the command's stderr that is kept for messages. */
const STDERR_CHARS = 4096;
/** Time a process has to end by itself once its input is closed, and its last words to arrive once it ended. */
const GRACE_MS = 500;

interface LineProcessOptions {
  readonly timeoutMs: number;
  readonly maxLineBytes: number;
  readonly shell?: boolean;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a line holds, either way. */
export interface Message {
  readonly id: number;
  readonly [key: string]: unknown;
}

/** The process ended while it was asked: worth another try with a fresh one. */
class Crash extends Error {}

/** One run of a command that answers each JSON line with one JSON line of the same id. */
export class LineProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly owner: string;
  private readonly options: LineProcessOptions;
  private readonly closed: Promise<void>;
  private stderr = "";
  private parts: string[] = [];
  private size = 0;
  /** Has it ever written a whole line? */
  private answered = false;
  private ended: Error | undefined;
  private asked: { settle(line: string): void; fail(error: Error): void } | undefined;

  constructor(owner: string, argv: readonly string[], options: LineProcessOptions) {
    this.owner = owner;
    this.options = options;
    const shell = options.shell ?? false;
    // A shell and what it started are ended together, as a group.
    this.child = spawn(argv[0]!, argv.slice(1), {
      stdio: ["pipe", "pipe", "pipe"],
      shell,
      detached: shell && process.platform !== "win32",
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.env ? { env: { ...options.env } } : {}),
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_CHARS);
    });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.read(text));
    this.child.stdin.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      const end = (how: string): void => {
        this.end(new Crash(how));
        resolve();
      };
      const how = (code: number | null, signal: string | null): string =>
        signal ? `was ended by ${signal}` : `ended with code ${code}`;
      this.child.on("error", (error) =>
        end(
          `could not be started (${"code" in error && error.code === "ENOENT" ? "there is no such program" : messageOf(error)})`,
        ),
      );
      this.child.on("close", (code, signal) => end(how(code, signal)));
      this.child.on("exit", (code, signal) => setTimeout(() => end(how(code, signal)), GRACE_MS).unref());
    });
    this.hold(false);
  }

  get alive(): boolean {
    return this.ended === undefined;
  }

  /** Sends a message and waits for the line that carries its id. */
  async ask(message: Message, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const line = await this.exchange(`${JSON.stringify(message)}\n`, signal);
    try {
      const answer = parseAnswer(this.owner, line);
      const object = (typeof answer === "object" && answer !== null ? answer : {}) as Record<string, unknown>;
      if (object["id"] === message.id) return object;
      const id = object["id"] === undefined ? "no id" : `the id ${JSON.stringify(object["id"])}`;
      throw new ColaError(
        "PREDICT_FAILED",
        `${this.owner}: batch ${message.id} was sent, but what the command wrote, ${JSON.stringify(line.slice(0, 60))}, has ${id}; write one line with the id that was sent, as {"id": ${message.id}, "scores": [0.7, 0.2]}, and everything else to standard error.`,
        { id: message.id },
      );
    } catch (error) {
      // What comes next could be the answer to anything.
      this.kill();
      throw error;
    }
  }

  private exchange(line: string, signal: AbortSignal | undefined): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const fail = (error: Error): void => {
        finish();
        reject(error);
      };
      const onAbort = (): void =>
        this.kill(new ColaError("ABORTED", `${this.owner}: stopped by options.signal.`, {}, signal?.reason));
      const timer = setTimeout(() => this.kill(this.late()), this.options.timeoutMs);
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.asked = undefined;
        this.hold(false);
      };
      const settle = (answer: string): void => {
        finish();
        resolve(answer);
      };
      this.asked = { settle, fail };
      if (this.ended) return fail(this.ended);
      if (signal?.aborted) return onAbort();
      signal?.addEventListener("abort", onAbort);
      this.hold(true);
      this.child.stdin.write(line);
    });
  }

  private late(): ColaError {
    return new ColaError(
      "PREDICT_TIMEOUT",
      `${this.owner}: the command did not answer within options.timeoutMs = ${this.options.timeoutMs} ms and was ended${this.lastWords()}; raise it or lower options.batchRows${this.answered ? "" : ", or, if it printed an answer, let it flush standard output after every line (Python: print(…, flush=True))"}.`,
      { timeoutMs: this.options.timeoutMs },
    );
  }

  private lastWords(): string {
    return this.stderr.trim() === "" ? "" : `; it wrote: ${this.stderr.trim()}`;
  }

  private read(text: string): void {
    const cut = text.indexOf("\n");
    this.parts.push(cut < 0 ? text : text.slice(0, cut));
    this.size += text.length;
    if (cut < 0) {
      if (this.size > this.options.maxLineBytes)
        this.kill(new Crash(`wrote a line longer than ${this.options.maxLineBytes}`));
      return;
    }
    const line = this.parts.join("");
    this.answered = true;
    this.parts = [];
    this.size = 0;
    if (this.asked) this.asked.settle(line);
    else this.kill(new Crash(`wrote ${JSON.stringify(line.slice(0, 120))} without being asked`));
    if (cut + 1 < text.length) this.read(text.slice(cut + 1));
  }

  private end(error: Error): void {
    if (error instanceof Crash) error.message += this.lastWords();
    this.ended ??= error;
    this.asked?.fail(this.ended);
  }

  private kill(why: Error = new Crash("was ended")): void {
    this.end(why);
    const { pid } = this.child;
    try {
      if (this.options.shell && pid !== undefined && process.platform !== "win32")
        process.kill(-pid, "SIGKILL");
      else this.child.kill("SIGKILL");
    } catch {
      // It is gone already.
    }
  }

  /** Keeps our own process alive while an answer is awaited, and only then. */
  private hold(on: boolean): void {
    const { child } = this;
    for (const handle of [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[]) {
      if (on) handle.ref?.();
      else handle.unref?.();
    }
  }

  /** Closes the input and waits for the end; kills what stays. */
  async stop(): Promise<void> {
    if (this.asked)
      this.kill(new ColaError("ABORTED", `${this.owner}: the model was closed while it was asked.`));
    this.child.stdin.end();
    this.hold(true);
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.closed;
    clearTimeout(timer);
  }
}
