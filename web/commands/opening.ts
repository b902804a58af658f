import type { Engine } from "../engine/client.ts";
import type { FileKind, GivenFile } from "../engine/protocol.ts";
import type { ServerCommands } from "../remote/commands.ts";
import type { Store } from "../state/store.ts";
import type { CheckCommands } from "./checks.ts";
import { givenOf } from "./files.ts";
import type { Guarded } from "./guarded.ts";
import { reading, type readingCommands } from "./reading.ts";

/** Opening files whatever they hold: what a study is made of, saved runs, and what was written from a run. */
export function openingCommands(
  { send, number }: Store,
  engine: Engine,
  server: ServerCommands,
  checks: CheckCommands,
  inputs: ReturnType<typeof readingCommands>,
  guarded: Guarded,
) {
  const kindOf = async (file: File): Promise<FileKind> => engine.call("sort", await givenOf(file));

  const restore = (file: File): Promise<boolean> =>
    guarded("result", { key: "openingFile", values: { file: file.name } }, async () => {
      const explanation = await engine.call("restore", await givenOf(file));
      server.go(null);
      const result = { explanation, model: null, source: file.name, live: false } as const;
      send({ type: "result", id: number(), result: { ...result, why: { key: "fromFile" } } });
      await checks.check();
    });
  const checkedBy =
    (check: (file: GivenFile) => Promise<void>) =>
    (file: File): Promise<boolean> =>
      guarded("result", { key: "checking", values: { file: file.name } }, async () =>
        check(await givenOf(file)),
      );
  const papers = { certificate: checkedBy(checks.check), paper: checkedBy(checks.paper) };

  return {
    /** Files in any order: each is what its content says, and a table is read before what belongs to it. */
    take: (given: readonly File[]) =>
      guarded("data", reading(given[0]!), async () => {
        const sorted = await Promise.all(given.map(async (file) => ({ kind: await kindOf(file), file })));
        const ways = {
          ...{ table: inputs.open, constraints: inputs.loadConstraints, model: inputs.loadModel },
          ...{ encoding: inputs.loadEncoding, counterfactuals: inputs.loadGiven },
          ...{ explanation: restore, ...papers },
        };
        for (const kind of Object.keys(ways) as (keyof typeof ways)[])
          for (const one of sorted) if (one.kind === kind && !(await ways[kind](one.file))) return;
      }),
    /** A run that was saved, or what was written from one. */
    openResult: async (file: File): Promise<boolean> => {
      const ways: Partial<Record<FileKind, typeof restore>> = papers;
      return (ways[await kindOf(file)] ?? restore)(file);
    },
    checkAgain: () => guarded("result", { key: "checkingRun" }, () => checks.check()),
  };
}
