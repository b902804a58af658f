import { packedRuntime } from "virtual:onnx-runtime";

/** The runtime's code, from inside the page. */
export async function runtimeBytes(): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(packedRuntime), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
