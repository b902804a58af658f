import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { commands as commandList } from "../../cli/commands/index.ts";
import { OPTIONS } from "../../study/options.ts";
import { COMMAND } from "../support/command.ts";
import { asUser, freePort, give, programs } from "../support/postgres.ts";

/** The commands of the page; those that end in & go on beside the others. */
const page = readFileSync("docs/OPERATIONS.md", "utf8");
const commands = /## In ten commands\n.*?```sh\n(.*?)```/s.exec(page)![1]!.trim().split("\n");

/** What is said after them: the job is done when asked of the other server, and the trail verifies. */
const AFTER = `
id=$(cat job.json | sed 's/.*"id":"\\([0-9a-f-]*\\)".*/\\1/')
for try in $(seq 300); do
  curl -s http://127.0.0.1:8082/v1/jobs/$id -H "Authorization: Bearer \${COLA_API_KEYS#risk:}" > state.json
  grep -q '"state":"done"' state.json && break
  sleep 0.2
done
npx cola audit verify
echo "verified with $?"
kill $(jobs -p)
wait
pg_ctl -D pgdata -m immediate -w stop > /dev/null
`;

test("docs/OPERATIONS.md: ten commands to PostgreSQL, two servers and two workers", async () => {
  expect(commands).toHaveLength(10);
  expect(commands[0]).toBe("npm install cola-xai pg");
  const home = mkdtempSync(join(tmpdir(), "cola-operations-"));
  // The command as it is here, in the place of the one that the first line installs (docs/INSTALL.md tests that).
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "npx"),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${COMMAND.join('" "')}" "$@"\n`,
  );
  chmodSync(join(bin, "npx"), 0o755);
  give(home);
  const [postgres, first, second] = [await freePort(), await freePort(), await freePort()];
  const script = `${commands.slice(1).join("\n")} > job.json\n${AFTER}`
    .replaceAll("5433", String(postgres))
    .replaceAll("8081", String(first))
    .replaceAll("8082", String(second))
    .replaceAll("-k /tmp", `-k ${home}`);
  const found = programs();
  const env = { ...found.env, HOME: home, PATH: [bin, found.bin, process.env["PATH"]].join(delimiter) };
  const shell = spawn("bash", ["-c", script], { cwd: home, env, ...asUser });
  let text = "";
  for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (part: Buffer) => (text += part));
  await once(shell, "close");
  expect(text).toMatch(/✔ 1 records, head [0-9a-f]{64}\nverified with 0/);
  expect(readFileSync(join(home, "state.json"), "utf8")).toContain('"state":"done"');
  rmSync(home, { recursive: true, force: true });
}, 300_000);

test("deploy/: every command and option of the containers is one that there is, and so is every variable", () => {
  const [image, compose] = ["Containerfile", "compose.yaml"].map((name) =>
    readFileSync(join("deploy", name), "utf8"),
  );
  const given = [...`${image}\n${compose}`.matchAll(/^\s*(?:command:|CMD) (\[.*\])$/gm)];
  expect(given).toHaveLength(3);
  for (const [, text] of given) {
    const [name, ...words] = JSON.parse(text!) as string[];
    const command = commandList.find((one) => one.name === name)!;
    const flags = command.options.map((option) => `--${OPTIONS[option].flag}`);
    expect(flags, text).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith("--"))));
  }
  const known = [
    "DATABASE_URL",
    "COLA_API_KEYS",
    "COLA_HOST",
    "COLA_PROXIES",
    "POSTGRES_PASSWORD",
    "POSTGRES_USER",
    "POSTGRES_DB",
  ];
  const named = [...compose!.matchAll(/^ {6}([A-Z_]+): |\$\{([A-Z_]+)/gm)].map(
    ([, one, other]) => one ?? other,
  );
  expect(named.filter((name) => !known.includes(name!))).toEqual([]);
  expect(compose).toMatch(/replicas: 2/);
  for (const file of ["Containerfile", "compose.yaml", "Caddyfile"])
    expect(readFileSync(join("deploy", file), "utf8"), file).toMatch(/^# .*Not tested yet/m);
  for (const file of ["deploy/Containerfile", "Caddyfile"]) expect(compose).toContain(file);
});
