import fc from "fast-check";

// The same cases in every plain run, so that a law and its mutants give the same verdict everywhere; the soak draws anew.
if (!process.env["COLA_SOAK"]) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20261115 });
