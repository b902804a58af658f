import type { Where } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import { troubleOf } from "./trouble.ts";

/** Does work during which the page is busy; what goes wrong is shown, and the answer says whether nothing did. */
export type Guarded = (where: Where, message: Message, work: () => Promise<void>) => Promise<boolean>;

export function guardedBy({ send, number }: Store): Guarded {
  return async (where, message, work) => {
    const id = number();
    send({ type: "busy", id, message });
    try {
      await work();
      return true;
    } catch (error) {
      send({ type: "trouble", where, trouble: troubleOf(error) });
      return false;
    } finally {
      send({ type: "idle", id });
    }
  };
}
