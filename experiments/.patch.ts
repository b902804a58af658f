import { existsSync, readdirSync } from "node:fs";
import { scenarioOf, PRESETS } from "./settings.ts";
import { setUp } from "./setup.ts";
import { jointResult } from "./scenario.ts";
import { OWN_METHODS } from "./methods.ts";
import { keep, readKept } from "./store.ts";
const dir = process.argv[2]!;
const preset = process.argv[3] as "paper";
const method = OWN_METHODS.find((m) => m.coupling === "joint")!;
for (const id of process.argv.slice(4)) {
  const path = `${dir}/scenarios/${preset}-${id}-runs100-seed0-split0-draw0.json`;
  if (!existsSync(path)) continue;
  const kept: any = readKept(path);
  if (!kept || kept.why) { console.log(id, "skip", kept?.why); continue; }
  const last = kept.methods.at(-1);
  if (!last.why) { console.log(id, "has"); continue; }
  const c = process.cpuUsage().user;
  const setup = await setUp(scenarioOf(id), { preset, seed: 0, runs: 100, folder: "/work/shared/data" });
  if (setup.x.rows !== kept.n || Math.abs(setup.unaligned - kept.unaligned) > 1e-5) { console.log(id, "setup differs", setup.unaligned, kept.unaligned); continue; }
  const res = await jointResult(method, setup, PRESETS[preset], {});
  kept.methods[kept.methods.length - 1] = res;
  keep(path, kept);
  console.log(id, JSON.stringify(res.levels.map((l) => l.firstHit)), ((process.cpuUsage().user - c) / 1e6).toFixed(1));
}
