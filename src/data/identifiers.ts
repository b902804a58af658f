import type { Cell } from "../types.ts";

/** Rows from which a column without repetitions names its rows rather than happens to have none. */
const LEAST_ROWS = 200;
/** Rows from which it does so where it both rises and is called like an identifier: chance does that once in 120 times. */
const LEAST_NAMED = 5;
/** Share of the values that must be different: keys are repeated by a few duplicated rows. */
const DIFFERENT = 0.99;

/** How columns that name a row are called, in English and German, alone or behind another word. */
const NAME =
  /(^|[_\s.-])(id|ids|uuid|guid|key|no|nr|num|number|index|idx|ref|reference|code|zip|zip_?code|postcode|postal_?code|plz|ssn|iban|phone|account|nummer)([_\s.-](curr|prev|old|new))?$|[a-z](ID|Id|No|Nr|Key|Number|Code|Ref)$|nummer$/;

/** Is a column called as columns are that name a row (`customer_no`, `SK_ID_CURR`, `LoanID`, `Kundennummer`)? */
function namesRows(name: string): boolean {
  return NAME.test(name) || NAME.test(name.toLowerCase());
}

/**
 * Does a column of whole numbers or texts name its rows? It has at least 200 values, 99 % of them different, and either
 * rises in row order or is called like an identifier. A quantity that happens to have no repetitions does neither. Of
 * fewer values it does both, and all are different.
 */
export function isIdentifier(name: string, column: readonly Cell[], whole: boolean): boolean {
  const cells = column.filter((cell) => cell !== null);
  const few = cells.length < LEAST_ROWS;
  if (cells.length < LEAST_NAMED || new Set(cells).size < (few ? 1 : DIFFERENT) * cells.length) return false;
  const named = namesRows(name);
  if (named !== few) return named;
  return rises(cells, whole ? byNumber : byText) || (!whole && rises(cells, byLength));
}

function rises(cells: readonly Cell[], compare: (a: Cell, b: Cell) => number): boolean {
  return cells.every((cell, i) => i === 0 || compare(cells[i - 1]!, cell) <= 0);
}

const byNumber = (a: Cell, b: Cell): number => Number(a) - Number(b);
const byText = (a: Cell, b: Cell): number => (String(a) < String(b) ? -1 : a === b ? 0 : 1);
/** C-9 comes before C-10. */
const byLength = (a: Cell, b: Cell): number => String(a).length - String(b).length || byText(a, b);
