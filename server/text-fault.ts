import { isUtf8 } from "node:buffer";
import { HttpError } from "./problem.ts";

/** The text of a JSON body, after a look at it: letters of another encoding would be lost without a word. */
export function textOfBody(bytes: Uint8Array): string {
  if (!isUtf8(bytes))
    throw new HttpError(
      "REQUEST_INVALID",
      "The body is not UTF-8, the one encoding of JSON; send it as that.",
    );
  const text = new TextDecoder().decode(bytes);
  const fault = faultOfText(text);
  if (fault !== undefined) throw new HttpError("BODY_TOO_LARGE", fault);
  return text;
}

/** Keys of one object, and objects within each other: far beyond any request, and cheap to read. */
const MOST_KEYS = 60_000;
const MOST_DEPTH = 200;

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What is too much about a text, undefined when nothing is; whether it is JSON at all is not looked at. */
export function faultOfText(text: string, mostKeys = MOST_KEYS): string | undefined {
  const keys: number[] = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) {
      if (++keys[keys.length - 1]! > mostKeys) return `One object has more than ${mostKeys} keys.`;
    } else if (code === OPEN || code === OPEN_LIST) {
      if (keys.push(0) > MOST_DEPTH)
        return `More than ${MOST_DEPTH} objects and lists are within each other.`;
    } else if ((code === CLOSE || code === CLOSE_LIST) && keys.length > 1) keys.pop();
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
