import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { COMMAND } from "./command.ts";

/** One process of `cola`, which can be killed and started again. */
export interface Member {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What the command is started by, as a network of its own. */
  readonly by: readonly string[];
  /** Where it answers; none for a worker. */
  url: string;
  child: ChildProcess;
}

/** The command line as the tests start it, or, with COLA_BUILT=1, as it was built: what people install. */
export function programOf(env: NodeJS.ProcessEnv): string[] {
  return env["COLA_BUILT"] === "1" ? ["dist/cli/main.js"] : [...COMMAND];
}

/** Starts `cola` with these words and waits until it says that it is there. */
export async function startMember(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  by: readonly string[] = [],
): Promise<Member> {
  const member: Member = { words, env, by, url: "", child: undefined as never };
  await start(member);
  return member;
}

async function start(member: Member): Promise<void> {
  const { words, env, by } = member;
  const [command, ...args] = [...by, process.execPath, ...programOf(env), ...words];
  const child = spawn(command!, args, { stdio: ["ignore", "pipe", "pipe"], env });
  member.child = child;
  let text = "";
  child.stderr!.on("data", (part: Buffer) => {
    text = (text + part).slice(-4000);
  });
  await new Promise<void>((done, fail) => {
    child.once("exit", (code) => fail(new Error(`cola ${words.join(" ")} ended with ${code}: ${text}`)));
    child.stdout!.on("data", (part: Buffer) => {
      const url = /listens on (\S+)/.exec(String(part))?.[1];
      if (url && new URL(url).hostname !== "127.0.0.1") fail(new Error(`${url} is not the loopback`));
      member.url = url ?? "";
      if (url || /^cola works$/m.test(String(part))) done();
    });
  });
}

/** kill -9, and a new start as long as the database lets it. */
export async function replace(member: Member): Promise<void> {
  const gone = once(member.child, "exit");
  member.child.kill("SIGKILL");
  await gone;
  for (let tries = 0; ; tries++) {
    try {
      return await start(member);
    } catch (error) {
      if (tries > 20 || !/STORE_UNREACHABLE/.test(String(error))) throw error;
      await new Promise((done) => setTimeout(done, 300));
    }
  }
}

/** SIGTERM; the exit code. */
export async function stopMember({ child }: Member): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const gone = once(child, "exit") as Promise<[number | null]>;
  child.kill("SIGTERM");
  return (await gone)[0];
}
