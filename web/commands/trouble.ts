import { EngineError } from "../engine/client.ts";
import { RemoteError } from "../remote/http.ts";
import type { Trouble } from "../state/state.ts";
import { inPageWords } from "../words/page-words.ts";

export function troubleOf(error: unknown): Trouble {
  if (error instanceof RemoteError) return { code: error.code, message: error.said };
  if (error instanceof EngineError) return { code: error.code, message: inPageWords(error.message) };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
}
