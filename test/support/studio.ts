import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Browser, Download, Page } from "playwright-core";
import { writeTable } from "../../formats/index.ts";
import { loanClasses, loans } from "../../src/data/loans.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** The policy of the server: scripts, styles and workers of its own only, nothing inline. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";

export interface Served {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the built page from a folder under the policy it must live with. */
export async function serveFolder(folder: string): Promise<Served> {
  const server: Server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname);
    try {
      const file = join(folder, path === "/" ? "index.html" : path);
      const body = readFileSync(file);
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-security-policy": POLICY,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A page on which every error is kept, to be looked at in the end. */
export async function opened(
  browser: Browser,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<Page & { errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(30_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return Object.assign(page, { errors });
}

export async function violations(page: Page): Promise<string[]> {
  // Through the protocol, not as a script element: the page's policy would refuse that.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const found = await run.run();
    return found.violations.map(
      (v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(" | ")}`,
    );
  });
}

/** The embedded applications as somebody's own file: two classes, an id column, a comma in a cell. */
export function ownFile(): Buffer {
  const { table, labels } = loans();
  const own = {
    names: ["applicant", ...table.names, "decision"],
    columns: [
      Array.from({ length: table.rows }, (_, i) => `A-${i}`),
      ...table.columns,
      Array.from(labels, (label) => loanClasses[label]!),
    ],
    rows: table.rows,
  };
  return Buffer.from(writeTable(own, "csv"));
}

/** Says which column has the outcome, as long as the page takes to read the columns so. */
export async function outcome(page: Page, name: string): Promise<void> {
  await page.getByLabel("Known outcome").selectOption(name);
  await page.getByText(/features?, outcomes /).waitFor();
}

/** Says in the set-up of the model what should be reached. */
export async function wanted(page: Page, target: string): Promise<void> {
  const step = page.getByRole("button", { name: /^Model/ });
  if ((await step.getAttribute("aria-expanded")) === "false") await step.click();
  await page.getByLabel("What should be reached").fill(target);
}

/** Opens a part of the result and waits until it is there. */
export async function tab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  await page.getByText("One moment …").waitFor({ state: "hidden" });
}

export async function text(download: Download): Promise<string> {
  return readFileSync(await download.path(), "utf8");
}

/** Downloads by their button: one file of each. */
export const FILES: Readonly<Record<string, string>> = {
  "Tables, CSV": "edits.csv",
  "Tables, Parquet": "z.parquet",
  "Tables, Arrow": "q.arrow",
  "Figures, PNG": "curve.png",
  "DiCE JSON": "dice.json",
  Model: "model.json",
};
