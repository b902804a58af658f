import type { Engine } from "../engine/client.ts";
import type { GivenFile } from "../engine/protocol.ts";
import { settingsOf } from "../settings.ts";
import type { Store } from "../state/store.ts";
import { languages } from "../words/said.ts";

/** Holds what was opened against what is beside it. */
export function checkCommands({ get, send }: Store, engine: Engine) {
  return {
    /** The run that is shown against table, model and certificate. */
    check: async (certificate?: GivenFile): Promise<void> => {
      const { of } = get().view;
      const asked = { ...settingsOf(get()), ...(certificate ? { certificate } : {}) };
      const checked = await engine.call("check", asked);
      send({ type: "checked", of, checked });
    },
    /** A letter or a report against the run that is shown. */
    paper: async (file: GivenFile): Promise<void> => {
      const { of, codes } = get().view;
      const loaded = await Promise.all(Object.values(languages).map(({ load }) => load()));
      const locales = loaded.map(({ locale }) => locale);
      const paper = await engine.call("paper", { ...file, locales, codes });
      send({ type: "paper checked", of, paper });
    },
  };
}

export type CheckCommands = ReturnType<typeof checkCommands>;
