/** One place in this browser for the work of one person; where a browser keeps nothing, nothing is kept. */
const [NAME, STORE] = ["cola-studio", "session"];

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function during<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await opened();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

type Key = "set-up" | "files" | "result";

export const sessionStore = {
  async get<T>(key: Key): Promise<T | undefined> {
    return during<T | undefined>("readonly", (store) => store.get(key)).catch(() => undefined);
  },
  async put(key: Key, value: unknown): Promise<void> {
    await during("readwrite", (store) => store.put(value, key)).catch(() => {});
  },
  async clear(): Promise<void> {
    await during("readwrite", (store) => store.clear()).catch(() => {});
  },
};
