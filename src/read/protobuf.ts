import { ColaError } from "../errors.ts";

/** One field as the scan meets it: wire type, value of a varint, and where tag, body and end are. */
interface Field {
  field: number;
  wire: number;
  number: number;
  at: number;
  from: number;
  to: number;
}

const utf8 = new TextDecoder();
const NOTHING = new Uint8Array(0);
/** Most messages or raw fields, and most texts, that one message may list. */
const MAX_MESSAGES = 2 ** 17;
const MAX_TEXTS = 2 ** 22;

/**
 * A message opened one level deep. Nothing is kept but the bytes: a file of many tiny fields costs time in
 * proportion to its size and no memory. Repeated fields keep their order.
 */
export class Message {
  private readonly owner: string;
  private readonly data: Uint8Array;

  constructor(owner: string, bytes: Uint8Array) {
    this.owner = owner;
    this.data = bytes;
  }

  has(field: number): boolean {
    return this.last(field, false, () => true);
  }

  /** The last value given, as protocol buffers demand. */
  text(field: number): string {
    return utf8.decode(this.bytes(field));
  }

  whole(field: number): number {
    return this.last(field, 0, (f) => f.number);
  }

  bytes(field: number): Uint8Array {
    return this.last(field, NOTHING, (f) => this.body(f));
  }

  messages(field: number): Message[] {
    return this.list(field, MAX_MESSAGES, (f) => openMessage(this.owner, this.body(f)));
  }

  texts(field: number): string[] {
    return this.list(field, MAX_TEXTS, (f) => utf8.decode(this.body(f)));
  }

  /** How many numbers a repeated field holds: whole ones (width 0), floats (4) or doubles (8). */
  count(field: number, width: 0 | 4 | 8): number {
    let sum = 0;
    this.each(field, (f) => {
      if (width > 0) sum += (f.to - f.from) / width;
      else if (f.wire === 0) sum++;
      else for (let b = f.from; b < f.to; b++) if (this.data[b]! < 128) sum++;
    });
    return sum;
  }

  /** Repeated float or double, packed or not. */
  floats(field: number, width: 4 | 8): Float64Array {
    const out = new Float64Array(Math.ceil(this.count(field, width)));
    let next = 0;
    this.each(field, (f) => {
      const part = floatsOf(this.owner, this.body(f), width);
      out.set(part, next);
      next += part.length;
    });
    return out;
  }

  /** Repeated whole numbers, packed or not; those beyond ±2^53 are rounded. */
  wholes(field: number): Float64Array {
    const out = new Float64Array(this.count(field, 0));
    let next = 0;
    this.each(field, (f) => {
      if (f.wire === 0) out[next++] = f.number;
      else next = varintsInto(this.owner, this.body(f), out, next);
    });
    return out;
  }

  /** All fields in file order: number, bytes with tag, bytes without. */
  raw(): { readonly field: number; readonly bytes: Uint8Array; readonly body: Uint8Array }[] {
    return this.list(undefined, MAX_MESSAGES, (f) => ({
      field: f.field,
      bytes: this.data.subarray(f.at, f.to),
      body: this.body(f),
    }));
  }

  private body(f: Field): Uint8Array {
    return this.data.subarray(f.from, f.to);
  }

  private each(field: number | undefined, visit: (f: Field) => void): void {
    scan(this.owner, this.data, (f) => {
      if (field === undefined || f.field === field) visit(f);
    });
  }

  private last<T>(field: number, fallback: T, value: (f: Field) => T): T {
    let found = fallback;
    this.each(field, (f) => {
      found = value(f);
    });
    return found;
  }

  private list<T>(field: number | undefined, most: number, value: (f: Field) => T): T[] {
    const out: T[] = [];
    this.each(field, (f) => {
      if (out.length >= most) throw damaged(this.owner, f.at, `has more than ${most} fields of one kind`);
      out.push(value(f));
    });
    return out;
  }
}

/** Opens a message; every length is held against the bytes that are there. */
export function openMessage(owner: string, bytes: Uint8Array): Message {
  scan(owner, bytes, () => undefined);
  return new Message(owner, bytes);
}

/** Visits every field in order; the visited object is used again for the next. */
function scan(owner: string, bytes: Uint8Array, visit: (field: Field) => void): void {
  const f: Field = { field: 0, wire: 0, number: 0, at: 0, from: 0, to: 0 };
  const varint = varintReader(owner, bytes);
  for (let at = 0; at < bytes.length; at = f.to) {
    const tag = varint.read(at);
    f.at = at;
    f.wire = tag & 7;
    f.field = Math.floor(tag / 8);
    f.number = 0;
    if (f.field < 1 || tag > 2 ** 32) throw damaged(owner, at, `has the field number ${f.field}`);
    f.from = varint.end;
    if (f.wire === 0) {
      f.number = varint.read(f.from);
      f.to = varint.end;
    } else if (f.wire === 2) {
      const size = varint.read(f.from);
      if (size < 0) throw damaged(owner, at, `declares ${size} bytes`);
      f.from = varint.end;
      f.to = f.from + size;
    } else if (f.wire === 1 || f.wire === 5) f.to = f.from + (f.wire === 1 ? 8 : 4);
    else throw damaged(owner, at, `has the wire type ${f.wire}`);
    if (!(f.to <= bytes.length))
      throw damaged(owner, at, `declares ${f.to - f.from} bytes, more than are left`);
    visit(f);
  }
}

/** Reads signed 64-bit varints of at most ten bytes; `end` is where the last one ended. */
function varintReader(owner: string, bytes: Uint8Array): { end: number; read(at: number): number } {
  return {
    end: 0,
    read(at) {
      let value = 0;
      for (let i = 0, place = 1; i < 10; i++, place *= 128) {
        const byte = bytes[at + i];
        if (byte === undefined) throw damaged(owner, at, "ends inside a number");
        value += (byte & 127) * place;
        if (byte >= 128) continue;
        this.end = at + i + 1;
        return value >= 2 ** 63 ? signed(bytes, at, i + 1) : value;
      }
      throw damaged(owner, at, "has a number longer than ten bytes");
    },
  };
}

/** Two's complement of a varint that reached the sign bit, without losing the small digits. */
function signed(bytes: Uint8Array, at: number, length: number): number {
  let value = 0n;
  for (let i = length - 1; i >= 0; i--) value = (value << 7n) | BigInt(bytes[at + i]! & 127);
  return Number(BigInt.asIntN(64, value));
}

function varintsInto(owner: string, bytes: Uint8Array, out: Float64Array, start: number): number {
  const varint = varintReader(owner, bytes);
  let place = start;
  for (let at = 0; at < bytes.length; at = varint.end) out[place++] = varint.read(at);
  return place;
}

export function floatsOf(owner: string, bytes: Uint8Array, width: 4 | 8): Float64Array {
  if (bytes.length % width !== 0)
    throw damaged(owner, 0, `has ${bytes.length} bytes of ${width}-byte numbers`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / width }, (_, i) =>
    width === 4 ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true),
  );
}

function damaged(owner: string, at: number, rule: string): ColaError {
  return new ColaError(
    "MODEL_FILE_INVALID",
    `${owner}: byte ${at} of a protocol-buffer message ${rule}; the file is damaged or of another kind: save it again.`,
    { at },
  );
}

/** A field of bytes (wire type 2), encoded. */
export function encodeBytes(field: number, body: Uint8Array): Uint8Array {
  const head = [...encodeVarint(field * 8 + 2), ...encodeVarint(body.length)];
  const out = new Uint8Array(head.length + body.length);
  out.set(head);
  out.set(body, head.length);
  return out;
}

function encodeVarint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return [...out, rest];
}
