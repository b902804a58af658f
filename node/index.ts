export type { OnnxModel } from "../src/read/onnx-model.ts";
export { type CommandModel, type CommandModelOptions, commandModel } from "./model/command.ts";
export { type ReadModelOptions, readModelFile } from "./model/file.ts";
export { type HttpModelOptions, httpModel } from "./model/http.ts";
export type { HttpProtocol } from "./model/http-protocols.ts";
export { type ReadOnnxOptions, readOnnx } from "./model/onnx.ts";
export { explainOnThreads } from "./parallel.ts";
