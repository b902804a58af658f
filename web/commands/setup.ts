import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Engine } from "../engine/client.ts";
import type { FileKind, GivenFile, OnePerson } from "../engine/protocol.ts";
import { type DataRoles, rolesOf } from "../engine/roles.ts";
import type { ServerCommands } from "../remote/commands.ts";
import type { Job, UploadPlace } from "../remote/jobs.ts";
import { sendJob, upload } from "../remote/jobs.ts";
import { requestOf } from "../remote/request.ts";
import type { Files as GivenFiles } from "../session/record.ts";
import { type Choices, editsOf, type FeatureEdits, moreOf, overlayOf } from "../settings.ts";
import { qualityKey, setUpKey } from "../state/ready.ts";
import { placeOf, type Where } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import type { CheckCommands } from "./checks.ts";
import type { SetUpFiles } from "./session.ts";
import { troubleOf } from "./trouble.ts";

/** Files to send when a run is made on the server. */
interface Files {
  data?: File;
  model?: File;
  given?: File;
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

/** Choosing data, model and method, and running. */
export function setupCommands(store: Store, engine: Engine, server: ServerCommands, checks: CheckCommands) {
  const { get, send } = store;
  let files: Files = {};
  let stop = new AbortController();

  const filesNow = async (): Promise<GivenFiles> => {
    const read = async (file: File | undefined) => file && { name: file.name, bytes: await bytesOf(file) };
    const [data, model, given] = [await read(files.data), await read(files.model), await read(files.given)];
    return { ...(data ? { data } : {}), ...(model ? { model } : {}), ...(given ? { given } : {}) };
  };
  const kept: SetUpFiles = {
    files: filesNow,
    token: () => files,
    take: (given) => {
      files = Object.fromEntries(
        Object.entries(given).map(([kind, { name, bytes }]) => [
          kind,
          new File([bytes as Uint8Array<ArrayBuffer>], name),
        ]),
      );
    },
    from: null,
  };

  /** Work during which the page is busy; what goes wrong is shown. */
  const guarded = async (where: Where, message: Message, work: () => Promise<void>): Promise<boolean> => {
    const id = store.number();
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
  const reading = (file: File): Message => ({ key: "readingFile", values: { file: file.name } });

  const setRoles = (roles: DataRoles): Promise<boolean> =>
    guarded("data", { key: "readingColumns" }, async () => {
      send({ type: "roles", info: await engine.call("roles", roles) });
      await rematch();
    });
  const takeOut = async (exclude: readonly string[]): Promise<void> => {
    const { data } = get();
    if (data) await setRoles(rolesOf({ ...data, exclude }));
  };

  /** The loaded model over the table of now. */
  const rematch = async (
    told: { encoding?: EncodingSpec | null; outputs?: readonly string[] } = {},
  ): Promise<void> => {
    const { edits, rules } = get();
    const info = await engine.call("match", { overlay: overlayOf(edits, rules), ...told });
    const { encoding: spec } = told;
    if (info) send({ type: "matched", info, ...(spec === undefined ? {} : { encoding: spec }) });
  };
  const open = (file: File): Promise<boolean> =>
    guarded("data", reading(file), async () => {
      const bytes = await bytesOf(file);
      send({ type: "data", info: await engine.call("open", { name: file.name, bytes }) });
      files = { ...files, data: file };
      await rematch();
    });
  const loadModel = (file: File): Promise<boolean> =>
    guarded("model", reading(file), async () => {
      const bytes = await bytesOf(file);
      const { edits, rules, loadedModel } = get();
      // An encoding that was there before any model waited for this one.
      const spec = loadedModel ? null : get().encoding;
      const overlay = overlayOf(edits, rules);
      send({ type: "model", info: await engine.call("model", { name: file.name, bytes, overlay }) });
      files = { ...files, model: file };
      if (spec) await rematch({ encoding: spec });
    });
  const loadGiven = (file: File): Promise<boolean> =>
    guarded("generator", reading(file), async () => {
      const { name } = file;
      const { rows } = await engine.call("counterfactuals", { name, bytes: await bytesOf(file) });
      send({ type: "given", name, rows });
      files = { ...files, given: file };
    });
  const restore = (file: File): Promise<boolean> =>
    guarded("result", { key: "openingFile", values: { file: file.name } }, async () => {
      const explanation = await engine.call("restore", { name: file.name, bytes: await bytesOf(file) });
      server.go(null);
      const result = { explanation, model: null, source: file.name, live: false } as const;
      send({ type: "result", id: store.number(), result: { ...result, why: { key: "fromFile" } } });
      await checks.check();
    });
  const given = (file: File, work: (file: GivenFile) => Promise<void>): Promise<boolean> =>
    guarded("result", { key: "checking", values: { file: file.name } }, async () =>
      work({ name: file.name, bytes: await bytesOf(file) }),
    );
  const certificate = (file: File): Promise<boolean> => given(file, checks.check);
  const paper = (file: File): Promise<boolean> => given(file, checks.paper);
  const encoding = (file: File): Promise<boolean> =>
    guarded("model", reading(file), async () => {
      const spec = await engine.call("encoding", { name: file.name, bytes: await bytesOf(file) });
      send({ type: "encoding", encoding: spec });
      await rematch({ encoding: spec });
    });
  const constraints = (file: File): Promise<boolean> =>
    guarded("data", reading(file), async () => {
      const overlay = await engine.call("constraints", { name: file.name, bytes: await bytesOf(file) });
      const { data, edits } = get();
      if (!data) return;
      send({ type: "constraints", edits: editsOf(overlay, data.schema, edits), rules: overlay.rules ?? [] });
    });

  const runThere = (): Promise<boolean> =>
    guarded("run", { key: "sending" }, async () => {
      try {
        const job = await sent(store, files);
        server.go(job.id);
        send({ type: "job", job });
      } catch (error) {
        if (server.refused(error) !== null) throw error;
      }
    });

  const runHere = async (person?: OnePerson): Promise<void> => {
    if (get().run) return;
    const id = store.number();
    stop = new AbortController();
    const { signal } = stop;
    send({ type: "run", id });
    const { choices, edits, rules, data } = get();
    const setUp = setUpKey(get());
    try {
      const one = person ? { person, goal: "each" as const } : {};
      const asked = { ...choices, more: moreOf(choices.more), ...one };
      const settings = { ...asked, overlay: overlayOf(edits, rules) };
      const onProgress = (progress: { stage: string; done: number; total: number }): void =>
        send({ type: "progress", id, progress, at: performance.now() });
      const answer = await engine.call("run", settings, { onProgress, signal });
      if (get().run?.id === id) {
        server.go(null);
        const { data: table, model, given } = await filesNow();
        const { encoding, loadedModel } = get();
        kept.from = {
          settings: asked,
          roles: data ? rolesOf(data) : {},
          table: table ?? null,
          model: choices.model === "file" ? (model ?? null) : null,
          counterfactuals: choices.generator === "given" ? (given ?? null) : null,
          encoding: choices.model === "file" ? encoding : null,
          outputs: choices.model === "file" && loadedModel?.match ? loadedModel.outputs : null,
        };
      }
      send({ type: "ran", id, result: { ...answer, source: data?.source ?? "", live: true, setUp } });
    } catch (error) {
      send({ type: "run failed", id, trouble: troubleOf(error) });
    }
  };

  return {
    embedded: () =>
      guarded("data", { key: "readingData" }, async () => {
        send({ type: "data", info: await engine.call("embedded", {}) });
        const { data: _, ...others } = files;
        files = others;
        await rematch();
      }),
    open,
    /** Files in any order: each is what its content says, and a table is read before what belongs to it. */
    take: (given: readonly File[]) =>
      guarded("data", reading(given[0]!), async () => {
        const sorted = await Promise.all(
          given.map(async (file) => {
            const kind = await engine.call("sort", { name: file.name, bytes: await bytesOf(file) });
            return { kind, file };
          }),
        );
        const ways = {
          ...{ table: open, constraints, model: loadModel, encoding, counterfactuals: loadGiven },
          ...{ explanation: restore, certificate, paper },
        };
        for (const kind of Object.keys(ways) as (keyof typeof ways)[])
          for (const one of sorted) if (one.kind === kind && !(await ways[kind](one.file))) return;
      }),
    /** The inputs of the loaded model as somebody chose them (null: by their names), its outputs named. */
    match: (told: { encoding?: EncodingSpec | null; outputs?: readonly string[] }) =>
      guarded("model", { key: "readingColumns" }, () => rematch(told)),
    /** No table: rows of the values that the loaded model tells apart. */
    alone: async (): Promise<void> => {
      let made: File | undefined;
      await guarded("model", { key: "readingColumns" }, async () => {
        const { name, type, bytes } = await engine.call("alone", {});
        made = new File([bytes as Uint8Array<ArrayBuffer>], name, { type });
      });
      if (made && (await open(made))) send({ type: "step", step: "one" });
    },
    loadEncoding: encoding,
    loadConstraints: constraints,
    /** How well the model of the set-up does on the table. */
    quality: () =>
      guarded("model", { key: "measuring" }, async () => {
        const { choices, edits, rules } = get();
        const of = qualityKey(get());
        const info = await engine.call("quality", {
          ...choices,
          more: moreOf(choices.more),
          overlay: overlayOf(edits, rules),
        });
        send({ type: "quality", of, info });
      }),
    roles: setRoles,
    exclude: (name: string) => takeOut([...(get().data?.exclude ?? []), name]),
    include: (name: string) => takeOut((get().data?.exclude ?? []).filter((other) => other !== name)),
    edit: (feature: string, change: FeatureEdits[string]) => send({ type: "edit", feature, change }),
    choose: (change: Partial<Choices>) => send({ type: "choose", change }),
    loadModel,
    loadGiven,
    /** A run that was saved, or what was written from one. */
    openResult: async (file: File): Promise<boolean> => {
      const kind = await engine.call("sort", { name: file.name, bytes: await bytesOf(file) });
      const ways: Partial<Record<FileKind, typeof restore>> = { certificate, paper };
      return (ways[kind] ?? restore)(file);
    },
    checkAgain: () => guarded("result", { key: "checkingRun" }, () => checks.check()),
    run: () => {
      send({ type: "ask for a run" });
      return placeOf(get()) === "server" ? runThere() : runHere();
    },
    /** Explains one person alone, here: their row does not leave the page. */
    explainOne: (person: OnePerson) => {
      send({ type: "ask for a run" });
      return runHere(person);
    },
    /** Fills the form with a row that was copied. */
    paste: (text: string) =>
      guarded("data", { key: "readingColumns" }, async () => {
        const found = await engine.call("pasted", { text });
        const cells = Object.entries(found).map(([name, cell]) => [name, cell === null ? "" : String(cell)]);
        send({ type: "applicant", change: { cells: Object.fromEntries(cells) } });
        send({ type: "fold", id: "form of one", open: true });
      }),
    cancel: () => {
      send({ type: "cancel" });
      stop.abort();
    },
    kept,
    dismiss: () => send({ type: "dismiss" }),
  };
}

/** Uploads what is needed and puts the job in the line. */
async function sent(store: Store, files: Files): Promise<Job> {
  const { data, edits, rules, choices, encoding } = store.get();
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
  return sendJob(requestOf({ data: data!, edits, rules, choices, encoding, ...ids }));
}
