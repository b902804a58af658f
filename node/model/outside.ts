import type { CellOptions } from "../../src/read/cells.ts";
import type { Model } from "../../src/types.ts";
import { commandModel } from "./command.ts";
import { type HttpModelOptions, httpModel } from "./http.ts";

/** A model that is called: opened once it is told in which columns rows leave for it. */
interface OutsideModel {
  readonly title: string;
  /** What its answers depend on as far as can be known. */
  readonly identity: readonly unknown[];
  call(cells: CellOptions): { readonly model: Model; close(): void };
}

/** A model behind an address; closing it ends its requests. */
export function outsideHttp(options: HttpModelOptions): OutsideModel {
  const { url, protocol, modelName = null, outputs = null, signal } = options;
  return {
    title: `HTTP model (${protocol})`,
    identity: ["http", url, protocol, modelName, outputs],
    call: (cells) => {
      const end = new AbortController();
      const ended = AbortSignal.any([end.signal, ...(signal ? [signal] : [])]);
      return { model: httpModel({ ...options, ...cells, signal: ended }), close: () => end.abort() };
    },
  };
}

/** A program that scores lines of JSON; closing it ends the program. */
export function outsideCommand(
  command: string,
  options: Parameters<typeof commandModel>[1] = {},
): OutsideModel {
  return {
    title: "command",
    identity: ["command", command, options.outputs ?? null],
    call: (cells) => {
      const model = commandModel(command, { ...options, ...cells });
      return { model, close: () => model.close() };
    },
  };
}
