import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cola } from "../support/cli.ts";

const out = mkdtempSync(join(tmpdir(), "cola-asked-"));
let server: Server;
let received = 0;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { rows: number[][] };
    received += body.rows.length;
    response.end(JSON.stringify({ scores: body.rows.map(([, , income]) => Number(income) / 200) }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => {
  server.close();
  rmSync(out, { recursive: true });
});

test.each([
  ["in shards", ["--rows", "4", "--shard-rows", "2"]],
  ["in one piece", ["--rows", "6", "--effect", "0.8"]],
  ["with another generator", ["--rows", "2", "--generator", "nice"]],
])("the rows said to be scored %s are those the model was asked for", async (_, words) => {
  received = 0;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { out: told, err } = await cola(
    ...["explain", "--model", url, "--target", "score >= 0.4", "--out", out, "--formats", "jsonl", ...words],
  );
  const [, count, ...parts] =
    told.match(
      /(\d+) rows scored by the model: (\d+) to find the rows, (\d+) for counterfactuals, (\d+) for/,
    ) ?? [];
  expect(Number(count), told + err).toBe(received);
  expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBe(received);
});
