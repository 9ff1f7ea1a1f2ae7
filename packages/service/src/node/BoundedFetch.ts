/**
 * A `fetch` that bounds what a node returns while it arrives: the responses to calls of a tracer by `TraceFilter`, every response by
 * its depth and its number of values, so that none of them exhausts memory where it is parsed.
 *
 * Source: decision 0036.
 */
import { BodyTooLarge, type Fetch, type Response } from "@daybook/transport/Fetch"
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"
import * as TraceFilter from "./TraceFilter.ts"

/** Responses up to this size pass as they are: they are within every bound. */
const smallBytes = 1024 * 1024
/** Bytes of a filtered response: beyond it the transactions of a block are traced one by one. */
const maxTraceBytes = 24 * 1024 * 1024
/** Levels of nesting: a trace of 1,024 calls has about 2,100. */
export const maxDepth = 2_500
/** Values of a response: 64 MiB of receipts have about 1.5 million. */
export const maxValues = 3_000_000
/** Bytes after which other fibers get a turn: some milliseconds. */
const sliceBytes = 512 * 1024

type Reader = NonNullable<Response["body"]> extends { readonly getReader: () => infer R } ? R : never

/** What a response passes through. */
interface Stage {
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Uint8Array>
}

const traceCalls = /"method":"(trace_|debug_trace)/

const tooLarge = (bytes: number) => new BodyTooLarge(bytes)

const traceStage = (limits: TraceFilter.Limits): Stage => {
  const filter = TraceFilter.make(limits)
  let passed = 0
  return {
    push: (chunk) => {
      const parts = TraceFilter.push(filter, chunk)
      for (const part of parts) passed += part.length
      if (passed + TraceFilter.heldBytes(filter) > maxTraceBytes) throw tooLarge(maxTraceBytes)
      return parts
    },
  }
}

/** True for JSON text that must not be parsed. */
export const isExcessive = ({ deepest, values }: Pick<JsonScanner.JsonScanner, "deepest" | "values">): boolean =>
  deepest > maxDepth || values > maxValues

/** Counts levels and values: what parsing costs is known before it begins. */
const shapeStage = (): Stage => {
  const scanner = JsonScanner.make()
  let bytes = 0
  return {
    push: (chunk) => {
      bytes += chunk.length
      JsonScanner.push(scanner, chunk)
      JsonScanner.skip(scanner, Number.NEGATIVE_INFINITY)
      if (isExcessive(scanner)) throw tooLarge(bytes)
      return [chunk]
    },
  }
}

const chunksOf = async function* (response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === undefined) {
    yield new Uint8Array((await response.arrayBuffer?.()) ?? [])
    return
  }
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (value !== undefined) yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Sends chunks through the stages once there are more than a few; a turn of the event loop is never long. */
const bounded = async function* (
  chunks: AsyncIterable<Uint8Array>,
  stages: ReadonlyArray<Stage>,
  small: number,
): AsyncGenerator<Uint8Array> {
  let first: Array<Uint8Array> | null = []
  let received = 0
  let turnAt = sliceBytes
  const through = (chunk: Uint8Array) =>
    stages.reduce<ReadonlyArray<Uint8Array>>((parts, { push }) => parts.flatMap(push), [chunk])
  for await (const chunk of chunks) {
    received += chunk.length
    if (first !== null && received <= small) {
      first.push(chunk)
      continue
    }
    for (const part of first ?? []) yield* through(part)
    first = null
    yield* through(chunk)
    if (received >= turnAt) {
      await nextTurn()
      turnAt = received + sliceBytes
    }
  }
  yield* first ?? []
}

const readerOf = (chunks: AsyncGenerator<Uint8Array>): Reader => ({
  read: async () => {
    const { done, value } = await chunks.next()
    return done === true ? { done: true } : { done: false, value }
  },
  cancel: () => chunks.return(undefined),
})

/** The length that the server declared is not that of the body any more. */
const withoutLength = ({ headers }: Response): Response["headers"] => ({
  forEach: (visit) =>
    headers.forEach((value, name) => {
      if (name.toLowerCase() !== "content-length") visit(value, name)
    }),
})

/**
 * Wraps a `fetch`.
 */
export const make =
  (fetch: Fetch, limits: TraceFilter.Limits): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (response.status >= 300 || response.body === null) return response
    const isTrace = traceCalls.test(init.body ?? "")
    const small = Math.min(smallBytes, limits.transactionBytes, limits.blockBytes, limits.frames * 100)
    const stages = isTrace ? [traceStage(limits), shapeStage()] : [shapeStage()]
    const body = { getReader: () => readerOf(bounded(chunksOf(response), stages, isTrace ? small : smallBytes)) }
    return { status: response.status, type: response.type, headers: withoutLength(response), body }
  }
