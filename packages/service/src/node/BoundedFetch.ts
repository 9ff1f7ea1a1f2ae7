/**
 * A `fetch` that bounds a node's response as it arrives. `TraceFilter` bounds large responses to tracer calls. All large responses are
 * bounded in depth and number of values, so that parsing cannot exhaust memory. Small ones are within these bounds; `TraceBounds` bounds
 * their traces after parsing.
 *
 * Source: decision 0036.
 */
import { BodyTooLarge, type Fetch, type Response } from "@daybook/transport/Fetch"
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"
import type * as TraceBudget from "./TraceBudget.ts"
import * as TraceFilter from "./TraceFilter.ts"

/** Maximum number of bytes of a filtered response; beyond it, the transactions of a block are traced one by one. */
const maxTraceBytes = 24 * 1024 * 1024
/** Maximum nesting depth: a trace of 1,024 calls has about 2,100 levels. */
export const maxDepth = 2_500
/** Maximum number of values of a response: 64 MiB of receipts have about 1.5 million. */
export const maxValues = 3_000_000
/** Responses up to this size pass unchanged: a text has at most one value per byte, thus at most `maxValues`. */
export const smallBytes = 3_000_000
/** Number of bytes after which other fibers get a turn: some milliseconds. */
const sliceBytes = 512 * 1024

type Reader = NonNullable<Response["body"]> extends { readonly getReader: () => infer R } ? R : never

/** A stage that a response passes through. */
interface Stage {
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Uint8Array>
}

const traceCalls = /"method":"(trace_|debug_trace)/

const tooLarge = (bytes: number) => new BodyTooLarge(bytes)

/** True for JSON text that must not be parsed. */
export const isExcessive = ({ deepest, values }: TraceFilter.Shape): boolean => deepest > maxDepth || values > maxValues

const traceStage = (limits: TraceBudget.Limits): Stage => {
  const filter = TraceFilter.make(limits)
  let passed = 0
  return {
    push: (chunk) => {
      const parts = TraceFilter.push(filter, chunk)
      for (const part of parts) passed += part.length
      if (isExcessive(TraceFilter.shapeOf(filter))) throw tooLarge(passed)
      if (passed + TraceFilter.heldBytes(filter) > maxTraceBytes) throw tooLarge(maxTraceBytes)
      return parts
    },
  }
}

/** Counts levels and values, so that the cost of parsing is known in advance. */
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

/** Sends the chunks of a response that is not small through a stage, keeping turns of the event loop short. */
const bounded = async function* (chunks: AsyncIterable<Uint8Array>, stage: Stage): AsyncGenerator<Uint8Array> {
  let held: Array<Uint8Array> | null = []
  let [received, passed, turnAt] = [0, 0, sliceBytes]
  for await (const chunk of chunks) {
    received += chunk.length
    if (held !== null && received <= smallBytes) {
      held.push(chunk)
      continue
    }
    const due: ReadonlyArray<Uint8Array> = held === null ? [chunk] : [...held, chunk]
    held = null
    for (const part of due) {
      yield* stage.push(part)
      passed += part.length
      if (passed < turnAt) continue
      await nextTurn()
      turnAt = passed + sliceBytes
    }
  }
  yield* held ?? []
}

const readerOf = (chunks: AsyncGenerator<Uint8Array>): Reader => ({
  read: async () => {
    const { done, value } = await chunks.next()
    return done === true ? { done: true } : { done: false, value }
  },
  cancel: () => chunks.return(undefined),
})

/** The length declared by the server no longer matches the body. */
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
  (fetch: Fetch, limits: TraceBudget.Limits): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (response.status >= 300 || response.body === null) return response
    const stage = traceCalls.test(init.body ?? "") ? traceStage(limits) : shapeStage()
    const body = { getReader: () => readerOf(bounded(chunksOf(response), stage)) }
    return { status: response.status, type: response.type, headers: withoutLength(response), body }
  }
