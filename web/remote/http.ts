import type { Message } from "../words/contract.ts";

/** A refusal of the server in words, with its code. */
export class RemoteError extends Error {
  readonly code: string;
  readonly said: Message;
  readonly status: number;
  /** Seconds after which asking again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: string, message: Message, status: number, retryAfter?: number) {
    super(typeof message === "string" ? message : message.key);
    this.code = code;
    this.said = message;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The server cannot be reached at all. */
export const LOST = "SERVER_LOST";

const KEY = "cola-api-key";

/** The API key lives as long as the tab, and never in an address. */
export const apiKey = {
  get: (): string => sessionStorage.getItem(KEY) ?? "",
  set: (key: string): void => sessionStorage.setItem(KEY, key),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** One request; every refusal and every broken connection is a RemoteError. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = apiKey.get();
  if (key) headers.set("authorization", `Bearer ${key}`);
  let answer: Response;
  try {
    answer = await fetch(path, { cache: "no-store", ...init, headers });
  } catch (cause) {
    if (init.signal?.aborted) throw new RemoteError("ABORTED", { key: "cancelled" }, 0);
    throw new RemoteError(LOST, { key: "serverSilent", values: { cause: String(cause) } }, 0);
  }
  if (answer.ok) return answer;
  throw await refusalOf(answer);
}

export async function askJson<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await ask(path, init)).json()) as T;
}

async function refusalOf(answer: Response): Promise<RemoteError> {
  const wait = Number(answer.headers.get("retry-after") ?? Number.NaN);
  const problem = (await answer.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    title?: string;
  };
  const silent: Message = { key: "serverAnswered", values: { status: String(answer.status) } };
  return new RemoteError(
    problem.code ?? `HTTP_${answer.status}`,
    problem.detail || problem.title || silent,
    answer.status,
    Number.isFinite(wait) ? wait : undefined,
  );
}

/** Pauses, or ends early with the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
