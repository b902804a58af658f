import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { parseSync } from "vite";

/** One source file, taken apart. */
export interface Source {
  readonly path: string;
  readonly lines: number;
  /** Words, literals and signs, in order; comments and blanks left out. */
  readonly tokens: readonly string[];
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  readonly imports: readonly Import[];
}

/** An import of another source file. */
export interface Import {
  readonly to: string;
  /** Types alone: nothing of it is left when the program runs. */
  readonly types: boolean;
  /** `import()`, when it is needed. */
  readonly later: boolean;
}

/** Tests and what is made by a command are not counted. */
const LEFT_OUT = /^test\/|\.d\.ts$|^show\/report\/client\.script\.ts$/;

/** The sources outside tests: of a git revision, else of the working tree. */
export function sources(revision?: string): Source[] {
  const listed = revision
    ? git("ls-tree", "-r", "--name-only", revision)
    : git("ls-files", "--cached", "--others", "--exclude-standard");
  const paths = listed.split("\n").filter((path) => /\.tsx?$/.test(path) && !LEFT_OUT.test(path));
  const texts = revision ? textsAt(revision, paths) : paths.map(textOf);
  return paths.flatMap((path, i) => (texts[i] === undefined ? [] : [taken(path, texts[i])]));
}

function git(...words: string[]): string {
  return execFileSync("git", words, { encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** The files of a revision: git answers each name with a line that ends in the size, the bytes and a line end. */
function textsAt(revision: string, paths: readonly string[]): string[] {
  const input = paths.map((path) => `${revision}:${path}\n`).join("");
  const answer = execFileSync("git", ["cat-file", "--batch"], { input, maxBuffer: 2 ** 28 });
  let at = 0;
  return paths.map(() => {
    const start = answer.indexOf(10, at) + 1;
    const size = Number(answer.toString("utf8", at, start).trim().split(" ").at(-1));
    at = start + size + 1;
    return answer.toString("utf8", start, start + size);
  });
}

/** A file of the working tree; undefined where git still lists one that was deleted. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
/** What is one token however long it is. */
const WHOLE = new Set(["TemplateElement", "JSXText"]);
const SIGNS =
  /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*|>>>=|\.{3}|=>|[=!]==?|\?\?=?|\?\.|&&=?|\|\|=?|\*\*=?|[-+*/%&|^<>]=|\+\+|--|<<=?|>>>?|\S/gu;

/** Takes a source apart. */
export function taken(path: string, text: string): Source {
  const { program, comments } = parseSync(path, text);
  const nodes = nodesOf(program);
  const whole = nodes.filter((node) => WHOLE.has(node.type) || isLiteral(node));
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (at: number): number => starts.findLastIndex((start) => start <= at) + 1;
  return {
    path,
    lines: starts.length - (text.endsWith("\n") ? 1 : 0),
    tokens: tokensOf(text, comments, whole),
    functions: nodes
      .filter(({ type }) => FUNCTIONS.has(type))
      .map(({ start, end }) => ({ line: lineOf(start), lines: lineOf(end - 1) - lineOf(start) + 1 })),
    imports: importsOf(path, nodes),
  };
}

/** Strings and regular expressions; numbers and names are found by their signs. */
function isLiteral(node: Node): boolean {
  const { type, value, regex } = node as Node & { value?: unknown; regex?: unknown };
  return type === "Literal" && (typeof value === "string" || regex !== undefined);
}

function nodesOf(root: unknown): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    if (typeof (value as Partial<Node>).type === "string") found.push(value as Node);
    Object.values(value).forEach(visit);
  };
  visit(root);
  return found;
}

function tokensOf(
  text: string,
  comments: readonly { start: number; end: number }[],
  whole: readonly Node[],
): string[] {
  const pieces = [
    ...comments.map(({ start, end }) => ({ start, end, kept: false })),
    ...whole.map(({ start, end }) => ({ start, end, kept: true })),
  ].sort((a, b) => a.start - b.start);
  const tokens: string[] = [];
  let at = 0;
  for (const { start, end, kept } of pieces) {
    tokens.push(...(text.slice(at, start).match(SIGNS) ?? []));
    const piece = text.slice(start, end);
    if (kept && piece.trim() !== "") tokens.push(piece);
    at = end;
  }
  tokens.push(...(text.slice(at).match(SIGNS) ?? []));
  return tokens;
}

interface ImportNode extends Node {
  readonly source?: { readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly specifiers?: readonly { readonly importKind?: string; readonly exportKind?: string }[];
}

const IMPORTS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

function importsOf(path: string, nodes: readonly Node[]): Import[] {
  return nodes.flatMap((node) => {
    const { type, source, importKind, exportKind, specifiers = [] } = node as ImportNode;
    const name = source?.value;
    if (!IMPORTS.has(type) || typeof name !== "string" || !name.startsWith(".")) return [];
    const each = specifiers.length > 0 && specifiers.every((s) => (s.importKind ?? s.exportKind) === "type");
    const types = type === "TSImportType" || importKind === "type" || exportKind === "type" || each;
    return [{ to: join(dirname(path), name), types, later: type === "ImportExpression" }];
  });
}
