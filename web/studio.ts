import { useEffect, useMemo, useSyncExternalStore } from "react";
import { checkCommands } from "./commands/checks.ts";
import { sessionCommands } from "./commands/session.ts";
import { setupCommands } from "./commands/setup.ts";
import { viewCommands } from "./commands/view.ts";
import { openEngine } from "./engine/client.ts";
import type { OnePerson } from "./engine/protocol.ts";
import { jobInAddress } from "./remote/address.ts";
import { serverCommands } from "./remote/commands.ts";
import { isOpen } from "./remote/jobs.ts";
import { isSession } from "./session/record.ts";
import { initial, type Place, placeOf, type State } from "./state/state.ts";
import { openStore, type Store } from "./state/store.ts";
import { firstLanguage, remember } from "./words/use-said.ts";

/** How often the list of jobs is asked for while one is open. */
const EVERY_MS = 1500;

function commandsOf(store: Store) {
  const engine = openEngine();
  const server = serverCommands(store, engine);
  const { kept, ...setup } = setupCommands(store, engine, server, checkCommands(store, engine));
  const session = sessionCommands(store, engine, kept);
  const view = viewCommands(store, engine);
  return {
    ...setup,
    ...view,
    ...session,
    server,
    /** A run, a whole session, or what was written from a run. */
    openSaved: async (file: File) => {
      const text = await file.text();
      return isSession(text) ? session.openSession(file.name, text) : setup.openResult(file);
    },
    /** One person alone, who is then looked at. */
    explainOne: async (person: OnePerson) => {
      await setup.explainOne(person);
      const { result, run } = store.get();
      if (!run && result?.explanation.rows.length === 1) view.look(0);
    },
    speak: (language: string) => {
      remember(language);
      store.send({ type: "language", language });
    },
  };
}

/** The state of the page, and what can be done to it. Views get both and keep nothing of their own. */
export interface Studio {
  readonly state: State;
  readonly place: Place;
  readonly send: Store["send"];
  readonly actions: ReturnType<typeof commandsOf>;
}

export function useStudio(): Studio {
  const { store, actions } = useMemo(() => {
    const made = openStore(initial(firstLanguage(), jobInAddress()));
    return { store: made, actions: commandsOf(made) };
  }, []);
  const state = useSyncExternalStore(store.subscribe, store.get);
  useServer(state, actions);
  useEffect(() => void actions.begin(actions.embedded), [actions]);
  return { state, place: placeOf(state), send: store.send, actions };
}

/** Looks for a server once, follows the job in the address, and asks for the list while others are open. */
function useServer({ server }: State, { server: commands }: Studio["actions"]): void {
  useEffect(() => commands.start(), [commands]);
  const ready = server.info !== null && server.need === "no";
  const { current } = server;
  useEffect(() => {
    if (ready && current !== null) return commands.follow(current);
    return undefined;
  }, [ready, current, commands]);
  const others = ready && server.jobs.some((job) => isOpen(job) && job.id !== current);
  useEffect(() => {
    if (!others) return undefined;
    const timer = setInterval(() => void commands.refresh(), EVERY_MS);
    return () => clearInterval(timer);
  }, [others, commands]);
}
