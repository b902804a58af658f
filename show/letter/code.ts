import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { Sha256 } from "../../src/num/sha256.ts";

/** Digits that are not mistaken for each other: no I, L, O, U. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Five bits each. */
const LENGTH = 16;

/** 80 bits of the digest of run, row, date and sender, as four groups of four: what their letter about this row carries. */
export function letterCode(
  { runHash }: Pick<Explanation, "runHash">,
  row: ExplainedRow,
  date: string,
  sender = "",
): string {
  const hash = new Sha256().text("cola-letter").text(runHash).text(JSON.stringify(row));
  const hex = hash.text(date).text(sender).hex();
  const bits = BigInt(`0x${hex.slice(0, (LENGTH * 5) / 4)}`);
  const digits = Array.from(
    { length: LENGTH },
    (_, i) => DIGITS[Number((bits >> BigInt(5 * (LENGTH - 1 - i))) & 31n)],
  );
  return digits.join("").replace(/.{4}(?=.)/g, "$&-");
}

/** A code as somebody typed it: letters large, what looks alike as the digit it stands for, groups of four. */
export function typedCode(text: string): string {
  const plain = text.toUpperCase().replace(/[\s-]/g, "").replace(/[IL]/g, "1").replace(/O/g, "0");
  return plain.replace(/.{4}(?=.)/g, "$&-");
}
