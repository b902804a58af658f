import { today } from "../../show/date.ts";
import { checkReasonCodes } from "../../show/reason-codes.ts";
import type { Engine } from "../engine/client.ts";
import { pngOf } from "../result/png.ts";
import { save } from "../result/save.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import { languages } from "../words/said.ts";
import { troubleOf } from "./trouble.ts";

/** What is written of a result: a person's letter and all files. */
export function paperCommands({ get, send }: Store, engine: Engine) {
  const said = (message: Message): void => send({ type: "files", change: { message } });
  return {
    /** Writes the letter for the person looked at anew: in another language, from another sender. */
    letter: async (change: { language?: string; sender?: string } = {}): Promise<void> => {
      const { view, language } = get();
      const position = view.person?.position ?? view.letter?.position;
      if (position === undefined) return;
      const before = view.letter ?? { position, language, sender: "", made: null, trouble: null };
      const letter = { ...before, ...change };
      const about = { language: letter.language, sender: letter.sender };
      send({ type: "letter", letter });
      const { locale } = await languages[letter.language]!.load();
      const options = { position, date: today(), sender: letter.sender, locale, codes: view.codes };
      const told = await engine.call("letter", options).then(
        (made) => ({ made, trouble: null }),
        (error) => ({ made: null, trouble: troubleOf(error).message }),
      );
      const now = get().view.letter;
      if (now && now.language === about.language && now.sender === about.sender)
        send({ type: "letter", letter: { ...letter, ...told } });
    },
    saveLetter: async (): Promise<void> => {
      const { letter } = get().view;
      if (letter?.made) await save(letter.made.file);
    },
    download: async (kind: string): Promise<void> => {
      const { view, language } = get();
      send({ type: "files", change: { busy: kind, message: "" } });
      try {
        const { locale } = await languages[view.files.language ?? language]!.load();
        const asked = kind === "png" ? "svg" : kind;
        const made = await engine.call("files", {
          kind: asked,
          locale,
          reasons: view.codes,
          date: today(),
        });
        const files = kind === "png" ? await Promise.all(made.map(pngOf)) : made;
        for (const file of files) await save(file);
        said({ key: "saved", values: { names: files.map((file) => file.name).join(", ") } });
      } catch (error) {
        said(troubleOf(error).message);
      } finally {
        send({ type: "files", change: { busy: "" } });
      }
    },
    takeCodes: async (file: File): Promise<void> => {
      try {
        const codes = checkReasonCodes(file.name, JSON.parse(await file.text()));
        send({ type: "codes", codes });
        said({ key: "codesTaken", values: { count: String(Object.keys(codes).length), file: file.name } });
      } catch (error) {
        const notJson = { key: "notJson", values: { file: file.name } } as const;
        said(error instanceof SyntaxError ? notJson : troubleOf(error).message);
      }
    },
  };
}
