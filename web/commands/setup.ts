import type { Engine } from "../engine/client.ts";
import type { DataRoles } from "../engine/protocol.ts";
import type { ServerCommands } from "../remote/commands.ts";
import type { Job, UploadPlace } from "../remote/jobs.ts";
import { sendJob, upload } from "../remote/jobs.ts";
import { requestOf } from "../remote/request.ts";
import { type Choices, type FeatureEdits, overlayOf, rolesOf } from "../settings.ts";
import { placeOf, type Where } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import { troubleOf } from "./trouble.ts";

/** Files to send when a run is made on the server. */
interface Files {
  data?: File;
  model?: File;
  given?: File;
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** Choosing data, model and method, and running. */
export function setupCommands(store: Store, engine: Engine, server: ServerCommands) {
  const { get, send } = store;
  let files: Files = {};
  let stop = new AbortController();

  /** Work during which the page is busy; what goes wrong is shown. */
  const guarded = async (where: Where, message: Message, work: () => Promise<void>): Promise<void> => {
    const id = store.number();
    send({ type: "busy", id, message });
    try {
      await work();
    } catch (error) {
      send({ type: "trouble", where, trouble: troubleOf(error) });
    } finally {
      send({ type: "idle", id });
    }
  };
  const reading = (file: File): Message => ({ key: "readingFile", values: { file: file.name } });

  const setRoles = (roles: DataRoles): Promise<void> =>
    guarded("data", { key: "readingColumns" }, async () =>
      send({ type: "roles", info: await engine.call("roles", roles) }),
    );
  const takeOut = async (exclude: readonly string[]): Promise<void> => {
    const { data } = get();
    if (data) await setRoles(rolesOf({ ...data, exclude }));
  };

  const runThere = (): Promise<void> =>
    guarded("run", { key: "sending" }, async () => {
      try {
        const job = await sent(store, files);
        server.go(job.id);
        send({ type: "job", job });
      } catch (error) {
        if (server.refused(error) !== null) throw error;
      }
    });

  const runHere = async (): Promise<void> => {
    if (get().run) return;
    const id = store.number();
    stop = new AbortController();
    const { signal } = stop;
    send({ type: "run", id });
    const { choices, edits, data } = get();
    try {
      const settings = { ...choices, overlay: overlayOf(edits) };
      const onProgress = (progress: { stage: string; done: number; total: number }): void =>
        send({ type: "progress", id, progress });
      const answer = await engine.call("run", settings, { onProgress, signal });
      if (get().run?.id === id) server.go(null);
      send({ type: "ran", id, result: { ...answer, source: data?.source ?? "", live: true } });
    } catch (error) {
      send({ type: "run failed", id, trouble: troubleOf(error) });
    }
  };

  return {
    embedded: () =>
      guarded("data", { key: "readingData" }, async () => {
        send({ type: "data", info: await engine.call("embedded", {}) });
        files = {};
      }),
    open: (file: File) =>
      guarded("data", reading(file), async () => {
        const bytes = await bytesOf(file);
        send({ type: "data", info: await engine.call("open", { name: file.name, bytes }) });
        files = { data: file };
      }),
    roles: setRoles,
    exclude: (name: string) => takeOut([...(get().data?.exclude ?? []), name]),
    include: (name: string) => takeOut((get().data?.exclude ?? []).filter((other) => other !== name)),
    edit: (feature: string, change: FeatureEdits[string]) => send({ type: "edit", feature, change }),
    choose: (change: Partial<Choices>) => send({ type: "choose", change }),
    loadModel: (file: File) =>
      guarded("model", reading(file), async () => {
        const bytes = await bytesOf(file);
        const overlay = overlayOf(get().edits);
        send({ type: "model", info: await engine.call("model", { name: file.name, bytes, overlay }) });
        files.model = file;
      }),
    loadGiven: (file: File) =>
      guarded("generator", reading(file), async () => {
        const { name } = file;
        const { rows } = await engine.call("counterfactuals", { name, bytes: await bytesOf(file) });
        send({ type: "given", name, rows });
        files.given = file;
      }),
    restore: (file: File) =>
      guarded("result", { key: "openingFile", values: { file: file.name } }, async () => {
        const explanation = await engine.call("restore", { name: file.name, bytes: await bytesOf(file) });
        server.go(null);
        const result = { explanation, model: null, source: file.name, live: false } as const;
        send({ type: "result", id: store.number(), result: { ...result, why: { key: "fromFile" } } });
      }),
    run: () => {
      send({ type: "ask for a run" });
      return placeOf(get()) === "server" ? runThere() : runHere();
    },
    cancel: () => {
      send({ type: "cancel" });
      stop.abort();
    },
    dismiss: () => send({ type: "dismiss" }),
  };
}

/** Uploads what is needed and puts the job in the line. */
async function sent(store: Store, files: Files): Promise<Job> {
  const { data, edits, choices } = store.get();
  const idOf = async (place: UploadPlace, file: File | undefined): Promise<string | undefined> => {
    if (!file) return undefined;
    const { id, sha256, name } = await upload(place, file);
    store.send({ type: "names", names: { [sha256]: name } });
    return id;
  };
  const dataId = await idOf("data", files.data);
  const modelId = await idOf("models", choices.model === "file" ? files.model : undefined);
  const counterfactualsId = await idOf(
    "counterfactuals",
    choices.generator === "given" ? files.given : undefined,
  );
  const ids = {
    ...(dataId ? { dataId } : {}),
    ...(modelId ? { modelId } : {}),
    ...(counterfactualsId ? { counterfactualsId } : {}),
  };
  return sendJob(requestOf({ data: data!, edits, choices, ...ids }));
}
