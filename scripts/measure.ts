/**
 * How large and how tangled the sources outside tests are, beside another revision where one is named:
 *
 *     npx tsx scripts/measure.ts [--base REVISION] [--list]
 *
 * - tokens: words, literals and signs; comments and formatting are not counted.
 * - circles: sets of files, or of folders (src/match, cli, …), that import each other; imports of types count.
 * - deep imports: into another folder that has an index, past that index.
 * - duplicates: tokens that lie in a run of 50 found once more, elsewhere.
 * - the walk of a row: the files `explain` needs, depth first in the order of their imports (types left out), and how
 *   often the next file is in another folder than the one before.
 */

import { circles, fileGraph, folderGraph, folderOf } from "./architecture.ts";
import { type Source, sources } from "./source.ts";

/** Lines up to which a function is short. */
const LONG = 60;
/** Tokens of a run that is told as a duplicate. */
const RUN = 50;

type Figures = Readonly<Record<string, number>>;

function figuresOf(files: readonly Source[]): Figures {
  const walk = walkFrom("src/explain.ts", files);
  return {
    tokens: sum(files.map(({ tokens }) => tokens.length)),
    lines: sum(files.map(({ lines }) => lines)),
    files: files.length,
    "circles of files": circles(fileGraph(files)).length,
    "circles of files, types included": circles(fileGraph(files, true)).length,
    "circles of folders": circles(folderGraph(files)).length,
    "deep imports": deepImports(files),
    [`functions over ${LONG} lines`]: sum(
      files.map(({ functions }) => functions.filter(({ lines }) => lines > LONG).length),
    ),
    "duplicated tokens": duplicated(files),
    "walk of a row: files": walk.length,
    "walk of a row: changes of folder": walk.filter(
      (path, t) => t > 0 && folderOf(path) !== folderOf(walk[t - 1]!),
    ).length,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function deepImports(files: readonly Source[]): number {
  const indexed = new Set(files.filter(({ path }) => /\/index\.ts$/.test(path)).map(({ path }) => path));
  return sum(
    files.map(({ path, imports }) => {
      const outside = imports.filter(({ to }) => folderOf(to) !== folderOf(path));
      return outside.filter(({ to }) => indexed.has(`${folderOf(to)}/index.ts`) && !indexed.has(to)).length;
    }),
  );
}

/** Tokens in runs that are found twice, by two rolling hashes of the runs' tokens. */
function duplicated(files: readonly Source[]): number {
  const codes = new Map<string, number>();
  const codeOf = (token: string): number => {
    if (!codes.has(token)) codes.set(token, codes.size + 1);
    return codes.get(token)!;
  };
  const texts = files.map(({ tokens }) => tokens.map(codeOf));
  const first = new Map<string, readonly [file: number, at: number]>();
  const marked = texts.map((text) => new Uint8Array(text.length));
  texts.forEach((text, f) => {
    runsOf(text).forEach((key, at) => {
      const known = first.get(key);
      if (!known) first.set(key, [f, at]);
      else for (const [file, from] of [known, [f, at]]) marked[file!]!.fill(1, from!, from! + RUN);
    });
  });
  return sum(marked.map((flags) => sum(Array.from(flags))));
}

const [BASE_A, BASE_B] = [1_000_003, 8_191];

function runsOf(text: readonly number[]): string[] {
  const keys: string[] = [];
  const hash = (at: number, base: number): number => {
    let value = 0;
    for (let t = at; t < at + RUN; t++) value = (Math.imul(value, base) + text[t]!) | 0;
    return value;
  };
  for (let at = 0; at + RUN <= text.length; at++) keys.push(`${hash(at, BASE_A)} ${hash(at, BASE_B)}`);
  return keys;
}

function walkFrom(start: string, files: readonly Source[]): string[] {
  const graph = fileGraph(files);
  const walked = new Set<string>();
  const visit = (path: string): void => {
    if (walked.has(path)) return;
    walked.add(path);
    for (const next of graph.get(path) ?? []) visit(next);
  };
  visit(start);
  return [...walked];
}

function print(now: Figures, base?: Figures): void {
  for (const [name, value] of Object.entries(now)) {
    const before = base?.[name];
    const share = before ? ` ${(((value - before) / before) * 100).toFixed(1)} %` : "";
    const beside = before === undefined ? "" : `${String(before).padStart(8)}  →`;
    console.log(`${name.padEnd(36)}${beside}${String(value).padStart(8)}${share.padStart(9)}`);
  }
}

/** Names what the figures count. */
function list(files: readonly Source[]): void {
  for (const circle of circles(fileGraph(files, true))) console.log(`circle: ${circle.join(", ")}`);
  for (const { path, functions } of files) {
    for (const { line, lines } of functions) if (lines > LONG) console.log(`${path}:${line}: ${lines} lines`);
  }
  const byFolder = new Map<string, number>();
  for (const { path, tokens } of files) {
    byFolder.set(folderOf(path), (byFolder.get(folderOf(path)) ?? 0) + tokens.length);
  }
  for (const [folder, tokens] of [...byFolder].sort((a, b) => b[1] - a[1]))
    console.log(`${folder.padEnd(24)}${String(tokens).padStart(8)} tokens`);
}

const words = process.argv.slice(2);
const at = words.indexOf("--base");
const files = sources();
print(figuresOf(files), at < 0 ? undefined : figuresOf(sources(words[at + 1])));
if (words.includes("--list")) list(files);
