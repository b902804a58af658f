import { existsSync } from "node:fs";
import { readFileBytes, writeFileWhole } from "../../node/files.ts";
import { ColaError } from "../../src/errors.ts";
import type { Given } from "../../study/options.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { openKept } from "../store.ts";

/** Walks the audit trail: nothing changed, removed, reordered or cut off; or makes the keys that sign it. */
export const auditCommand: CommandSpec = {
  name: "audit",
  summary: "verify the audit trail of a server, or make the keys that sign it",
  arguments: "<action>",
  options: ["store", "database", "blobs", "head", "auditKey", "publicKey", "json"],
  examples: [
    "cola audit verify --store cola-store",
    "cola audit verify --head 5f0c… --public-key audit.key.pub",
    "cola audit key --audit-key audit.key",
  ],
  async run(given, action) {
    if (action === "verify") return verify(given);
    if (action === "key") return makeKeys(given);
    throw new ColaError(
      "OPTION_INVALID",
      `audit: ${action} is not an action; write "cola audit verify" or "cola audit key".`,
    );
  },
};

async function verify(given: Given): Promise<number> {
  const { verifyAudit } = await import("../../node/audit/verify.ts");
  const { head, publicKey } = given;
  const pem = publicKey && Buffer.from(readFileBytes(publicKey, 2 ** 16)).toString();
  const store = await openKept(given);
  try {
    const report = await verifyAudit(store, {
      ...(head ? { head } : {}),
      ...(pem ? { publicKey: pem } : {}),
    });
    if (given.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else {
      for (const problem of report.problems) process.stdout.write(`${paint.bad("✘")} ${problem}\n`);
      const fine = report.records > 0 ? paint.good("✔") : "nothing to verify:";
      const signed = report.signed > 0 ? `, ${report.signed} signed` : "";
      process.stdout.write(
        `${report.ok ? fine : paint.bad("✘")} ${report.records} records${signed}, head ${report.head}\n`,
      );
    }
    return report.ok ? EXIT.ok : EXIT.someRows;
  } finally {
    await store.close();
  }
}

/** The private key for the server, the public one beside it for whoever verifies; none is ever replaced. */
async function makeKeys(given: Given): Promise<number> {
  const { newKeys } = await import("../../node/audit/sign.ts");
  const file = given.auditKey ?? "audit.key";
  const open = `${file}.pub`;
  for (const path of [file, open])
    if (existsSync(path))
      throw new ColaError(
        "FILE_UNWRITABLE",
        `audit: ${path} exists already; name another file with --audit-key.`,
        { path },
      );
  const { privateKey, publicKey } = newKeys();
  writeFileWhole(file, privateKey, 0o600);
  writeFileWhole(open, publicKey);
  if (given.json) process.stdout.write(`${JSON.stringify({ privateKey: file, publicKey: open })}\n`);
  else
    process.stdout.write(
      `${file} signs: start cola serve with --audit-key ${file} and let nobody else read it.\n${open} verifies: keep it elsewhere, too.\n`,
    );
  return EXIT.ok;
}
