import type { Explanation } from "../src/explanation.ts";
import { Sha256 } from "../src/num/sha256.ts";

/** Digits that are not mistaken for each other: no I, L, O, U. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Five bits each. */
const LENGTH = 16;

/** 80 bits of the digest of some texts, as four groups of four. */
export function codeOf(...texts: readonly string[]): string {
  const hash = new Sha256();
  for (const text of texts) hash.text(text);
  const bits = BigInt(`0x${hash.hex().slice(0, (LENGTH * 5) / 4)}`);
  const digits = Array.from(
    { length: LENGTH },
    (_, i) => DIGITS[Number((bits >> BigInt(5 * (LENGTH - 1 - i))) & 31n)],
  );
  return digits.join("").replace(/.{4}(?=.)/g, "$&-");
}

/** What stands on a paper about all rows: it fits this explanation and day alone. */
export const paperCode = (
  kind: "card" | "report",
  { runHash, digest = "" }: Pick<Explanation, "runHash" | "digest">,
  date: string,
): string => codeOf(`cola-${kind}`, runHash, digest, date);
