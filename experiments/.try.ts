import { runScenario } from "./scenario.ts";
import { scenarioOf } from "./settings.ts";

for (const id of process.argv.slice(3)) {
  const t = performance.now();
  let last = t,
    stage = "";
  const res = await runScenario(
    scenarioOf(id),
    { preset: process.argv[2] as "paper", seed: 0, runs: 100, folder: "../shared/data" },
    {
      onProgress: (p) => {
        const now = performance.now();
        if (process.env.V) console.error(`  ${p.stage} ${p.done} +${(now - last).toFixed(0)}`);
        last = now;
      },
    },
  );
  console.log(
    id,
    res.why ?? "",
    `n ${res.n} m ${res.m} acc ${res.accuracy} D0 ${res.start} L0 ${res.unaligned}/${res.aligned} ${((performance.now() - t) / 1000).toFixed(1)} s cpu ${(process.cpuUsage().user / 1e6).toFixed(1)}`,
    res.notes.join(";"),
  );
  for (const m of res.methods)
    console.log(
      "  ",
      m.method.padEnd(16),
      m.why ??
        m.levels
          .map(
            (l) =>
              `${l.level}: ${l.firstHit?.toFixed(2)}±${l.half?.toFixed(2)} (${l.reached}) mc ${l.meanCurve}`,
          )
          .join(" | "),
    );
}
