import { scenarioOf } from "./settings.ts";
import { contest } from "./contest.ts";
const [id, dir, rows] = process.argv.slice(2);
const t = performance.now(); let last = t; let cpu=process.cpuUsage().user;
const res = await contest(scenarioOf(id!), { folder: "../shared/data", seed: 0, split: 0, direction: (dir ?? "wanted") as "wanted", rows: Number(rows ?? 30), retrains: 10 }, (l) => { const c = process.cpuUsage().user; if (process.env.V) console.error(((c-cpu)/1e6).toFixed(2), l); cpu = c; });
console.log(id, dir, "n", res.n, ((performance.now()-t)/1000).toFixed(1), "s cpu", (process.cpuUsage().user/1e6).toFixed(1), "missing", res.missing);
for (const r of res.rows) console.log(`  ${r.goal} ${r.name.padEnd(28)} val ${r.validity} edits ${r.edits.toFixed(2)} p90 ${r.edits90} l1 ${r.l1.toFixed(2)} l2 ${r.l2.toFixed(2)} m ${r.margin.toFixed(3)} yNN ${r.yNN.toFixed(2)} lof ${r.lof.toFixed(2)} rob ${r.robust.toFixed(2)} calls ${r.modelRows}`);
if (process.env.A) for (const r of res.ablation) console.log("   ", r.name, r.edits, r.validity);
console.log(JSON.stringify(res.leftOut));
