/** Prints what a soak (COLA_SOAK=1) measured, as one line; quiet in the plain run. */
export function figures(what: string, numbers: Readonly<Record<string, unknown>>): void {
  if (process.env["COLA_SOAK"] === "1") process.stdout.write(`${what}: ${JSON.stringify(numbers)}\n`);
}
