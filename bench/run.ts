import { writeFileWhole } from "../node/files.ts";
import { type BenchRow, printTable } from "./table.ts";

/** Every measurement by name; `npm run bench -- transport attribute` runs some of them. */
const BENCHES: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  transport: async () => (await import("./transport.ts")).benchTransport(),
  sinkhorn: async () => (await import("./sinkhorn.ts")).benchSinkhorn(),
  attribute: async () => (await import("./attribute.ts")).benchAttribute(),
  dense: async () => (await import("./dense.ts")).benchDense(),
  neighbours: async () => (await import("./neighbours.ts")).benchNeighbours(),
  joint: async () => (await import("./joint.ts")).benchJoint(),
  refine: async () => (await import("./refine.ts")).benchRefine(),
  exact: async () => (await import("./exact.ts")).benchExact(),
  start: async () => (await import("./start.ts")).benchStart(),
  "xai-cola": async () => (await import("./xai-cola.ts")).benchXaiCola(),
  rows: async () => (await import("./rows.ts")).benchRows(),
  long: async () => (await import("./long.ts")).benchLong(),
  explainer: async () => (await import("./explainer.ts")).benchExplainer(),
  "missing-rows": async () => (await import("./missing-rows.ts")).benchMissingRows(),
  "models-smooth": async () => (await import("./models-smooth.ts")).benchSmoothModels(),
  "models-trees": async () => (await import("./models-trees.ts")).benchTreeModels(),
  generate: async () => (await import("./generate.ts")).benchGenerate(),
  platform: async () => (await import("./platform.ts")).benchPlatform(),
  studio: async () => (await import("./studio.ts")).benchStudio(),
  "group-generators": async () => (await import("./group-generators.ts")).benchGroupGenerators(),
};

/** What takes the better part of an hour: only when it is named. */
const WHEN_NAMED: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  million: async () => (await import("./long.ts")).benchMillion(),
};

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(BENCHES);
const results: Record<string, BenchRow[]> = {};
for (const name of names) {
  const bench = BENCHES[name] ?? WHEN_NAMED[name];
  if (!bench) {
    const all = Object.keys({ ...BENCHES, ...WHEN_NAMED });
    throw new Error(`there is no bench ${name}; there are ${all.join(", ")}`);
  }
  console.log(`\n${name}`);
  results[name] = await bench();
  printTable(results[name]);
}
writeFileWhole("out/bench.json", `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
const missed = Object.values(results)
  .flat()
  .filter((row) => row.ok === false);
console.log(
  `\n${missed.length === 0 ? "every bar is met" : `missed: ${missed.map((row) => row.name).join("; ")}`}`,
);
