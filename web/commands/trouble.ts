import { EngineError } from "../engine/client.ts";
import { RemoteError } from "../remote/ask.ts";
import type { Trouble } from "../state/state.ts";

export function troubleOf(error: unknown): Trouble {
  if (error instanceof RemoteError) return { code: error.code, told: error.told };
  if (error instanceof EngineError) return { code: error.code, told: error.message };
  return { code: "INTERNAL", told: error instanceof Error ? error.message : String(error) };
}
