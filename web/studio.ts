import { useEffect, useMemo, useRef, useState } from "react";
import type { Explanation } from "../src/explanation.ts";
import type { Progress } from "../src/types.ts";
import { EngineError, openEngine } from "./engine/client.ts";
import type { DataInfo, DataRoles, ModelInfo } from "./engine/protocol.ts";
import { type Choices, defaultChoices, type FeatureEdits, overlayOf } from "./settings.ts";

export const engine = openEngine();

export interface Trouble {
  readonly code: string;
  readonly message: string;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof EngineError) return { code: error.code, message: error.message };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
}

export interface Result {
  readonly explanation: Explanation;
  readonly model: ModelInfo | null;
  readonly source: string;
  /** The worker still has model and rows: people can be asked about again. */
  readonly live: boolean;
}

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
  const [given, setGiven] = useState<{ name: string; rows: number } | null>(null);
  const [running, setRunning] = useState<Running | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [trouble, setTrouble] = useState<(Trouble & { readonly where: string }) | null>(null);
  const [busy, setBusy] = useState("");
  const started = useRef(false);

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

  const actions = {
    embedded: () =>
      guarded("data", "Reading the data …", async () => take(await engine.call("embedded", {}))),
    open: (file: File) =>
      guarded("data", `Reading ${file.name} …`, async () =>
        take(await engine.call("open", { name: file.name, bytes: await bytesOf(file) })),
      ),
    roles: (roles: DataRoles) =>
      guarded("data", "Reading the columns …", async () => take(await engine.call("roles", roles))),
    edit: (name: string, change: FeatureEdits[string]) =>
      setEdits((old) => ({ ...old, [name]: { ...old[name], ...change } })),
    choose: (change: Partial<Choices>) => setChoices((old) => ({ ...old, ...change })),
    loadModel: (file: File) =>
      guarded("model", `Reading ${file.name} …`, async () => {
        const overlay = overlayOf(edits);
        setLoadedModel(await engine.call("model", { name: file.name, bytes: await bytesOf(file), overlay }));
        setChoices((old) => ({ ...old, model: "file", target: "" }));
      }),
    loadGiven: (file: File) =>
      guarded("generator", `Reading ${file.name} …`, async () => {
        const { rows } = await engine.call("counterfactuals", {
          name: file.name,
          bytes: await bytesOf(file),
        });
        setGiven({ name: file.name, rows });
        setChoices((old) => ({ ...old, generator: "given" }));
      }),
    restore: (file: File) =>
      guarded("result", `Opening ${file.name} …`, async () => {
        const explanation = await engine.call("restore", { name: file.name, bytes: await bytesOf(file) });
        setResult({ explanation, model: null, source: file.name, live: false });
      }),
    run: async () => {
      const controller = new AbortController();
      const show = (progress: Progress | null): void =>
        setRunning({ progress, cancel: () => controller.abort() });
      setTrouble(null);
      show(null);
      try {
        const settings = { ...choices, overlay: overlayOf(edits) };
        const answer = await engine.call("run", settings, { onProgress: show, signal: controller.signal });
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
  return { ...state, actions: useLatest(actions) };
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
