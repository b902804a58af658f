/**
 * The script of a report: client.ts with all it imports, as one text. Run from the sources it is bundled when first
 * asked for; a build replaces this file by one with the finished text (`withClientScript`).
 */
let made: Promise<string> | undefined;

export function clientScript(): Promise<string> {
  made ??= import("../../scripts/client-bundle.ts").then(({ clientBundle }) => clientBundle());
  return made;
}
