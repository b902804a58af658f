import type { GivenSource } from "./source.ts";

/** What the JSON text of another tool is, by the fields only that tool writes; undefined: of none we know. */
export function toolSource(text: string): GivenSource | undefined {
  if (/"(cfs_list|cf_examples_list)"\s*:/.test(text)) return { format: "dice", file: text };
  return /"meta"\s*:/.test(text) ? { format: "alibi", explanations: text } : undefined;
}
