import type { Engine } from "../engine/client.ts";
import type { ServerCommands } from "../remote/commands.ts";
import type { Choices, FeatureEdits } from "../settings.ts";
import type { Store } from "../state/store.ts";
import type { CheckCommands } from "./checks.ts";
import { setUpFiles } from "./files.ts";
import { guardedBy } from "./guarded.ts";
import { openingCommands } from "./opening.ts";
import { readingCommands } from "./reading.ts";
import { runningCommands } from "./running.ts";

/** Choosing data, model and method, and running. */
export function setupCommands(store: Store, engine: Engine, server: ServerCommands, checks: CheckCommands) {
  const { send } = store;
  const kept = setUpFiles();
  const guarded = guardedBy(store);
  const inputs = readingCommands(store, engine, kept, guarded);
  return {
    ...inputs,
    ...openingCommands(store, engine, server, checks, inputs, guarded),
    ...runningCommands(store, engine, server, kept, guarded),
    edit: (feature: string, change: FeatureEdits[string]) => send({ type: "edit", feature, change }),
    choose: (change: Partial<Choices>) => send({ type: "choose", change }),
    dismiss: () => send({ type: "dismiss" }),
    kept,
  };
}
