import { Sha256 } from "../../src/num/sha256.ts";

/** The hash source of an inline style or script, as a content security policy names it. */
export function hashSource(text: string): string {
  const hex = new Sha256().bytes(new TextEncoder().encode(text)).hex();
  const bytes = hex.match(/../g)!.map((pair) => String.fromCharCode(Number.parseInt(pair, 16)));
  return `'sha256-${btoa(bytes.join(""))}'`;
}

/** Nothing may be loaded, nothing may run but the page's own style and, where it has one, script. */
export function contentPolicy(style: string, script?: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
