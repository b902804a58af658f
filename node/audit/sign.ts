import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { ColaError } from "../../src/errors.ts";

/** Signs what the trail holds (Ed25519). */
export interface Signer {
  /** Base64 of the signature. */
  sign(text: string): string;
  /** PEM of the public key: with it anybody can verify, and nobody sign. */
  readonly publicKey: string;
}

/** A new pair: the private key for the server, the public one for whoever verifies. */
export function newKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

export function signerOf(pem: string): Signer {
  const key = read(() => createPrivateKey(pem), "a private key; make one by: cola audit key");
  const publicKey = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  return { sign: (text) => sign(null, Buffer.from(text), key).toString("base64"), publicKey };
}

/** Tells whether a signature of a text is that of a public key. */
export type Verifier = (text: string, signature: string) => boolean;

/**
 * Of one key, or of several one after the other in a file, the oldest first: what the next one has signed is not followed by
 * the work of those before it.
 */
export function verifierOf(pem: string): Verifier {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [pem];
  const keys = blocks.map((block) =>
    read(() => createPublicKey(block), "a public key, as cola audit key writes one"),
  );
  let from = 0;
  return (text, signature) => {
    const bytes = Buffer.from(signature, "base64");
    const by = keys.findIndex((key, k) => k >= from && verify(null, Buffer.from(text), key, bytes));
    if (by >= 0) from = by;
    return by >= 0;
  };
}

function read(make: () => KeyObject, what: string): KeyObject {
  try {
    const key = make();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below.
  }
  throw new ColaError("OPTION_INVALID", `audit: the key is not ${what} (Ed25519, PEM).`);
}
