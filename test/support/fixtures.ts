import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../shared/", import.meta.url));

/** Reference numbers kept beside the repository; tests that need them are skipped where they are absent. */
export function hasFixture(name: string): boolean {
  return existsSync(`${folder}fixtures/${name}`);
}

export function fixtureText(name: string): string {
  return readFileSync(`${folder}fixtures/${name}`, "utf8");
}

export function fixtureBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`${folder}fixtures/${name}`));
}

export function fixture<T>(name: string): T {
  return JSON.parse(fixtureText(name)) as T;
}

/** Path of a public data set, or undefined where it is not on this machine. */
export function dataFile(name: string): string | undefined {
  const path = `${process.env["COLA_DATA"] ?? `${folder}data`}/${name}`;
  return existsSync(path) ? path : undefined;
}
