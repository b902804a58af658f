import { hasEitherComma, isAmount } from "./amounts.ts";
import { firstOf, Note } from "./notes.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** Numbers as they are written in German, with a point between thousands. */
const GROUPED = /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$|^[+-]?\d+,\d+$/;

export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** Why texts that are numbers except for a few do not count as numbers, and what to do; undefined for other texts. */
export function numbersBut(texts: readonly string[]): Note | undefined {
  const odd = texts.filter((t) => !NUMBER.test(t));
  if (odd.length === 0) return undefined;
  const cell = JSON.stringify(odd[0]);
  if (texts.every((t) => NUMBER.test(t.replace(",", ".")))) {
    if (!odd.every(hasEitherComma)) return new Note("decimalComma", { cell });
    return new Note("eitherComma", {
      cell,
      thousands: odd[0]!.replace(",", ""),
      decimal: odd[0]!.replace(",", "."),
    });
  }
  if (texts.every((t) => NUMBER.test(t) || GROUPED.test(t))) return new Note("pointThousands", { cell });
  const unit = unitOf(texts);
  if (unit !== undefined) return new Note("unitBehind", { cell, unit: JSON.stringify(unit) });
  const spoiling = odd.filter((t) => !isAmount(t));
  if (texts.length <= 10 || spoiling.length > texts.length / 5) return undefined;
  const cells = firstOf(
    spoiling.map((t) => JSON.stringify(t)),
    3,
  );
  const values = { count: spoiling.length, all: texts.length, cells };
  if (spoiling.length === odd.length) return new Note("someNoNumbers", values);
  return new Note("someNoAmounts", { ...values, amount: JSON.stringify(odd.find(isAmount)) });
}

/** What stands behind the number in every one of some texts. */
function unitOf(texts: readonly string[]): string | undefined {
  const [unit, ...others] = new Set(texts.map((t) => /^[+-]?[\d.,]*\d\s*([^\d\s.,+-][^\d]*)$/.exec(t)?.[1]));
  return others.length === 0 && texts.length > 10 ? unit : undefined;
}
