import { useEffect, useMemo, useRef, useState } from "react";
import type { Explanation } from "../src/explanation.ts";
import type { Progress } from "../src/types.ts";
import { EngineError, openEngine } from "./engine/client.ts";
import type { DataInfo, DataRoles, ModelInfo } from "./engine/protocol.ts";
import { RemoteError } from "./remote/ask.ts";
import { type Job, sendJob, type UploadPlace, upload } from "./remote/jobs.ts";
import { lentOf, namesOf, titlesOf } from "./remote/lend.ts";
import { requestOf } from "./remote/request.ts";
import { useRemote } from "./remote/use-remote.ts";
import { type Choices, defaultChoices, type FeatureEdits, overlayOf } from "./settings.ts";

export const engine = openEngine();

export interface Trouble {
  readonly code: string;
  readonly message: string;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof EngineError || error instanceof RemoteError)
    return { code: error.code, message: error.message };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
}

export interface Result {
  readonly explanation: Explanation;
  readonly model: ModelInfo | null;
  readonly source: string;
  /** The worker has model and rows: people can be asked about again. */
  readonly live: boolean;
  /** Why not, in words. */
  readonly why?: string;
  /** The job of the server that made it. */
  readonly job?: string;
}

export type Place = "page" | "server";

const FROM_FILE = "This run was opened from a file, without its model. Run it here to ask more of it.";
const ON_THE_WAY = "Table and model are on their way from the server …";

export interface Running {
  readonly progress: Progress | null;
  cancel(): void;
}

export async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** The whole state of the page and what can be done to it. */
export function useStudio() {
  const [data, setData] = useState<DataInfo | null>(null);
  const [edits, setEdits] = useState<FeatureEdits>({});
  const [choices, setChoices] = useState<Choices>(defaultChoices);
  const [loadedModel, setLoadedModel] = useState<ModelInfo | null>(null);
  /** Files to send, when a run is made on the server. */
  const files = useRef<{ data?: File; model?: File; given?: File }>({});
  const [wanted, setPlace] = useState<Place>("server");
  const [given, setGiven] = useState<{ name: string; rows: number } | null>(null);
  const [running, setRunning] = useState<Running | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [trouble, setTrouble] = useState<(Trouble & { readonly where: string }) | null>(null);
  const [busy, setBusy] = useState("");
  const started = useRef(false);
  /** A run was asked for whose result has not been shown. */
  const asked = useRef(false);

  const remote = useRemote({
    moved: (id) => setResult((old) => (old?.job === (id ?? undefined) ? old : null)),
    show: async (job, bytes, signal) => {
      const [explanation, names] = await Promise.all([
        engine.call("restore", { name: "the result", bytes }),
        namesOf(job),
      ]);
      const titles = titlesOf(job, names);
      const model = { title: titles.model, outputs: explanation.outputs };
      const shown = { explanation, model, source: titles.source, job: job.id, live: false };
      if (signal.aborted) return;
      setResult({ ...shown, why: ON_THE_WAY });
      const lent = await lentOf(job, names).catch((error) => troubleOf(error).message);
      if (signal.aborted) return;
      if (typeof lent === "string") return setResult({ ...shown, why: lent });
      await engine.call("lend", lent);
      setResult((old) => (old?.job === job.id ? { ...shown, live: true } : old));
    },
  });
  const place: Place = remote.server ? wanted : "page";

  const guarded = async (where: string, words: string, work: () => Promise<void>): Promise<void> => {
    setTrouble(null);
    setBusy(words);
    try {
      await work();
    } catch (error) {
      setTrouble({ ...troubleOf(error), where });
    } finally {
      setBusy("");
    }
  };

  const take = (info: DataInfo): void => {
    setData(info);
    setEdits({});
    setLoadedModel(null);
    setGiven(null);
    setChoices((old) => ({
      ...old,
      target: "",
      generator: old.generator === "given" ? "knn" : old.generator,
      model: info.classes && old.model !== "file" ? old.model : info.classes ? "logistic" : "file",
    }));
  };

  /** Uploads what is needed, puts the job in the line, and goes to its address. */
  const sent = async (): Promise<Job> => {
    const { data: table, model, given: own } = files.current;
    const send = async (place: UploadPlace, file: File | undefined): Promise<string | undefined> => {
      if (!file) return undefined;
      const { id, sha256, name } = await upload(place, file);
      remote.learn(sha256, name);
      return id;
    };
    const dataId = await send("data", table);
    const modelId = await send("models", choices.model === "file" ? model : undefined);
    const counterfactualsId = await send("counterfactuals", choices.generator === "given" ? own : undefined);
    const ids = {
      ...(dataId ? { dataId } : {}),
      ...(modelId ? { modelId } : {}),
      ...(counterfactualsId ? { counterfactualsId } : {}),
    };
    const job = await sendJob(requestOf({ data: data!, edits, choices, ...ids }));
    remote.go(job.id);
    return job;
  };

  const actions = {
    embedded: () =>
      guarded("data", "Reading the data …", async () => {
        take(await engine.call("embedded", {}));
        files.current = {};
      }),
    open: (file: File) =>
      guarded("data", `Reading ${file.name} …`, async () => {
        take(await engine.call("open", { name: file.name, bytes: await bytesOf(file) }));
        files.current = { data: file };
      }),
    roles: (roles: DataRoles) =>
      guarded("data", "Reading the columns …", async () => take(await engine.call("roles", roles))),
    edit: (name: string, change: FeatureEdits[string]) =>
      setEdits((old) => ({ ...old, [name]: { ...old[name], ...change } })),
    choose: (change: Partial<Choices>) => setChoices((old) => ({ ...old, ...change })),
    loadModel: (file: File) =>
      guarded("model", `Reading ${file.name} …`, async () => {
        const overlay = overlayOf(edits);
        setLoadedModel(await engine.call("model", { name: file.name, bytes: await bytesOf(file), overlay }));
        files.current.model = file;
        setChoices((old) => ({ ...old, model: "file", target: "" }));
      }),
    loadGiven: (file: File) =>
      guarded("generator", `Reading ${file.name} …`, async () => {
        const { rows } = await engine.call("counterfactuals", {
          name: file.name,
          bytes: await bytesOf(file),
        });
        setGiven({ name: file.name, rows });
        files.current.given = file;
        setChoices((old) => ({ ...old, generator: "given" }));
      }),
    restore: (file: File) =>
      guarded("result", `Opening ${file.name} …`, async () => {
        const explanation = await engine.call("restore", { name: file.name, bytes: await bytesOf(file) });
        remote.go(null);
        setResult({ explanation, model: null, source: file.name, live: false, why: FROM_FILE });
      }),
    place: setPlace,
    run: () => {
      asked.current = true;
      return place === "server" ? actions.runThere() : actions.runHere();
    },
    runThere: () =>
      guarded("run", "Sending to the server …", async () => {
        try {
          remote.put(await sent());
        } catch (error) {
          if (remote.refused(error) !== "") throw error;
        }
      }),
    runHere: async () => {
      const controller = new AbortController();
      const show = (progress: Progress | null): void =>
        setRunning({ progress, cancel: () => controller.abort() });
      setTrouble(null);
      show(null);
      try {
        const settings = { ...choices, overlay: overlayOf(edits) };
        const answer = await engine.call("run", settings, { onProgress: show, signal: controller.signal });
        remote.go(null);
        setResult({ ...answer, source: data?.source ?? "", live: true });
      } catch (error) {
        const told = troubleOf(error);
        setTrouble({ ...told, where: told.code === "ABORTED" ? "cancelled" : "run" });
      } finally {
        setRunning(null);
      }
    },
    dismiss: () => setTrouble(null),
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void actions.embedded();
  }, []);

  const state = { data, edits, choices, loadedModel, given, running, result, trouble, busy };
  const where = { remote, place, asked };
  return { ...state, ...where, actions: useLatest(actions) };
}

/** The same object on every render whose functions are always the newest. */
function useLatest<T extends Readonly<Record<string, (...args: never[]) => unknown>>>(actions: T): T {
  const newest = useRef(actions);
  newest.current = actions;
  return useMemo(() => {
    const names = Object.keys(newest.current) as (keyof T)[];
    return Object.fromEntries(
      names.map((name) => [name, (...args: never[]) => newest.current[name]!(...args)]),
    ) as T;
  }, []);
}

export type Studio = ReturnType<typeof useStudio>;
