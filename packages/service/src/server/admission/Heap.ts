/** A binary heap: finds the first item of an order without comparing all others. Pure. */

/** Items in an order. */
export interface Heap<A> {
  readonly add: (item: A) => void
  /** An item that no other precedes; undefined if the heap is empty. */
  readonly first: () => A | undefined
  /** Removes the first item. */
  readonly removeFirst: () => void
}

/** Makes an empty heap. */
export const make = <A>(isBefore: (one: A, other: A) => boolean): Heap<A> => {
  // The children of the item at index i are at 2i + 1 and 2i + 2.
  const items: Array<A> = []

  /** Moves an item from an index towards the root. */
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

  /** Moves an item from the root towards the leaves. */
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
