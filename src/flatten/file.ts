import type { FlatModel, Input } from "../certificate.ts";

/** Anything of a JSON file. */
// biome-ignore lint/suspicious/noExplicitAny: a file is what it is; what it lacks fails when it is compared
export type Json = any;

/** A model file as certificates write models down, read here anew: nothing is shared with src/read or src/model. */
export interface FlatFile {
  readonly model: FlatModel;
  /** Names of its columns, where the file has them. */
  readonly names?: readonly string[];
  /** How its columns are made from features, where the file says so. */
  readonly inputs?: readonly Input[];
}
