import type { GivenFile, JobInputs } from "../engine/protocol.ts";
import type { Files as Read } from "../session/record.ts";

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());
export const givenOf = async (file: File): Promise<GivenFile> => ({
  name: file.name,
  bytes: await bytesOf(file),
});
export const fileOf = ({ name, bytes }: GivenFile, type = ""): File =>
  new File([bytes as Uint8Array<ArrayBuffer>], name, { type });

/** The files that were chosen. */
export interface Files {
  readonly data?: File;
  readonly model?: File;
  readonly given?: File;
}

/** What the set-up knows of its files, and takes again from a session. */
export interface SetUpFiles {
  /** Another one where a file is another. */
  now(): Files;
  put(kind: keyof Files, file: File): void;
  leaveOut(kind: keyof Files): void;
  read(): Promise<Read>;
  take(files: Read): void;
  /** What the result was made from. */
  from: JobInputs | null;
}

export function setUpFiles(): SetUpFiles {
  let files: Files = {};
  const read = async (file: File | undefined) => file && givenOf(file);
  return {
    now: () => files,
    put: (kind, file) => {
      files = { ...files, [kind]: file };
    },
    leaveOut: (kind) => {
      const { [kind]: _, ...others } = files;
      files = others;
    },
    read: async () => {
      const [data, model, given] = [await read(files.data), await read(files.model), await read(files.given)];
      return { ...(data ? { data } : {}), ...(model ? { model } : {}), ...(given ? { given } : {}) };
    },
    take: (given) => {
      files = Object.fromEntries(Object.entries(given).map(([kind, file]) => [kind, fileOf(file)]));
    },
    from: null,
  };
}
