import { writeFileSync } from "node:fs";
import { cliPage } from "./cli-page.ts";
import { errorsPage } from "./errors-page.ts";

writeFileSync("docs/ERRORS.md", errorsPage());
writeFileSync("docs/CLI.md", cliPage());
