/**
 * A binary min-heap of (key, item) pairs; of equal keys the smaller item comes first, so that the order
 * does not depend on the history of the heap. An item may be in it more than once.
 */
export class Heap {
  private keys: Float64Array;
  private items: Int32Array;
  private count = 0;

  constructor(capacity = 64) {
    this.keys = new Float64Array(capacity);
    this.items = new Int32Array(capacity);
  }

  get size(): number {
    return this.count;
  }

  /** Smallest key; Infinity when empty. */
  get key(): number {
    return this.count === 0 ? Number.POSITIVE_INFINITY : this.keys[0]!;
  }

  clear(): void {
    this.count = 0;
  }

  push(key: number, item: number): void {
    if (this.count === this.keys.length) this.grow();
    const { keys, items } = this;
    let at = this.count++;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (keys[up]! < key || (keys[up] === key && items[up]! <= item)) break;
      keys[at] = keys[up]!;
      items[at] = items[up]!;
      at = up;
    }
    keys[at] = key;
    items[at] = item;
  }

  /** Removes the smallest pair and returns its item; −1 when empty. */
  pop(): number {
    if (this.count === 0) return -1;
    const { keys, items } = this;
    const first = items[0]!;
    const last = --this.count;
    const key = keys[last]!;
    const item = items[last]!;
    let at = 0;
    for (let down = 1; down < last; down = 2 * at + 1) {
      if (down + 1 < last && before(keys, items, down + 1, down)) down++;
      if (!before(keys, items, down, last)) break;
      keys[at] = keys[down]!;
      items[at] = items[down]!;
      at = down;
    }
    keys[at] = key;
    items[at] = item;
    return first;
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    const items = new Int32Array(keys.length);
    keys.set(this.keys);
    items.set(this.items);
    this.keys = keys;
    this.items = items;
  }
}

function before(keys: Float64Array, items: Int32Array, a: number, b: number): boolean {
  return keys[a]! < keys[b]! || (keys[a] === keys[b] && items[a]! < items[b]!);
}
