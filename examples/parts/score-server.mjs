// A model behind HTTP: {"columns": [...], "rows": [[...]]} in, {"scores": [...]} out.   node score-server.mjs [port]
import { createServer } from "node:http";

const LEVELS = { none: 0, little: 1, some: 2, ample: 3 };

function score({ income, debt, amount, duration, savings }) {
  const burden = (amount * (1 + 0.004 * duration) + debt) / income;
  return 1 / (1 + Math.exp(4 * burden - 0.9 * (LEVELS[savings] ?? 0) - 1.5));
}

const server = createServer(async (request, response) => {
  const { columns, rows } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const people = rows.map((row) => Object.fromEntries(columns.map((name, k) => [name, row[k]])));
  response.end(JSON.stringify({ scores: people.map(score) }));
});
server.listen(Number(process.argv[2] ?? 8899), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
