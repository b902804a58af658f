import { offers as offered } from "../study/offers.ts";

/** What can be chosen. A build puts the values here, so that the page need not load what they name. */
export const offers = offered();
