import type { NoteCode } from "../../src/data/notes.ts";
import type { CardWords } from "./en-card.ts";
import type { Papers } from "./en-papers.ts";
import type { Words } from "./en-words.ts";

/**
 * One language: the templates of every sentence in text, report and figures, and how numbers are written. Data
 * only, so that a report can carry it. `{name}` is replaced by a value, `{name|one|other}` by the first text where
 * the value is 1 and by the second where it is not.
 */
export interface Locale {
  /** Language and version of the wording; kept with every text made from it. */
  readonly id: string;
  /** Language tag of a page in this wording (BCP 47). */
  readonly lang: string;
  /** Decimal sign, what separates thousands in numbers of five digits and more, and what separates numbers. */
  readonly numbers: { readonly decimal: string; readonly group: string; readonly list: string };
  readonly raise: string;
  readonly lower: string;
  readonly change: string;
  readonly state: string;
  readonly clear: string;
  readonly missing: string;
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly infeasible: string;
  readonly optimalReferences: string;
  readonly optimalReference: string;
  readonly optimalProposal: string;
  readonly optimalModel: string;
  readonly leastModel: string;
  readonly slightestModel: string;
  readonly optimalNear: string;
  readonly leastNear: string;
  readonly cheapestNear: string;
  readonly slightestNear: string;
  readonly atLeastNear: string;
  readonly noneNear: string;
  readonly optimalGrid: string;
  readonly leastGrid: string;
  readonly cheapestGrid: string;
  readonly slightestGrid: string;
  readonly atLeastGrid: string;
  readonly noneGrid: string;
  readonly proofDomain: string;
  readonly proofDomains: string;
  readonly cheapestReferences: string;
  readonly cheapestReference: string;
  readonly cheapestProposal: string;
  readonly cheapestModel: string;
  readonly atLeastReferences: string;
  readonly atLeastReference: string;
  readonly atLeastProposal: string;
  readonly atLeastModel: string;
  readonly noneReferences: string;
  readonly noneReference: string;
  readonly noneProposal: string;
  readonly noneModel: string;
  readonly goalClass: string;
  readonly goalNot: string;
  readonly goalContest: string;
  readonly goalRange: string;
  readonly goalMargin: string;
  readonly goalGroup: string;
  readonly reason: string;
  readonly reasonAgainst: string;
  readonly reasonTypical: string;
  /** What is told of the data, the model and the goal, by code. */
  readonly notes: Readonly<Record<NoteCode, string>>;
  /** Words of terminal text, figures and report. */
  readonly words: Words;
  /** Words of the papers people sign or take home. */
  readonly papers: Papers;
  /** Words of the method card. */
  readonly card: CardWords;
  /** What the library says of a row, as English templates, and how that is said here; the rest stays English. */
  readonly messages: Readonly<Record<string, string>>;
  /** The embedded data set, where this language calls it otherwise. */
  readonly loans?: DataWords;
  /** Labels and levels of the data shown, where they are that data set (`toldIn`). */
  readonly dataWords?: Readonly<Record<string, string>>;
}

/** What a data set calls its columns, their units, and levels and classes, in another language. */
export interface DataWords {
  readonly labels: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, string>>;
  readonly levels: Readonly<Record<string, string>>;
}
