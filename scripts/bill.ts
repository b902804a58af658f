import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The modules that bundles were made of. */
export const modules = new Set<string>();

/** Notes the modules of every bundle it sees made. */
export const noted: Plugin = {
  name: "noted-for-the-bill",
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === "chunk") for (const id of part.moduleIds) modules.add(id);
  },
};

/** A package that is bundled: what scanners and lawyers ask of it. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly licenses?: readonly { readonly type: string }[];
}

/** The folders of packages that modules lie in, told by their paths. */
export function packagesOf(paths: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/@.][^/]*)\//.exec(
      path.replace(/^\0/, "").replaceAll("\\", "/"),
    );
    if (found && existsSync(join(found[1]!, "package.json"))) folders.add(found[1]!);
  }
  return [...folders].sort();
}

function bundledIn(folder: string): Bundled {
  const { name, version, license, licenses } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  const said = typeof license === "object" ? license.type : (license ?? licenses?.[0]?.type ?? "");
  if (said === "") throw new Error(`${folder} names no licence`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return { name, version, license: said, text };
}

/** Writes what is bundled into the package: a bill of materials (CycloneDX) for scanners, and the licences for people. */
export function writeBill(folder: string): void {
  const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const bundled = packagesOf(modules).map(bundledIn);
  const unique = [...new Map(bundled.map((one) => [`${one.name}@${one.version}`, one])).values()];
  const purl = (one: Pick<Bundled, "name" | "version">): string =>
    `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`;
  const components = unique.map((one) => ({
    type: "library",
    "bom-ref": purl(one),
    ...{ name: one.name, version: one.version, purl: purl(one) },
    licenses: [
      /^[\w.-]+$/.test(one.license) ? { license: { id: one.license } } : { expression: one.license },
    ],
  }));
  const component = {
    type: "application",
    "bom-ref": purl({ name, version }),
    name,
    version,
    purl: purl({ name, version }),
  };
  const dependencies = [
    { ref: component["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) },
    ...components.map((one) => ({ ref: one["bom-ref"], dependsOn: [] })),
  ];
  const digest = createHash("sha256").update(JSON.stringify(components)).digest("hex");
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const bill = {
    ...{ bomFormat: "CycloneDX", specVersion: "1.5", serialNumber: `urn:uuid:${serial}`, version: 1 },
    ...{ metadata: { component }, components, dependencies },
  };
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
  const parts = unique.map(
    (one) =>
      `${one.name} ${one.version} (${one.license})\n\n${one.text || "The package holds no text of its licence."}\n`,
  );
  writeFileSync(
    join(folder, "THIRD-PARTY-LICENSES.txt"),
    `${name} ${version} is under the licence in LICENSE. It bundles these packages:\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`,
  );
}
