import type { Cell } from "../../src/types.ts";
import type { Difficulty, LegalValues, PersonPlans, Tried } from "../engine/protocol.ts";
import type { Dependence } from "../engine/told.ts";
import type { Message } from "../words/contract.ts";

/** What a person tries: values other than their own, and what they find easy, hard, or never change. */
interface Play {
  readonly values: Readonly<Record<string, Cell>>;
  readonly difficulty: Difficulty;
}

export const NOTHING: Play = { values: {}, difficulty: {} };

/** The person looked at, what is tried for them, and what was answered. */
export interface PersonView {
  /** Position in the explanation. */
  readonly position: number;
  readonly play: Play;
  /** What was tried before, the last one last. */
  readonly past: readonly Play[];
  /** The feature whose control moves: however often it does, that is one step to undo. */
  readonly moving: string | null;
  readonly legal: readonly LegalValues[] | null;
  /** Plans by the difficulty they were asked under (`keyOf`). */
  readonly answers: Readonly<Record<string, PersonPlans>>;
  /** The model's answer, and the values it is about. */
  readonly tried: { readonly values: Play["values"]; readonly is: Tried } | null;
  /** The feature whose curve is drawn, and the curves known, by what they are of (`curveKey`). */
  readonly curve: string | null;
  readonly curves: Readonly<Record<string, Dependence>>;
  /** Plans side by side, by their keys. */
  readonly pinned: readonly string[];
  readonly kind: "smallest" | "sturdy";
  /** Number of the question asked last. */
  readonly ask: number;
  readonly waiting: boolean;
  readonly tookMs: number | null;
  readonly trouble: Message | null;
}

export type PersonAction =
  | { readonly type: "person"; readonly position: number | null }
  | { readonly type: "try"; readonly feature: string; readonly value: Cell; readonly moving?: boolean }
  | { readonly type: "load"; readonly values: Play["values"] }
  | { readonly type: "difficulty"; readonly feature: string; readonly how: "easy" | "hard" | "never" | null }
  | { readonly type: "undo" }
  | { readonly type: "reset" }
  | { readonly type: "pin"; readonly plan: string }
  | { readonly type: "curve"; readonly feature: string | null }
  | {
      readonly type: "curve known";
      readonly of: number;
      readonly position: number;
      readonly key: string;
      readonly curve: Dependence;
    }
  | { readonly type: "kind"; readonly kind: PersonView["kind"] }
  | { readonly type: "person asked"; readonly of: number; readonly ask: number }
  | {
      readonly type: "person answered";
      readonly of: number;
      readonly ask: number;
      readonly difficulty: Difficulty;
      readonly plans: PersonPlans;
      readonly tookMs: number;
    }
  | { readonly type: "person failed"; readonly of: number; readonly ask: number; readonly trouble: Message }
  /** What is known of a person besides the question of now. */
  | {
      readonly type: "plans known";
      readonly of: number;
      readonly position: number;
      readonly difficulty: Difficulty;
      readonly plans: PersonPlans;
    }
  | {
      readonly type: "legal";
      readonly of: number;
      readonly position: number;
      readonly legal: readonly LegalValues[];
    }
  | {
      readonly type: "tried";
      readonly of: number;
      readonly position: number;
      readonly values: Play["values"];
      readonly is: Tried;
    };

/** What a difficulty is called: the same for the same, in whatever order it was said. */
export function keyOf(difficulty: Difficulty): string {
  return JSON.stringify(Object.entries(difficulty).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a curve is of: a feature, and what is tried of all others. */
export function curveKey(feature: string, { [feature]: _, ...others }: Play["values"]): string {
  return JSON.stringify([feature, Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function personAt(position: number): PersonView {
  return {
    position,
    play: NOTHING,
    past: [],
    moving: null,
    legal: null,
    answers: {},
    tried: null,
    curve: null,
    curves: {},
    pinned: [],
    kind: "smallest",
    ask: 0,
    waiting: false,
    tookMs: null,
    trouble: null,
  };
}

/** Only what is about the person looked at, and of questions the newest, is heard. */
export function reducePerson(person: PersonView | null, action: PersonAction): PersonView | null {
  if (action.type === "person") {
    if (action.position === null) return null;
    return action.position === person?.position ? person : personAt(action.position);
  }
  if (!person) return null;
  switch (action.type) {
    case "try":
      return tryValue(person, action);
    case "load":
      return stepped(person, { ...person.play, values: action.values });
    case "difficulty": {
      const { [action.feature]: _, ...others } = person.play.difficulty;
      const difficulty = action.how === null ? others : { ...others, [action.feature]: action.how };
      return stepped(person, { ...person.play, difficulty });
    }
    case "undo": {
      const play = person.past.at(-1);
      return play ? { ...person, play, past: person.past.slice(0, -1), moving: null } : person;
    }
    case "reset":
      return stepped(person, NOTHING);
    case "pin": {
      const others = person.pinned.filter((key) => key !== action.plan);
      return { ...person, pinned: others.length < person.pinned.length ? others : [...others, action.plan] };
    }
    case "curve":
      return { ...person, curve: action.feature };
    case "curve known":
      return action.position === person.position
        ? { ...person, curves: { ...person.curves, [action.key]: action.curve } }
        : person;
    case "kind":
      return { ...person, kind: action.kind };
    case "plans known":
      return action.position === person.position ? withPlans(person, action) : person;
    case "legal":
      return action.position === person.position ? { ...person, legal: action.legal } : person;
    case "tried":
      return action.position === person.position
        ? { ...person, tried: { values: action.values, is: action.is } }
        : person;
    case "person asked":
      return { ...person, ask: action.ask, waiting: true };
  }
  if (action.ask !== person.ask || !person.waiting) return person;
  if (action.type === "person failed") return { ...person, waiting: false, trouble: action.trouble };
  return { ...withPlans(person, action), waiting: false, trouble: null, tookMs: action.tookMs };
}

function withPlans(
  person: PersonView,
  { difficulty, plans }: { readonly difficulty: Difficulty; readonly plans: PersonPlans },
): PersonView {
  return { ...person, answers: { ...person.answers, [keyOf(difficulty)]: plans } };
}

/** One step further, which can be undone; a step that changes nothing does not count. */
function stepped(person: PersonView, play: Play): PersonView {
  if (JSON.stringify(play) === JSON.stringify(person.play)) return { ...person, moving: null };
  return { ...person, play, past: [...person.past, person.play], moving: null };
}

function tryValue(person: PersonView, action: Extract<PersonAction, { type: "try" }>): PersonView {
  const { feature, value, moving = false } = action;
  const play = { ...person.play, values: { ...person.play.values, [feature]: value } };
  const now = moving ? feature : null;
  if (person.moving === feature) return { ...person, play, moving: now };
  return { ...stepped(person, play), moving: now };
}
