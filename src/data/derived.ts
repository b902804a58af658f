import type { Matrix, Schema } from "../basic-types.ts";
import { ColaError } from "../errors.ts";
import { compileExpression, type Expression } from "./expression.ts";

/** A column that is computed from others. */
export interface Derived {
  readonly column: number;
  readonly expression: Expression;
}

/** Derived columns in an order in which each reads only what is already known; a cycle is refused. */
export function orderDerived(schema: Schema): Derived[] {
  const waiting = schema.features.flatMap((feature, column) =>
    feature.derived ? [{ column, expression: compileExpression(feature.derived, schema, feature) }] : [],
  );
  const ordered: Derived[] = [];
  while (waiting.length > 0) {
    const pending = new Set(waiting.map((d) => schema.features[d.column]!.name));
    const ready = waiting.findIndex((d) => !d.expression.names.some((name) => pending.has(name)));
    if (ready < 0) {
      throw new ColaError(
        "CONSTRAINT_INVALID",
        `constraints: the derived features ${[...pending].join(", ")} depend on each other in a circle; derive each from given features.`,
        { features: [...pending] },
      );
    }
    ordered.push(...waiting.splice(ready, 1));
  }
  return ordered;
}

/** Rows with their derived columns computed; what is no number is missing. */
export function completed(derived: readonly Derived[], rows: Matrix): Matrix {
  const data = rows.data.slice();
  for (let i = 0; i < rows.rows; i++) {
    const row = data.subarray(i * rows.cols, (i + 1) * rows.cols);
    for (const { column, expression } of derived) {
      const value = expression.evaluate(row);
      row[column] = Number.isFinite(value) ? value : Number.NaN;
    }
  }
  return { data, rows: rows.rows, cols: rows.cols };
}
