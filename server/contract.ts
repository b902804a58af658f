/** A request that needs no socket. */
export interface InjectedRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer is sent as it is, any other object as JSON. */
  readonly payload?: string | object;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: string;
  json<T = unknown>(): T;
}

/** What callers see of the server. What it is made of stays inside, so that its types ask for no other package. */
export interface App {
  /** Asks without a socket; a text is an address to get. */
  inject(ask: string | InjectedRequest): Promise<Answer>;
  /** Opens a socket; the address in words. `listen` does so with the backlog the server is made for. */
  listen(options: {
    readonly host: string;
    readonly port: number;
    readonly backlog?: number;
  }): Promise<string>;
  /** Stops listening, gives running jobs back and closes the store. */
  close(): Promise<void>;
}
