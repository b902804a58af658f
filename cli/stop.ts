/** Ends when a first SIGINT or SIGTERM was heard and `stop` has ended; a second one ends the process at once. */
export function untilStopped(stop: () => Promise<void>): Promise<void> {
  // Without a socket, as while the database is away, nothing else would keep the process.
  const alive = setInterval(() => {}, 2 ** 30);
  return new Promise<void>((done, fail) => {
    let stopping = false;
    const heard = (): void => {
      if (stopping) process.exit(130);
      stopping = true;
      stop()
        .finally(() => clearInterval(alive))
        .then(done, fail);
    };
    process.on("SIGINT", heard);
    process.on("SIGTERM", heard);
  });
}
