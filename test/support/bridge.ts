import { PassThrough } from "node:stream";
import { type Frame, frameBytes, framesOf } from "../../cli/bridge/frames.ts";
import { serveBridge } from "../../cli/bridge/session.ts";
import { readArrowNumbers, writeArrowNumbers } from "../../formats/arrow.ts";
import type { Matrix } from "../../src/types.ts";

/** A caller with an engine of its own; `scores` answers the questions of the engine. */
export function bridge(scores: (rows: Matrix) => Matrix | string | undefined = () => undefined) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveBridge(input, output).then(
    () => undefined,
    (error: unknown) => error,
  );
  const waiting = new Map<unknown, (frame: Frame) => void>();
  const heard: Frame[] = [];
  const answer = ({ question, parts = {} }: Frame): void => {
    const made = scores(readArrowNumbers(parts["rows"]!));
    if (made === undefined) return;
    const told =
      typeof made === "string"
        ? { error: made }
        : { parts: { scores: writeArrowNumbers(names(made), made) } };
    input.write(frameBytes({ type: "answer", question, ...told }));
  };
  void (async () => {
    for await (const frame of framesOf(output)) {
      heard.push(frame);
      if (frame.type === "question") answer(frame);
      if (frame.type === "result" || frame.type === "error") waiting.get(frame["id"])?.(frame);
    }
  })();
  let last = 0;
  return {
    input,
    heard,
    ended,
    ask(type: string, told: Omit<Frame, "type"> = {}): Promise<Frame> {
      const id = ++last;
      const answered = new Promise<Frame>((resolve) => waiting.set(id, resolve));
      input.write(frameBytes({ type, id, ...told }));
      return answered;
    },
    cancel: (id: number) => input.write(frameBytes({ type: "cancel", id })),
  };
}

const names = ({ cols }: Matrix): string[] => Array.from({ length: cols }, (_, k) => `o${k}`);
