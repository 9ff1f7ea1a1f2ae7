/**
 * What a transaction changed in the state of the chain, from the result of a node's `prestateTracer` in diff mode. Pure.
 *
 * Source: geth built-in tracers.
 */

/** A value before and after; `null` for none. */
export interface Change {
  readonly address: string
  /** The key of a storage slot; only for `storage`. */
  readonly slot: string | null
  readonly kind: "balance" | "nonce" | "code" | "storage"
  readonly before: string | null
  readonly after: string | null
}

/** Changes, and whether there are more. */
export interface StateDiff {
  readonly changes: ReadonlyArray<Change>
  readonly isCut: boolean
}

/** Maximum number of changes shown. */
const maxChanges = 2_000

const zeroWord = `0x${"0".repeat(64)}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectAt = (value: unknown, name: string): Readonly<Record<string, unknown>> => {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

const textOf = (value: unknown): string | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? String(value)
    : typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)
      ? value.toLowerCase()
      : null

/** Quantities as decimal digits; bytes unchanged. */
const valueOf = (kind: Change["kind"], value: unknown): string | null => {
  const text = textOf(value)
  if (kind === "code") return text === "0x" ? null : text
  return text === null || text === "0x" ? null : BigInt(text).toString()
}

const fields = ["balance", "nonce", "code"] as const

interface Sides {
  readonly address: string
  readonly pre: Readonly<Record<string, unknown>>
  readonly post: Readonly<Record<string, unknown>>
  readonly isCreated: boolean
  readonly isDeleted: boolean
}

const fieldChanges = ({ address, isCreated, isDeleted, post, pre }: Sides): ReadonlyArray<Change> =>
  fields.flatMap((kind): ReadonlyArray<Change> => {
    // If the account still exists, unchanged fields have no value in the post-state.
    if (!isDeleted && post[kind] === undefined) return []
    const before = isCreated ? null : valueOf(kind, pre[kind])
    const after = isDeleted ? null : valueOf(kind, post[kind])
    return before === after ? [] : [{ address, slot: null, kind, before, after }]
  })

const slotChanges = ({ address, post, pre }: Sides): ReadonlyArray<Change> => {
  const [from, to] = [objectAt(pre, "storage"), objectAt(post, "storage")]
  const slots = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((slot) =>
    /^0x[0-9a-f]{1,64}$/i.test(slot),
  )
  return slots.toSorted().flatMap((slot): ReadonlyArray<Change> => {
    // A zero slot is omitted from its side.
    const [before, after] = [textOf(from[slot]) ?? zeroWord, textOf(to[slot]) ?? zeroWord]
    return before === after ? [] : [{ address, slot, kind: "storage", before, after }]
  })
}

/** Reads the result of the tracer; undefined if it has a different form. */
export const fromTrace = (result: unknown): StateDiff | undefined => {
  if (!isObject(result) || !isObject(result["pre"]) || !isObject(result["post"])) return undefined
  const [pre, post] = [result["pre"], result["post"]]
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])]
  const changes: Array<Change> = []
  for (const given of addresses.filter((one) => /^0x[0-9a-f]{40}$/i.test(one))) {
    const sides: Sides = {
      address: given.toLowerCase(),
      pre: objectAt(pre, given),
      post: objectAt(post, given),
      isCreated: pre[given] === undefined,
      isDeleted: post[given] === undefined,
    }
    for (const change of [...fieldChanges(sides), ...slotChanges(sides)]) {
      if (changes.length === maxChanges) return { changes, isCut: true }
      changes.push(change)
    }
  }
  return { changes, isCut: false }
}
