export { average } from "./average.ts";
export { type Chosen, mostLikely } from "./most-likely.ts";
export { snap } from "./snap.ts";
