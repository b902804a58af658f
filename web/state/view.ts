import type { ReasonCodes } from "../../show/reasons.ts";
import type { CheckedExplanation } from "../../study/check.ts";
import type { Calls, Compared, Spent } from "../engine/protocol.ts";
import type { PaperInfo } from "../engine/told.ts";
import type { Message } from "../words/contract.ts";
import type { Condition } from "./cohort.ts";
import { type PersonAction, type PersonView, reducePerson } from "./play.ts";
import { put } from "./put.ts";

/** What a person looks at and asks in the parts of a result. It lives as long as the result. */
export interface View {
  /** Number of the result; answers about another one are dropped. */
  readonly of: number;
  readonly tab: string;
  readonly codes: ReasonCodes;
  readonly people: PeopleView;
  /** Whom every part is about; none: everybody. */
  readonly conditions: readonly Condition[];
  readonly person: PersonView | null;
  readonly budget: BudgetView;
  /** Feature whose levels the burden is counted by; null: the first that has levels. */
  readonly by: number | null;
  readonly compare: CompareView;
  readonly files: FilesView;
  readonly letter: LetterView | null;
  /** What matched when the run was opened, and which letters and reports it gives; null: it was not checked. */
  readonly checked: CheckedExplanation | null;
  readonly papers: readonly PaperInfo[];
  /** How far tables are scrolled, in pixels. */
  readonly scrolled: Readonly<Record<string, number>>;
}

export interface PeopleView {
  readonly find: string;
  readonly show: "all" | "good" | "bad";
  readonly order: "table" | "few" | "many" | "gain";
  /** All values rather than only those that change. */
  readonly all: boolean;
}

interface BudgetView {
  /** null: as many edits as the plans of the result. */
  readonly edits: number | null;
  readonly order: readonly Spent[] | null;
  readonly scores: Calls["scores"][1] | null;
  readonly trouble: Message | null;
}

export type Outcome = Compared | { readonly id: string; readonly trouble: Message };

interface CompareView {
  readonly wanted: readonly string[];
  readonly done: readonly Outcome[];
  /** Number of the comparison under way and the method it is at. */
  readonly busy: { readonly ask: number; readonly method: string } | null;
}

interface FilesView {
  /** Kind of the file that is being written. */
  readonly busy: string;
  readonly message: Message;
  /** null: the language of the page. */
  readonly language: string | null;
}

/** The letter that is looked at. */
export interface LetterView {
  readonly position: number;
  readonly language: string;
  readonly sender: string;
  readonly made: Calls["letter"][1] | null;
  /** Why there is none. */
  readonly trouble: Message | null;
}

export type ViewAction =
  | { readonly type: "tab"; readonly tab: string }
  | { readonly type: "codes"; readonly codes: ReasonCodes }
  | { readonly type: "people"; readonly change: Partial<PeopleView> }
  | { readonly type: "cohort"; readonly conditions: readonly Condition[] }
  | PersonAction
  | { readonly type: "letter"; readonly letter: LetterView | null }
  | { readonly type: "checked"; readonly of: number; readonly checked: CheckedExplanation }
  | { readonly type: "paper checked"; readonly of: number; readonly paper: PaperInfo }
  | { readonly type: "budget"; readonly edits: number }
  | { readonly type: "order answered"; readonly of: number; readonly order: readonly Spent[] }
  | { readonly type: "order failed"; readonly of: number; readonly trouble: Message }
  | {
      readonly type: "scores answered";
      readonly of: number;
      readonly edits: number;
      readonly scores: Calls["scores"][1];
    }
  | { readonly type: "by"; readonly feature: number }
  | { readonly type: "want"; readonly method: string; readonly wanted: boolean }
  | { readonly type: "compare"; readonly ask: number }
  | { readonly type: "comparing"; readonly of: number; readonly ask: number; readonly method: string }
  | { readonly type: "compared"; readonly of: number; readonly ask: number; readonly outcome: Outcome }
  | { readonly type: "compare ended"; readonly of: number; readonly ask: number }
  | { readonly type: "files"; readonly change: Partial<FilesView> }
  | { readonly type: "scrolled"; readonly of: number; readonly id: string; readonly top: number };

/** Methods that are compared unless others are wanted. */
const FIRST = ["minimal", "transport-greedy", "transport-sample", "random-sample"];

export function viewOf(of: number): View {
  return {
    of,
    tab: "people",
    codes: {},
    people: { find: "", show: "all", order: "table", all: false },
    conditions: [],
    person: null,
    budget: { edits: null, order: null, scores: null, trouble: null },
    by: null,
    compare: { wanted: FIRST, done: [], busy: null },
    files: { busy: "", message: "", language: null },
    letter: null,
    checked: null,
    papers: [],
    scrolled: {},
  };
}

/** Answers about another result than the one looked at change nothing. */
export function reduceView(view: View, action: ViewAction): View {
  if ("of" in action && action.of !== view.of) return view;
  switch (action.type) {
    case "tab":
      return { ...view, tab: action.tab };
    case "codes":
      return { ...view, codes: action.codes };
    case "people":
      return { ...view, people: { ...view.people, ...action.change } };
    case "cohort":
      return {
        ...view,
        conditions: action.conditions,
        budget: { ...view.budget, edits: null, scores: null },
      };
    case "letter":
      return { ...view, letter: action.letter };
    case "checked":
      return { ...view, checked: action.checked };
    case "paper checked": {
      const others = view.papers.filter(({ name }) => name !== action.paper.name);
      return { ...view, papers: [...others, action.paper] };
    }
    case "by":
      return { ...view, by: action.feature };
    case "files":
      return { ...view, files: { ...view.files, ...action.change } };
    case "scrolled":
      return { ...view, scrolled: { ...view.scrolled, [action.id]: action.top } };
    case "person":
    case "try":
    case "load":
    case "difficulty":
    case "undo":
    case "reset":
    case "pin":
    case "kind":
    case "curve":
    case "curve known":
    case "plans known":
    case "legal":
    case "tried":
    case "person asked":
    case "person answered":
    case "person failed":
      return put(view, "person", reducePerson(view.person, action));
    case "budget":
    case "order answered":
    case "order failed":
    case "scores answered":
      return put(view, "budget", reduceBudget(view.budget, action));
    default:
      return put(view, "compare", reduceCompare(view.compare, action));
  }
}

type BudgetAction = Extract<
  ViewAction,
  { type: "budget" | "order answered" | "order failed" | "scores answered" }
>;

/** Scores of a budget that was left meanwhile are dropped. */
function reduceBudget(budget: BudgetView, action: BudgetAction): BudgetView {
  switch (action.type) {
    case "budget":
      return { ...budget, edits: action.edits };
    case "order answered":
      return { ...budget, order: action.order, trouble: null };
    case "order failed":
      return { ...budget, trouble: action.trouble };
    case "scores answered":
      return budget.edits === null || budget.edits === action.edits
        ? { ...budget, scores: action.scores }
        : budget;
  }
}

type CompareAction = Extract<
  ViewAction,
  { type: "want" | "compare" | "comparing" | "compared" | "compare ended" }
>;

/** One comparison at a time; what a stopped one still says is dropped. */
function reduceCompare(compare: CompareView, action: CompareAction): CompareView {
  if (action.type === "want") {
    const others = compare.wanted.filter((id) => id !== action.method);
    return { ...compare, wanted: action.wanted ? [...others, action.method] : others };
  }
  if (action.type === "compare") {
    if (compare.busy || compare.wanted.length === 0) return compare;
    return { ...compare, done: [], busy: { ask: action.ask, method: "" } };
  }
  if (action.ask !== compare.busy?.ask) return compare;
  if (action.type === "compare ended") return { ...compare, busy: null };
  if (action.type === "comparing") return { ...compare, busy: { ask: action.ask, method: action.method } };
  return { ...compare, done: [...compare.done, action.outcome] };
}
