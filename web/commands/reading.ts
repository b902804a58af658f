import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Engine } from "../engine/client.ts";
import { type DataRoles, rolesOf } from "../engine/roles.ts";
import { editsOf, overlayOf, settingsOf } from "../settings.ts";
import { qualityKey } from "../state/ready.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import { fileOf, givenOf, type SetUpFiles } from "./files.ts";
import type { Guarded } from "./guarded.ts";

/** What somebody says of the loaded model: which inputs it reads (null: those of its names), what its outputs are called. */
interface Told {
  readonly encoding?: EncodingSpec | null;
  readonly outputs?: readonly string[];
}

export const reading = (file: File): Message => ({ key: "readingFile", values: { file: file.name } });

/** Reading what a study is made of: tables, models, constraints, counterfactuals, one row. */
export function readingCommands({ get, send }: Store, engine: Engine, files: SetUpFiles, guarded: Guarded) {
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
  const rematch = async (told: Told = {}): Promise<void> => {
    const { edits, rules } = get();
    const info = await engine.call("match", { overlay: overlayOf(edits, rules), ...told });
    const { encoding: spec } = told;
    if (info) send({ type: "matched", info, ...(spec === undefined ? {} : { encoding: spec }) });
  };
  const open = (file: File): Promise<boolean> =>
    guarded("data", reading(file), async () => {
      send({ type: "data", info: await engine.call("open", await givenOf(file)) });
      files.put("data", file);
      await rematch();
    });
  const loadModel = (file: File): Promise<boolean> =>
    guarded("model", reading(file), async () => {
      const given = await givenOf(file);
      const { edits, rules, loadedModel, encoding } = get();
      // An encoding that was there before any model waited for this one.
      const spec = loadedModel ? null : encoding;
      send({
        type: "model",
        info: await engine.call("model", { ...given, overlay: overlayOf(edits, rules) }),
      });
      files.put("model", file);
      if (spec) await rematch({ encoding: spec });
    });
  const loadGiven = (file: File): Promise<boolean> =>
    guarded("generator", reading(file), async () => {
      const { rows } = await engine.call("counterfactuals", await givenOf(file));
      send({ type: "given", name: file.name, rows });
      files.put("given", file);
    });
  const loadEncoding = (file: File): Promise<boolean> =>
    guarded("model", reading(file), async () => {
      const spec = await engine.call("encoding", await givenOf(file));
      send({ type: "encoding", encoding: spec });
      await rematch({ encoding: spec });
    });
  const loadConstraints = (file: File): Promise<boolean> =>
    guarded("data", reading(file), async () => {
      const overlay = await engine.call("constraints", await givenOf(file));
      const { data, edits } = get();
      if (!data) return;
      send({ type: "constraints", edits: editsOf(overlay, data.schema, edits), rules: overlay.rules ?? [] });
    });
  return {
    embedded: () =>
      guarded("data", { key: "readingData" }, async () => {
        send({ type: "data", info: await engine.call("embedded", {}) });
        files.leaveOut("data");
        await rematch();
      }),
    open,
    loadModel,
    loadGiven,
    loadEncoding,
    loadConstraints,
    match: (told: Told) => guarded("model", { key: "readingColumns" }, () => rematch(told)),
    /** No table: rows of the values that the loaded model tells apart. */
    alone: async (): Promise<void> => {
      let made: File | undefined;
      await guarded("model", { key: "readingColumns" }, async () => {
        const table = await engine.call("alone", {});
        made = fileOf(table, table.type);
      });
      if (made && (await open(made))) send({ type: "step", step: "one" });
    },
    /** How well the model of the set-up does on the table. */
    quality: () =>
      guarded("model", { key: "measuring" }, async () => {
        const of = qualityKey(get());
        send({ type: "quality", of, info: await engine.call("quality", settingsOf(get())) });
      }),
    roles: setRoles,
    exclude: (name: string) => takeOut([...(get().data?.exclude ?? []), name]),
    include: (name: string) => takeOut((get().data?.exclude ?? []).filter((other) => other !== name)),
    /** Fills the form with a row that was copied. */
    paste: (text: string) =>
      guarded("data", { key: "readingColumns" }, async () => {
        const found = await engine.call("pasted", { text });
        const cells = Object.entries(found).map(([name, cell]) => [name, cell === null ? "" : String(cell)]);
        send({ type: "applicant", change: { cells: Object.fromEntries(cells) } });
        send({ type: "fold", id: "form of one", open: true });
      }),
  };
}
