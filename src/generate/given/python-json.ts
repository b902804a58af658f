import { ColaError } from "../../errors.ts";

/**
 * JSON as Python writes it: whole numbers are bigint and floats number, so that 1 and 1.0 stay apart; objects
 * are Maps, which keep the order of keys like "10" and "9"; NaN, Infinity and -Infinity are floats.
 */
export type PyValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly PyValue[]
  | ReadonlyMap<string, PyValue>;

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORDS: Readonly<Record<string, PyValue>> = {
  true: true,
  false: false,
  null: null,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
/** Deeper nesting than any of the formats has. */
const DEEPEST = 64;

/** Reads a JSON text; TABLE_INVALID says where it is damaged. */
export function readPython(text: string, owner: string): PyValue {
  const reader = new Reader(text, owner);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** A text and how far it is read. */
class Reader {
  readonly #text: string;
  readonly #owner: string;
  #at = 0;

  constructor(text: string, owner: string) {
    this.#text = text;
    this.#owner = owner;
  }

  value(depth: number): PyValue {
    if (depth > DEEPEST) throw this.#fail("fewer brackets inside each other");
    if (this.#next("[")) return this.#list("]", () => this.value(depth + 1));
    if (this.#next("{")) {
      return new Map(
        this.#list("}", () => {
          const key = this.#string();
          if (!this.#next(":")) throw this.#fail('":"');
          return [key, this.value(depth + 1)] as const;
        }),
      );
    }
    return this.#text[this.#at] === '"' ? this.#string() : this.#scalar();
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#fail("the end");
  }

  #scalar(): PyValue {
    const word = Object.keys(WORDS).find((w) => this.#text.startsWith(w, this.#at));
    if (word !== undefined) {
      this.#at += word.length;
      return WORDS[word]!;
    }
    const found = this.#match(NUMBER);
    if (!found) throw this.#fail("a value");
    return found[1] === undefined && found[2] === undefined ? BigInt(found[0]) : Number(found[0]);
  }

  #string(): string {
    this.#match(SPACE);
    const [text, at] = [this.#text, this.#at];
    if (text[at] !== '"') throw this.#fail("a string");
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    try {
      const read = JSON.parse(text.slice(at, end + 1)) as string;
      this.#at = end + 1;
      return read;
    } catch {
      throw this.#fail("a string without broken escapes or control characters");
    }
  }

  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    if (this.#next(close)) return items;
    do items.push(item());
    while (this.#next(","));
    if (!this.#next(close)) throw this.#fail(`"," or "${close}"`);
    return items;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at += found[0].length;
    return found;
  }

  /** Is this mark next? Then it is read. */
  #next(mark: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #fail(expected: string): ColaError {
    const [at, found] = [this.#at, JSON.stringify(this.#text.slice(this.#at, this.#at + 12))];
    return new ColaError(
      "TABLE_INVALID",
      `${this.#owner}: the text is not valid JSON: at character ${at} there should be ${expected}, not ${found}; write the file again.`,
      { at },
    );
  }
}

/** `json`: as json.dumps writes; `pandas`: as DataFrame.to_json does. */
type PyStyle = "json" | "pandas";

/** Writes a value as Python would. */
export function writePython(value: PyValue, style: PyStyle = "json"): string {
  const [comma, colon] = style === "json" ? [", ", ": "] : [",", ":"];
  const write = (v: PyValue): string => {
    if (v === null || typeof v === "boolean" || typeof v === "bigint") return String(v);
    if (typeof v === "number") return floatText(v, style);
    if (typeof v === "string") return stringText(v, style);
    if (v instanceof Map) {
      const pairs = [...(v as ReadonlyMap<string, PyValue>)];
      return `{${pairs.map(([k, item]) => `${stringText(k, style)}${colon}${write(item)}`).join(comma)}}`;
    }
    return `[${(v as readonly PyValue[]).map(write).join(comma)}]`;
  };
  return write(value);
}

/** All but printable ASCII escaped; pandas escapes the slash too. */
function stringText(text: string, style: PyStyle): string {
  const ascii = JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return style === "pandas" ? ascii.replaceAll("/", "\\/") : ascii;
}

/** The shortest digits that give the number back; Python turns to exponents below 1e-4 and from 1e16 on. */
export function floatText(value: number, style: PyStyle): string {
  if (!Number.isFinite(value)) {
    if (style === "pandas") return "null";
    return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa, power] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  if (exponent >= 16 || (exponent < -4 && style === "json")) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
