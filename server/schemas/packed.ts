/** Rows or a text of a large body, as the bytes they are kept as: nothing in the process that answers looks into them. */
export class Packed {
  readonly bytes: Uint8Array;
  /** Rows; 0 of a text. */
  readonly count: number;
  /** SHA-256 of the bytes. */
  readonly digest: string;

  constructor({ bytes, count, digest }: Pick<Packed, "bytes" | "count" | "digest">) {
    this.bytes = bytes;
    this.count = count;
    this.digest = digest;
  }

  /** What stands for it where a body is told from another. */
  toJSON(): string {
    return this.digest;
  }
}
