import { readModelSource } from "../../study/model.ts";
import { readOwn } from "../../study/own.ts";
import type { ModelFileSource, Own } from "../../study/parts.ts";
import { readFile } from "./data.ts";
import type { GivenFile } from "./protocol.ts";

/** A model file; the runtime of ONNX graphs is fetched when the first one is met. */
export function openModelFile({ name, bytes }: GivenFile): Promise<ModelFileSource> {
  const runtime = async () => (await import("./onnx.ts")).openRuntime();
  return readModelSource(name, bytes, { runtime });
}

/** Counterfactuals somebody brought. */
export function openOwn(file: GivenFile): Promise<Own> {
  return readOwn(
    file.name,
    () => file.bytes,
    () => readFile(file),
  );
}
