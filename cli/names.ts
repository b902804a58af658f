import { OPTIONS, type OptionName } from "../study/options.ts";

/** Options of the library that the command line calls otherwise. */
const RENAMED: Readonly<Record<string, OptionName>> = {
  timeMs: "timeout",
  timeoutMs: "modelTimeout",
  batchRows: "modelBatch",
  retries: "modelRetries",
  restarts: "modelRetries",
  url: "model",
};

/** A message of the library with the options called as on the command line, times in seconds as there. */
export function asTyped(message: string): string {
  return message
    .replace(
      /\boptions\.timeoutMs = (\d+) ms/g,
      (_, ms: string) => `${flagOf("timeoutMs")} = ${Number(ms) / 1000} s`,
    )
    .replace(/\bbudget\.(perRow|total)\b/g, (_, name: string) => flagOf(name === "total" ? "budget" : name)!)
    .replace(/\bcommandModel\('([^']*)'\)/g, '--model "command:$1"')
    .replace(/\bcommandModel or httpModel\b/g, '--model "command:PROGRAM" or --model http://ADDRESS')
    .replace(/^(command|http)Model: /, "--model: ")
    .replace(/\braise effort\b|\beffort(?= höher)/g, (whole) => whole.replace("effort", flagOf("effort")!))
    .replace(/\b(?:options|limits)\.(\w+)/g, (whole, name: string) => flagOf(name) ?? whole);
}

function flagOf(name: string): string | undefined {
  const key = RENAMED[name] ?? name;
  if (key === "signal") return "Ctrl-C";
  return Object.hasOwn(OPTIONS, key) ? `--${OPTIONS[key as OptionName].flag}` : undefined;
}
