import address from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";

/** The runtime's code, from beside the page. */
export async function runtimeBytes(): Promise<ArrayBuffer> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The ONNX runtime could not be loaded (${answer.status}).`);
  return answer.arrayBuffer();
}
