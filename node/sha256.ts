import { createHash } from "node:crypto";
import { hashBy } from "../src/num/sha256.ts";

/** Digests by OpenSSL, which takes about a tenth of the time; the same bytes. */
export const hashByNode = (): void => hashBy(() => createHash("sha256"));
