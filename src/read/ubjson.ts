import { ColaError } from "../errors.ts";
import { MAX_DEPTH, MAX_PARTS, tooDeep, tooMany } from "./json-limits.ts";

/** Bytes of one number of each UBJSON type. */
const WIDTH: Readonly<Record<string, number>> = { i: 1, U: 1, I: 2, l: 4, L: 8, d: 4, D: 8 };

/**
 * Reads one UBJSON value (big-endian, typed arrays as XGBoost writes them). Declared sizes are held against
 * the bytes that are left before anything is allocated; lists of one number type become Float64Arrays.
 */
export function parseUbjson(owner: string, bytes: Uint8Array): unknown {
  const reader = new UbjsonReader(owner, bytes);
  return reader.value(reader.type(), 0);
}

class UbjsonReader {
  private at = 0;
  private parts = 0;
  private readonly view: DataView;
  private readonly text = new TextDecoder();
  private readonly owner: string;
  private readonly bytes: Uint8Array;

  constructor(owner: string, bytes: Uint8Array) {
    this.owner = owner;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The next type mark; "N" (no operation) is skipped. */
  type(): string {
    let mark = "N";
    while (mark === "N") mark = String.fromCharCode(this.bytes[this.claim(1)]!);
    return mark;
  }

  value(type: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw tooDeep(this.owner, this.at);
    if (++this.parts > MAX_PARTS) throw tooMany(this.owner, this.at);
    if (type in WIDTH) return this.number(type);
    if (type === "S") return this.string();
    if (type === "[") return this.list(depth);
    if (type === "{") return this.object(depth);
    if (type === "T" || type === "F") return type === "T";
    if (type === "Z") return null;
    if (type === "C") return String.fromCharCode(this.bytes[this.claim(1)]!);
    throw this.error(`has the type mark ${JSON.stringify(type)}, which no XGBoost file has`);
  }

  private list(depth: number): unknown {
    const { type, count } = this.header();
    if (type !== undefined) return this.typedList(type, count!);
    const out: unknown[] = [];
    if (count !== undefined) {
      for (let i = 0; i < count; i++) out.push(this.value(this.type(), depth + 1));
      return out;
    }
    for (let mark = this.type(); mark !== "]"; mark = this.type()) out.push(this.value(mark, depth + 1));
    return out;
  }

  private typedList(type: string, count: number): Float64Array {
    const width = WIDTH[type];
    if (width === undefined)
      throw this.error(`is a list of type ${JSON.stringify(type)}, which is not a number`);
    if (count * width > this.bytes.length - this.at) {
      throw this.error(`declares ${count} numbers, more than the file has bytes`);
    }
    const out = new Float64Array(count);
    for (let i = 0; i < count; i++) out[i] = this.number(type);
    return out;
  }

  private object(depth: number): Record<string, unknown> {
    const { type, count } = this.header();
    if (type !== undefined) throw this.error("is an object of one type, which no XGBoost file has");
    const out: Record<string, unknown> = Object.create(null);
    const put = (): void => {
      const key = this.string();
      out[key] = this.value(this.type(), depth + 1);
    };
    if (count !== undefined) for (let i = 0; i < count; i++) put();
    else while (!this.next("}")) put();
    return out;
  }

  /** `$type` and `#count` of a container; a type needs a count, and a count is at most the bytes left. */
  private header(): { type?: string; count?: number } {
    const type = this.next("$") ? this.type() : undefined;
    if (!this.next("#")) {
      if (type !== undefined) throw this.error("gives a type without a count");
      return {};
    }
    const count = this.size();
    return type === undefined ? { count } : { type, count };
  }

  /** Steps over `mark` (and no-operations before it) if it comes next. */
  private next(mark: string): boolean {
    while (this.bytes[this.at] === 78) this.at++;
    if (this.at >= this.bytes.length) throw this.error("ends in the middle of a list or object");
    const found = this.bytes[this.at] === mark.charCodeAt(0);
    if (found) this.at++;
    return found;
  }

  private string(): string {
    const size = this.size();
    const from = this.claim(size);
    return this.text.decode(this.bytes.subarray(from, from + size));
  }

  private size(): number {
    const size = this.number(this.type());
    if (Number.isInteger(size) && size >= 0 && size <= this.bytes.length - this.at) return size;
    throw this.error(`declares a size of ${size}, but ${this.bytes.length - this.at} bytes are left`);
  }

  private number(type: string): number {
    const width = WIDTH[type];
    if (width === undefined) throw this.error(`has ${JSON.stringify(type)} where a number is needed`);
    const at = this.claim(width);
    if (type === "d") return this.view.getFloat32(at);
    if (type === "D") return this.view.getFloat64(at);
    if (type === "l") return this.view.getInt32(at);
    if (type === "I") return this.view.getInt16(at);
    if (type === "L") return Number(this.view.getBigInt64(at));
    return type === "U" ? this.view.getUint8(at) : this.view.getInt8(at);
  }

  private claim(size: number): number {
    const at = this.at;
    if (size > this.bytes.length - at) throw this.error("ends too early");
    this.at += size;
    return at;
  }

  private error(rule: string): ColaError {
    return new ColaError(
      "MODEL_FILE_INVALID",
      `${this.owner}: byte ${this.at} of the UBJSON file ${rule}; the file is damaged or of another kind: save it again.`,
      { at: this.at },
    );
  }
}
