import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Readonly<Record<string, string | { readonly default: string }>>;
};
/** The names each subpath has given so far, types included. A name may be added here, never taken out. */
const given = JSON.parse(readFileSync("test/package/exports.json", "utf8")) as Record<string, string[]>;

/** The names a module exports, by itself or from another. */
function namesOf(path: string, text = readFileSync(path, "utf8")): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const listed = [...code.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) =>
    names!
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(" as ")
          .at(-1)!
          .trim(),
      )
      .filter((name) => name !== ""),
  );
  const declared = [
    ...code.matchAll(/export (?:async )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/g),
  ].map(([, name]) => name!);
  const all = [...code.matchAll(/export \* from "([^"]+)"/g)].flatMap(([, from]) =>
    namesOf(join(dirname(path), from!)),
  );
  return [...listed, ...declared, ...all];
}

test("what a module exports is read from it", () => {
  const text =
    'export { a, type B, c as d } from "./x.ts";\nexport type { E } from "./y.ts";\nexport const f = 1;';
  expect(namesOf("m.ts", text)).toEqual(["a", "B", "d", "E", "f"]);
});

test.each(Object.keys(given))("the subpath %s still gives every name it gave", async (subpath) => {
  const entry = exports[subpath];
  const source = typeof entry === "object" ? entry.default : "";
  const path = source.replace("./dist/", "").replace(/\.js$/, ".ts");
  expect(existsSync(path)).toBe(true);
  expect(given[subpath]!.filter((name) => !namesOf(path).includes(name))).toEqual([]);
});
