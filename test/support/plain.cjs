// What COLA_PLAIN=1 puts before everything else in processes and threads: a machine without WebAssembly.
Reflect.deleteProperty(globalThis, "WebAssembly");
