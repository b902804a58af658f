import type { Import } from "./source.ts";

/** What the rules look at: who imports whom. */
export interface GraphFile {
  readonly path: string;
  readonly imports: readonly Import[];
}

/** The one path. A stage may import itself, earlier stages and the ground; never a later one. */
const STAGES = [
  "data",
  "exact",
  "model",
  "train",
  "read",
  "generate",
  "couple",
  "search",
  "match",
  "attribute",
  "compose",
  "refine",
  "evaluate",
];
/** What every stage stands on. */
const GROUND = ["src/num", "src/basic-types.ts", "src/types.ts", "src/errors.ts", "src/budget.ts"];
/** What checks certificates: it shares nothing with the search whose proofs they are, nor with any model. */
const CHECKER = ["src/certificate.ts", "src/verify", "src/flatten"];
/** Stages that may import less than the order allows. */
const NARROW: Readonly<Record<string, readonly string[]>> = { couple: [] };

/** What the folders beside each other may import; a folder that is not named here may not be. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  src: [],
  formats: ["src"],
  show: ["src"],
  study: ["src", "formats"],
  node: ["src", "formats", "study"],
  cli: ["src", "formats", "show", "study", "node", "experiments"],
  server: ["src", "formats", "show", "study", "node"],
  web: ["src", "formats", "show", "study"],
  experiments: ["src", "formats", "show", "node"],
  examples: ["src", "formats", "test"],
  bench: ["src", "formats", "study", "node", "experiments", "scripts", "test"],
  scripts: ["src", "show", "study", "cli", "test"],
};

/** Imports that the rules do not allow, and why they are right all the same. */
const EXCEPTIONS: readonly (readonly [from: RegExp, to: RegExp])[] = [
  // A structure brings its exact algorithms along; what they are asked and answer is told beside them.
  [/^src\/types\.ts$/, /^src\/(data\/constraints|exact\/plan|model\/(branch|kernels))\.ts$/],
  // The names of divergences are those of their table.
  [/^src\/basic-types\.ts$/, /^src\/num\/divergence\.ts$/],
  // The commands that start the server.
  [/^cli\/commands\/(serve|worker|replay)\.ts$/, /^server\/index\.ts$/],
  // Run from the sources, a report bundles its script; builds replace that file by the finished text.
  [/^show\/report\/client-script\.ts$/, /^scripts\/client-bundle\.ts$/],
];

/** The folder that rules are about: within src/ the one below it (a file of src/ itself counts as one), else the first. */
export function folderOf(path: string): string {
  const [first, second] = path.split("/");
  return first === "src" ? `src/${second}` : first!;
}

/** Everything that breaks a rule, in words; empty where nothing does. */
export function violations(files: readonly GraphFile[]): string[] {
  return [...betweenFolders(files), ...betweenStages(files), ...cycles(files)];
}

function betweenFolders(files: readonly GraphFile[]): string[] {
  return edgesOf(files).flatMap(([from, to]) => {
    const [own, other] = [from.split("/")[0]!, to.split("/")[0]!];
    const allowed = FOLDERS[own];
    if (!allowed) return [`${from}: the folder ${own} has no place in the architecture`];
    if (own === other || allowed.includes(other)) return [];
    return [`${from} → ${to}: ${own} may not import ${other}`];
  });
}

function betweenStages(files: readonly GraphFile[]): string[] {
  return edgesOf(files).flatMap(([from, to]) => {
    const [own, other] = [folderOf(from), folderOf(to)];
    const allowed = allowedIn(own);
    if (!to.startsWith("src/") || !allowed || own === other || allowed.includes(other)) return [];
    return [`${from} → ${to}: ${own} comes before ${other}`];
  });
}

/** The folders that a stage or the ground may import besides itself; undefined for what stands above all stages. */
function allowedIn(folder: string): readonly string[] | undefined {
  if (GROUND.includes(folder)) return GROUND;
  if (CHECKER.includes(folder)) return CHECKER;
  const stage = folder.replace("src/", "");
  const at = STAGES.indexOf(stage);
  if (!folder.startsWith("src/") || at < 0) return undefined;
  return [...GROUND, ...(NARROW[stage] ?? STAGES.slice(0, at)).map((earlier) => `src/${earlier}`)];
}

/** Circles of files and of folders, whatever they need of each other. */
function cycles(files: readonly GraphFile[]): string[] {
  const message = (what: string) => (circle: readonly string[]) =>
    `${what} that import each other: ${circle.toSorted().join(", ")}`;
  return [
    ...circles(fileGraph(files, true)).map(message("files")),
    ...circles(folderGraph(files)).map(message("folders")),
  ];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Files and what they import; `types` says whether imports of types alone count. */
export function fileGraph(files: readonly GraphFile[], types = false): Graph {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, imports }) => {
      const needed = imports.filter((one) => !one.later && (types || !one.types)).map(({ to }) => to);
      return [path, new Set(needed.filter((to) => known.has(to)))];
    }),
  );
}

export function folderGraph(files: readonly GraphFile[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, tos] of fileGraph(files, true)) {
    const folder = folderOf(from);
    const others = graph.get(folder) ?? new Set();
    for (const to of tos) if (folderOf(to) !== folder && !isException(from, to)) others.add(folderOf(to));
    graph.set(folder, others);
  }
  return graph;
}

/** Sets of nodes each of which reaches all others of its set, by the order in which Tarjan's search leaves them. */
export function circles(graph: Graph): string[][] {
  const place = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    place.set(node, place.size);
    let low = place.get(node)!;
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!place.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, place.get(next)!);
    }
    if (low === place.get(node)) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) found.push(circle);
    }
    return low;
  };
  for (const node of graph.keys()) if (!place.has(node)) visit(node);
  return found;
}

function edgesOf(files: readonly GraphFile[]): (readonly [from: string, to: string])[] {
  const edges = files.flatMap(({ path, imports }) => imports.map(({ to }) => [path, to] as const));
  return edges.filter(([from, to]) => !isException(from, to));
}

function isException(from: string, to: string): boolean {
  return EXCEPTIONS.some(([here, there]) => here.test(from) && there.test(to));
}
