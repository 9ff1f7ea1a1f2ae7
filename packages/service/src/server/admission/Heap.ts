/** Items of which the first in an order is found without looking at the others: a binary heap. Pure. */

/** Items in an order. */
export interface Heap<A> {
  readonly add: (item: A) => void
  /** An item that no other one comes before; undefined without any. */
  readonly first: () => A | undefined
  /** Removes the first item. */
  readonly removeFirst: () => void
}

/** Makes an empty heap. */
export const make = <A>(isBefore: (one: A, other: A) => boolean): Heap<A> => {
  // The children of the item at an index are at twice the index and 1, and 2, more.
  const items: Array<A> = []

  /** Moves an item from a place towards the beginning. */
  const rise = (item: A, from: number) => {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  /** Moves an item from the beginning towards the end. */
  const sink = (item: A) => {
    let at = 0
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child++
      if (!isBefore(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }

  return {
    add: (item) => rise(item, items.length),
    first: () => items[0],
    removeFirst: () => {
      const last = items.pop()
      if (last !== undefined && items.length > 0) sink(last)
    },
  }
}
