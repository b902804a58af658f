import fc from "fast-check";
import { allowKernels } from "../../src/num/wasm.ts";

// The same cases in every plain run, so that a law and its mutants give the same verdict everywhere; the soak draws anew.
if (!process.env["COLA_SOAK"]) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20261115 });

// COLA_PLAIN=1: the suite without WebAssembly, as on machines that have none.
if (process.env["COLA_PLAIN"]) allowKernels(false);
