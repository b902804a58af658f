import { crc32 } from "node:zlib";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";

/** First bytes of every frame: they tell a frame from anything else, and the version of the framing. */
const MAGIC = Buffer.from("COL1");
/** Bytes before the header: the magic, the length of the header and its CRC-32. */
const PRELUDE = 12;
const MOST_HEADER = 2 ** 24;
/** Bytes of all parts of one frame. */
const MOST_BYTES = 2 ** 31 - 1;

/** A message: what is asked or told as JSON, and tables or files beside it by name. */
export interface Frame {
  readonly type: string;
  readonly [key: string]: unknown;
  readonly parts?: Readonly<Record<string, Uint8Array>>;
}

/**
 * The bytes of a frame: magic, length and checksum of the header, header, parts one after the other. Every part has its
 * checksum in the header: readers of tables need not cope with damage.
 */
export function frameBytes({ parts = {}, ...fields }: Frame): Buffer {
  const named = Object.entries(parts);
  const header = Buffer.from(
    JSON.stringify({ ...fields, parts: named.map(([name, bytes]) => [name, bytes.length, crc32(bytes)]) }),
  );
  const prelude = Buffer.alloc(PRELUDE);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(header.length, MAGIC.length);
  prelude.writeUInt32LE(crc32(header), MAGIC.length + 4);
  return Buffer.concat([prelude, header, ...named.map(([, bytes]) => bytes)]);
}

/** The frames of a stream, one after the other. BRIDGE_INVALID for anything else: whatever follows cannot be told apart. */
export async function* framesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const chunks = reader(input);
  for (;;) {
    const prelude = await chunks.take(PRELUDE);
    if (prelude.length === 0) return;
    if (prelude.length < PRELUDE || !prelude.subarray(0, MAGIC.length).equals(MAGIC))
      throw invalid(`begins with ${JSON.stringify(prelude.toString("latin1"))} instead of COL1 and a length`);
    const length = prelude.readUInt32LE(MAGIC.length);
    if (length > MOST_HEADER) throw invalid(`has a header of ${length} bytes, more than ${MOST_HEADER}`);
    const { parts, ...header } = headerOf(
      await whole(chunks, length, prelude.readUInt32LE(MAGIC.length + 4)),
    );
    const bytes: Record<string, Uint8Array> = {};
    for (const [name, size, sum] of parts) bytes[name] = await whole(chunks, size, sum);
    yield { ...header, parts: bytes };
  }
}

interface Header {
  readonly type: string;
  readonly parts: readonly (readonly [name: string, bytes: number, checksum: number])[];
}

function headerOf(bytes: Buffer): Header {
  try {
    const header: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const { type, parts = [] } = Object(header) as { readonly type?: unknown; readonly parts?: unknown };
    if (typeof type !== "string") throw invalid('has a header without "type"');
    return { ...(header as object), type, parts: partsOf(parts) };
  } catch (error) {
    throw isColaError(error) ? error : invalid(`has a header that is not JSON: ${messageOf(error)}`);
  }
}

function partsOf(parts: unknown): Header["parts"] {
  const fits = (part: unknown): boolean =>
    Array.isArray(part) &&
    part.length === 3 &&
    typeof part[0] === "string" &&
    part.slice(1).every((number) => Number.isInteger(number) && number >= 0);
  if (!Array.isArray(parts) || parts.length > 16 || !parts.every(fits))
    throw invalid('has "parts" that are not a list of at most 16 triples [name, bytes, checksum]');
  const told = parts as Header["parts"];
  const all = told.reduce((sum, [, size]) => sum + size, 0);
  if (all > MOST_BYTES) throw invalid(`has parts of ${all} bytes, more than ${MOST_BYTES}`);
  return told;
}

async function whole(chunks: Reader, length: number, sum: number): Promise<Buffer> {
  const bytes = await chunks.take(length);
  if (bytes.length !== length) throw invalid(`ends after ${bytes.length} of ${length} bytes`);
  if (crc32(bytes) === sum) return bytes;
  throw invalid("is damaged: its checksum does not fit");
}

interface Reader {
  /** The next `length` bytes; fewer where the stream ends. */
  take(length: number): Promise<Buffer>;
}

function reader(input: AsyncIterable<Uint8Array>): Reader {
  const source = input[Symbol.asyncIterator]();
  let left: Uint8Array = new Uint8Array();
  return {
    async take(length) {
      const taken: Uint8Array[] = [];
      let wanted = length;
      for (;;) {
        const some = left.subarray(0, wanted);
        left = left.subarray(some.length);
        taken.push(some);
        wanted -= some.length;
        if (wanted === 0) break;
        const next = await source.next();
        if (next.done) break;
        left = next.value;
      }
      return Buffer.concat(taken);
    },
  };
}

function invalid(rule: string): ColaError {
  return new ColaError(
    "BRIDGE_INVALID",
    `bridge: a message ${rule}; docs/BRIDGE.md says how messages are framed.`,
  );
}
