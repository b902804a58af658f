/** A kernel in WebAssembly, with a memory of its own that is filled once and from the bottom up. */
export interface Kernel<Exports> {
  readonly run: Exports;
  /** Address of so many bytes, a multiple of 16. Views of `buffer` made before are void if the memory grew. */
  take(bytes: number): number;
  readonly buffer: ArrayBuffer;
}

const PAGE = 65536;
/** The most bytes one kernel takes; a caller that needs more does without the kernel. */
const MOST = 2 ** 31;

const modules = new Map<string, WebAssembly.Module | undefined>();
let used = true;

/** Whether kernels are used at all: the plain twins give the same bits. */
export function allowKernels(use: boolean): void {
  used = use;
}

/** A new instance of a kernel; undefined where there is no WebAssembly with SIMD or it would take too much memory. */
export function startKernel<Exports>(code: string, bytes: number): Kernel<Exports> | undefined {
  if (!used || bytes > MOST) return undefined;
  if (!modules.has(code)) modules.set(code, compiled(code));
  const module = modules.get(code);
  if (!module) return undefined;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) + 1 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // Address 0 is left alone: the compiler keeps its own few bytes there.
  let next = 1024;
  return {
    run: exports as Exports,
    take(size) {
      const at = next;
      next = (next + size + 15) & ~15;
      const missing = next - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return at;
    },
    get buffer() {
      return memory.buffer;
    },
  };
}

function compiled(code: string): WebAssembly.Module | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(code), (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined; // no SIMD, or a page that may not compile
  }
}
