import type { Generated, Task } from "../src/generate/contract.ts";
import { type GeneratorMethod, generators } from "../src/generate/registry.ts";
import { stream } from "../src/num/random.ts";
import { hasSet, presetTask, productTask } from "../test/support/set-tasks.ts";
import { type BenchRow, cpuMs } from "./table.ts";

/** Share of the affected rows the authors' own runs covered, as far as the figures can be recovered. */
const AUTHORS: Readonly<Record<string, { readonly rows: number; readonly share: number }>> = {
  heloc: { rows: 146, share: 0.12 },
  compas: { rows: 150, share: 0.31 },
};

/** The generators for a whole group on the public data sets, as far as their files are there. */
export async function benchGroupGenerators(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [set, { rows: count, share }] of Object.entries(AUTHORS)) {
    if (hasSet(set)) rows.push(...(await benchAuthors(set, count, share)));
  }
  for (const set of ["heloc", "compas", "german"]) {
    if (!hasSet(set)) continue;
    const task = productTask(set, "forest", 300);
    for (const name of ["globe-ce", "ares"]) rows.push(...(await benchCoverage(set, name, task)));
  }
  if (hasSet("german")) rows.push(...(await benchDiscount()));
  return rows;
}

/** GLOBE-CE in the authors' direction: 5 features per direction, magnitude 2, 1,000 directions. */
async function benchAuthors(set: string, count: number, share: number): Promise<BenchRow[]> {
  const task =
    set === "heloc"
      ? presetTask(set, "forest", count, { atTarget: true })
      : turned(productTask(set, "forest", count));
  const { generated, seconds } = await timed("globe-ce", task, { preset: "authors", samples: 1000 });
  const coverage = generated.report.details["coverage"] as number;
  const where = `globe-ce, authors' direction, ${set}, forest, ${task.x.rows} rows`;
  return [
    { name: `${where}: coverage`, ours: coverage, unit: "share", bar: `≥ ${share}`, ok: coverage >= share },
    { name: `${where}: CPU`, ours: seconds, unit: "s" },
  ];
}

/** Rows of class 0 as the ones at the target. */
const turned = (task: Task): Task => ({ ...task, target: { class: 0 } });

async function benchCoverage(set: string, name: string, task: Task): Promise<BenchRow[]> {
  const { generated, seconds } = await timed(name, task, {});
  const { coverage, meanCost } = generated.report.details as { coverage: number; meanCost: number };
  const where = `${name}, ${set}, forest, ${task.x.rows} rows`;
  return [
    { name: `${where}: coverage`, ours: coverage, unit: "share" },
    { name: `${where}: mean cost`, ours: meanCost, unit: "bins" },
    { name: `${where}: CPU`, ours: seconds, unit: "s" },
  ];
}

async function benchDiscount(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [model, method] of [
    ["dnn", "gradient"],
    ["dnn", "search"],
    ["forest", "search"],
  ] as const) {
    const task = presetTask("german", model, 100);
    const { generated, seconds } = await timed("discount", task, { method });
    const { feasible, input, output } = generated.report.details as {
      feasible: boolean;
      input: { upper: number };
      output: { upper: number };
    };
    const where = `discount by ${method}, german, ${model}, ${task.x.rows} rows`;
    rows.push(
      { name: `${where}: input limit`, ours: input.upper, unit: "sd", bar: "≤ 0.4", ok: input.upper <= 0.4 },
      {
        name: `${where}: output limit`,
        ours: output.upper,
        unit: "score",
        bar: "≤ 0.3",
        ok: output.upper <= 0.3,
      },
      {
        name: `${where}: CPU`,
        ours: seconds,
        unit: "s",
        bar: "feasible in ≤ 10 s",
        ok: feasible && seconds <= 10,
      },
    );
  }
  return rows;
}

async function timed(
  name: string,
  task: Task,
  options: object,
): Promise<{ generated: Generated; seconds: number }> {
  const { generate } = (generators as Readonly<Record<string, GeneratorMethod>>)[name]!;
  let generated: Generated | undefined;
  const ms = await cpuMs(async () => {
    generated = await generate(task, options, stream(1, "bench", name));
  });
  return { generated: generated!, seconds: ms / 1000 };
}
