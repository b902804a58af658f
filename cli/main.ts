import { hashByNode } from "../node/sha256.ts";
import { collectSooner } from "./collect-sooner.ts";
import { optimiseLater } from "./optimise-later.ts";
import { runCli } from "./program.ts";
import { EXIT } from "./run.ts";

/** 128 + SIGPIPE: what a shell tells of any program whose reader has gone. */
const READER_GONE = 141;

// `cola … | head` reads no further: the run ends without a word, as other programs do.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(READER_GONE);
  process.stderr.write(`cola: standard output cannot be written: ${error.message} [FILE_UNWRITABLE]\n`);
  process.exit(EXIT.badInput);
});
// Nobody reads the progress: the result is made all the same.
process.stderr.on("error", () => {});

optimiseLater();
collectSooner();
hashByNode();
process.exitCode = await runCli(process.argv.slice(2));
