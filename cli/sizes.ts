import type { Given } from "../study/options.ts";

/** What a server or worker takes, where the command line says more or less than the limits of the settings. */
export function sizesOf({ maxRows, maxColumns }: Given): {
  readonly rows?: number;
  readonly rowsJob?: number;
  readonly columns?: number;
} {
  return {
    ...(maxRows === undefined ? {} : { rows: maxRows, rowsJob: maxRows }),
    ...(maxColumns === undefined ? {} : { columns: maxColumns }),
  };
}
