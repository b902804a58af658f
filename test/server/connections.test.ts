import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { mostConnections } from "../../server/connections.ts";
import { COMMAND } from "../support/command.ts";
import { freshFolder, storeWords } from "../support/server.ts";

const FILES = 400;
const FLOOD = 600;

test("connections leave room for the files of the store", () => {
  expect(mostConnections(10_000, Number.POSITIVE_INFINITY)).toBe(10_000);
  expect(mostConnections(10_000, 1024)).toBe(768);
  expect(mostConnections(10_000, 100)).toBe(16);
});

/** Asks over the connections of an agent. */
function ask(agent: Agent, url: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const method = body ? "POST" : "GET";
    const sent = request(
      url,
      { agent, method, headers: { "content-type": "application/json" } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () => done({ status: answer.statusCode!, text }));
      },
    );
    sent.on("error", fail).end(body && JSON.stringify(body));
  });
}

test(`${FLOOD} connections that say nothing do not stop work where ${FILES} files may be open`, async () => {
  const folder = await freshFolder();
  const words = [process.execPath, ...COMMAND, "serve", "--port", "0", ...(await storeWords(folder))];
  const child = spawn("bash", ["-c", `ulimit -n ${FILES} && exec "$0" "$@"`, ...words]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const flood: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of flood) socket.destroy();
    agent.destroy();
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  let text = "";
  while (!text.includes("listens on")) text += String((await once(child.stdout, "data"))[0]);
  const url = /listens on (\S+)/.exec(text)![1]!;
  expect((await ask(agent, `${url}/health/live`)).status).toBe(200);
  for (let k = 0; k < FLOOD; k++) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    flood.push(socket);
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    // Half of them begin a request.
    if (k % 2 === 0) socket.write("POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n");
  }
  const sent = await ask(agent, `${url}/v1/jobs`, { options: { rows: 1 } });
  expect(sent.status, sent.text).toBe(202);
  const { id } = JSON.parse(sent.text) as { id: string };
  const state = async (): Promise<unknown> =>
    (JSON.parse((await ask(agent, `${url}/v1/jobs/${id}`)).text) as { state: unknown }).state;
  await expect.poll(state, { timeout: 200_000, interval: 100 }).toBe("done");
}, 300_000);
