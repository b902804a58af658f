import type { Engine } from "../engine/client.ts";
import type { JobInputs, OnePerson } from "../engine/protocol.ts";
import { rolesOf } from "../engine/roles.ts";
import type { ServerCommands } from "../remote/commands.ts";
import { type Job, sendJob, type UploadPlace, upload } from "../remote/jobs.ts";
import { requestOf } from "../remote/request.ts";
import { settingsOf } from "../settings.ts";
import { setUpKey } from "../state/ready.ts";
import { placeOf, type State } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Files, SetUpFiles } from "./files.ts";
import type { Guarded } from "./guarded.ts";
import { troubleOf } from "./trouble.ts";

/** Runs in this page or on the server behind it. */
export function runningCommands(
  store: Store,
  engine: Engine,
  server: ServerCommands,
  files: SetUpFiles,
  guarded: Guarded,
) {
  const { get, send } = store;
  let stop = new AbortController();

  const runThere = (): Promise<boolean> =>
    guarded("run", { key: "sending" }, async () => {
      try {
        const job = await sent(store, files.now());
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
    const { data } = get();
    const setUp = setUpKey(get());
    try {
      const settings = { ...settingsOf(get()), ...(person ? { person, goal: "each" as const } : {}) };
      const onProgress = (progress: { stage: string; done: number; total: number }): void =>
        send({ type: "progress", id, progress, at: performance.now() });
      const answer = await engine.call("run", settings, { onProgress, signal });
      if (get().run?.id === id) {
        server.go(null);
        const { overlay: _, ...asked } = settings;
        files.from = await inputsOf(asked, data, get(), files);
      }
      send({ type: "ran", id, result: { ...answer, source: data?.source ?? "", live: true, setUp } });
    } catch (error) {
      send({ type: "run failed", id, trouble: troubleOf(error) });
    }
  };

  return {
    run: () => {
      send({ type: "ask for a run" });
      return placeOf(get()) === "server" ? runThere() : runHere();
    },
    /** Explains one person alone, here: their row does not leave the page. */
    explainOne: (person: OnePerson) => {
      send({ type: "ask for a run" });
      return runHere(person);
    },
    cancel: () => {
      send({ type: "cancel" });
      stop.abort();
    },
  };
}

/** What a result was made from, as far as it took part. */
async function inputsOf(
  settings: JobInputs["settings"],
  data: State["data"],
  { encoding, loadedModel }: State,
  files: SetUpFiles,
): Promise<JobInputs> {
  const { data: table = null, model = null, given = null } = await files.read();
  const ofFile = settings.model === "file";
  return {
    settings,
    roles: data ? rolesOf(data) : {},
    table,
    model: ofFile ? model : null,
    counterfactuals: settings.generator === "given" ? given : null,
    encoding: ofFile ? encoding : null,
    outputs: ofFile && loadedModel?.match ? loadedModel.outputs : null,
  };
}

/** Uploads what is needed and puts the job in the line. */
async function sent({ get, send }: Store, files: Files): Promise<Job> {
  const { data, edits, rules, choices, encoding } = get();
  const idOf = async (place: UploadPlace, file: File | undefined): Promise<string | undefined> => {
    if (!file) return undefined;
    const { id, sha256, name } = await upload(place, file);
    send({ type: "names", names: { [sha256]: name } });
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
