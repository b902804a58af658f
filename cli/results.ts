import { join } from "node:path";
import { writeFileWhole } from "../node/files.ts";
import type { Explanation } from "../src/explanation.ts";

/** Writes the explanation as JSON into a folder; every file whole or not at all. Returns their paths. */
export async function writeResults(folder: string, explanation: Explanation): Promise<string[]> {
  const path = join(folder, "explanation.json");
  writeFileWhole(path, `${JSON.stringify(explanation, null, 2)}\n`);
  return [path];
}
