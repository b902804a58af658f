/** A queue that gives what costs least first; of equals, what came first. */
export class Queue<T extends { readonly cost: number }> {
  readonly #items: { readonly item: T; readonly turn: number }[] = [];
  #turn = 0;

  get size(): number {
    return this.#items.length;
  }

  get least(): number {
    return this.#items[0]?.item.cost ?? Number.POSITIVE_INFINITY;
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push({ item, turn: this.#turn++ }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0]?.item;
    const last = items.pop();
    if (!last || items.length === 0) return first;
    items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let next = at;
      if (left < items.length && this.#before(left, next)) next = left;
      if (right < items.length && this.#before(right, next)) next = right;
      if (next === at) return first;
      this.#swap(at, next);
      at = next;
    }
  }

  #before(a: number, b: number): boolean {
    const [one, other] = [this.#items[a]!, this.#items[b]!];
    return one.item.cost < other.item.cost || (one.item.cost === other.item.cost && one.turn < other.turn);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    [items[a], items[b]] = [items[b]!, items[a]!];
  }
}
