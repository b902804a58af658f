import type { Explanation } from "../../src/explanation.ts";
import type { Engine } from "../engine/client.ts";
import type { JobInputs } from "../engine/protocol.ts";
import { jobInAddress } from "../remote/address.ts";
import { save } from "../result/save.ts";
import { type Files, recordOf, type SessionRecord, sessionOf, sessionText } from "../session/record.ts";
import { sessionStore } from "../session/session-store.ts";
import { overlayOf } from "../settings.ts";
import type { Store } from "../state/store.ts";
import type { SetUpFiles } from "./files.ts";
import { troubleOf } from "./trouble.ts";

/** How long the set-up rests before it is kept. */
const REST_MS = 600;

/** What was kept, its set-up and its files put together. */
async function keptRecord(): Promise<SessionRecord | undefined> {
  const record = await sessionStore.get<SessionRecord>("set-up");
  const filed = await sessionStore.get<{ files: Files; from: JobInputs | null }>("files");
  if (!record || !filed) return undefined;
  const { result } = record;
  const whole = result && filed.from ? { ...result, from: filed.from } : null;
  return { ...record, files: filed.files, result: whole };
}

/** Writes the work into this browser whenever it has rested for a while. */
function keeper({ get, subscribe }: Store, engine: Engine, setUp: SetUpFiles) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resting = true;
  let kept: unknown = null;
  let filed: { readonly files: unknown; readonly from: unknown } | null = null;

  // What is being written is written to its end before anything is forgotten.
  let writing: Promise<void> = Promise.resolve();
  const keepNow = async (): Promise<void> => {
    const record = recordOf(get(), {}, setUp.from);
    if (!record || resting) return;
    // Whole tables are written when they are others, not whenever a switch is.
    const { from } = setUp;
    const files = setUp.now();
    if (filed === null || filed.files !== files || filed.from !== from) {
      filed = { files, from };
      await sessionStore.put("files", { files: await setUp.read(), from });
    }
    await sessionStore.put(
      "set-up",
      record.result ? { ...record, result: { ...record.result, from: null } } : record,
    );
    // The worker writes the rows: they need not come through the page.
    const { result } = get();
    if (record.result && result?.explanation !== kept) {
      kept = result?.explanation;
      await engine.call("keep", {});
    }
  };
  subscribe(() => {
    if (resting) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      writing = writing.then(keepNow).catch(() => {});
    }, REST_MS);
  });

  return {
    begin: (): void => {
      resting = false;
    },
    /** Nothing is written any more, and what was is forgotten. */
    forget: async (): Promise<void> => {
      resting = true;
      await writing;
      await sessionStore.clear();
    },
  };
}

/** The page as it was: table, model and counterfactuals are read again, the set-up is as it was left. */
async function back(
  { send }: Store,
  engine: Engine,
  setUp: SetUpFiles,
  record: SessionRecord,
): Promise<void> {
  const { files, roles, edits, rules, choices, encoding, outputs, applicant } = record;
  const overlay = overlayOf(edits, rules);
  if (files.data) send({ type: "data", info: await engine.call("open", { ...files.data, ...roles }) });
  else
    send({ type: "data", info: await engine.call("roles", { ...roles, label: roles.label ?? "granted" }) });
  if (files.model) {
    send({ type: "model", info: await engine.call("model", { ...files.model, overlay }) });
    const told = { overlay, encoding, ...(outputs ? { outputs } : {}) };
    const info = await engine.call("match", told);
    if (info) send({ type: "matched", info, encoding });
  }
  if (files.given) {
    const { rows } = await engine.call("counterfactuals", files.given);
    send({ type: "given", name: files.given.name, rows });
  }
  setUp.take(files);
  send({ type: "recalled", edits, rules, choices, applicant });
}

/** The result as it was, where there was one. */
async function show(
  { send, number }: Store,
  engine: Engine,
  setUp: SetUpFiles,
  { result, codes }: SessionRecord,
  read: () => Promise<Explanation | null>,
): Promise<void> {
  const explanation = result && (await read());
  if (!result || !explanation) return;
  const { from, ...about } = result;
  setUp.from = from;
  await engine.call("takeJobInputs", from);
  send({ type: "result", id: number(), result: { ...about, explanation, live: true } });
  send({ type: "codes", codes });
}

/** Keeps the work in this browser, brings it back after a reload, and gives it away as one file. */
export function sessionCommands(store: Store, engine: Engine, setUp: SetUpFiles) {
  const { get, send } = store;
  const kept = keeper(store, engine, setUp);
  return {
    /** What was kept, where anything was; else the page begins anew. A job in the address shows its own result. */
    begin: async (anew: () => Promise<unknown>): Promise<void> => {
      const record = await keptRecord();
      try {
        if (record?.studioSession === 1) {
          await back(store, engine, setUp, record);
          if (jobInAddress() === null)
            await show(store, engine, setUp, record, () => engine.call("recall", {}));
        } else await anew();
      } catch {
        await sessionStore.clear();
        await anew();
      } finally {
        kept.begin();
      }
    },
    forget: async (): Promise<void> => {
      await kept.forget();
      location.reload();
    },
    saveSession: async (): Promise<void> => {
      const record = recordOf(get(), await setUp.read(), setUp.from);
      if (!record) return;
      const text = sessionText(record, get().result?.explanation ?? null);
      await save({ name: "session.json", type: "application/json", bytes: new TextEncoder().encode(text) });
    },
    openSession: async (name: string, text: string): Promise<void> => {
      try {
        const { record, explanation } = sessionOf(name, text);
        await back(store, engine, setUp, record);
        const bytes = new TextEncoder().encode(JSON.stringify(explanation ?? null));
        await show(
          store,
          engine,
          setUp,
          record,
          async () => explanation && engine.call("restore", { name, bytes }),
        );
      } catch (error) {
        send({ type: "trouble", where: "result", trouble: troubleOf(error) });
      }
    },
  };
}
