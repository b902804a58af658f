import type { MadeFile } from "../engine/protocol.ts";

const SCALE = 2;

/** An SVG file drawn as PNG by the browser, at twice its size. */
export async function pngOf({ name, bytes }: MadeFile): Promise<MadeFile> {
  const address = URL.createObjectURL(
    new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "image/svg+xml" }),
  );
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SCALE * image.width;
    canvas.height = SCALE * image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error(`${name} could not be drawn.`);
    return {
      name: name.replace(/svg$/, "png"),
      type: "image/png",
      bytes: new Uint8Array(await blob.arrayBuffer()),
    };
  } finally {
    URL.revokeObjectURL(address);
  }
}
