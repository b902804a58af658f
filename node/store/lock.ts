import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ColaError } from "../../src/errors.ts";

/**
 * Takes a data folder for this process alone: two processes on one embedded database would destroy it. A lock
 * left by a process that was killed is recognised by its start time and taken over. Returns the release.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  const mine = `${process.pid} ${startOf(process.pid) ?? "?"}`;
  for (let tries = 0; tries < 3; tries++) {
    if (create(path, mine)) return () => rmSync(path, { force: true });
    const holder = read(path);
    if (alive(holder)) {
      const pid = Number(holder.split(" ")[0]);
      throw new ColaError(
        "STORE_LOCKED",
        `store: ${folder} is in use by process ${pid}, as by a running \`cola serve\`; one process at a time can open it. Stop that one (kill ${pid}) and try again, or name another folder by --store.`,
        { folder, pid },
      );
    }
    if (read(path) === holder) rmSync(path, { force: true });
  }
  throw new ColaError("STORE_LOCKED", `store: ${folder} is being opened by several processes; try again.`, {
    folder,
  });
}

function create(path: string, text: string): boolean {
  try {
    const handle = openSync(path, "wx", 0o600);
    writeSync(handle, text);
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function alive(holder: string): boolean {
  const [pid, start] = holder.split(" ");
  if (!/^\d+$/.test(pid!)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = startOf(Number(pid));
  return start === undefined || start === "?" || now === undefined || now === start;
}

/** When a process was started, in the kernel's ticks; unknown outside Linux. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
