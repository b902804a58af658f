import { describe, expect, test } from "vitest";
import { loadTrees } from "../../../src/model/trees/model.ts";
import { fitForest } from "../../../src/train/forest.ts";
import { sampleClasses } from "../../support/classes.ts";

interface SavedShape {
  roots: number[];
  feature: number[];
  threshold: number[];
  left: number[];
  missingLeft: number[];
}
interface SavedTrees {
  type: string;
  version: number;
  name: string;
  outputs: unknown[];
  cols: number;
  link: string;
  shapes: SavedShape[];
  forests: { shape: number; base: number; value: unknown[] }[];
}

describe("a file that lies", () => {
  const { x, y } = sampleClasses(30, 3, 2, 1);
  const saved = JSON.stringify(fitForest(x, y, { trees: 3 }, 1));
  const damage: readonly [string, (file: SavedTrees) => unknown][] = [
    ["another type", (f) => Object.assign(f, { type: "forest" })],
    ["another version", (f) => Object.assign(f, { version: 99 })],
    ["an unknown name", (f) => Object.assign(f, { name: "oracle" })],
    ["an unknown link", (f) => Object.assign(f, { link: "cauchit" })],
    ["no columns", (f) => Object.assign(f, { cols: 0 })],
    ["outputs that are not texts", (f) => Object.assign(f, { outputs: [1, 2] })],
    ["more outputs than forests", (f) => f.outputs.push("third")],
    ["a shape that is not there", (f) => Object.assign(f.forests[0]!, { shape: 1 })],
    ["a column beyond the last", (f) => f.shapes[0]!.feature.splice(0, 1, 3)],
    ["a child before its parent", (f) => f.shapes[0]!.left.splice(1, 1, 0)],
    ["a child of two parents", (f) => f.shapes[0]!.left.splice(1, 1, f.shapes[0]!.left[0]!)],
    ["a child beyond the last node", (f) => f.shapes[0]!.left.splice(0, 1, 1e9)],
    ["a root beyond the last node", (f) => f.shapes[0]!.roots.splice(0, 1, 1e9)],
    ["a root too many", (f) => f.shapes[0]!.roots.push(1)],
    ["a root too few", (f) => f.shapes[0]!.roots.pop()],
    ["a threshold too few", (f) => f.shapes[0]!.threshold.pop()],
    ["a value too many", (f) => f.forests[0]!.value.push(0)],
    ["a value that is a text", (f) => f.forests[0]!.value.splice(0, 1, "1")],
    ["a base that is missing", (f) => Reflect.deleteProperty(f.forests[0]!, "base")],
    ["no forests", (f) => Object.assign(f, { forests: [] })],
  ];
  test.each(damage)("%s is MODEL_FILE_INVALID", (_, harm) => {
    const file = JSON.parse(saved) as SavedTrees;
    expect(() => loadTrees(file)).not.toThrow();
    harm(file);
    expect(() => loadTrees(file)).toThrowError(
      expect.objectContaining({ code: "MODEL_FILE_INVALID" }) as Error,
    );
  });

  test.each([null, 3, "trees", [], { type: "trees" }])("%j is MODEL_FILE_INVALID", (file) => {
    expect(() => loadTrees(file)).toThrowError(
      expect.objectContaining({ code: "MODEL_FILE_INVALID" }) as Error,
    );
  });
});
