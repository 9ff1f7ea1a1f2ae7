/** Tracer responses within and beyond the limits, split into chunks anywhere. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import * as TraceFilter from "../../src/node/TraceFilter.ts"
import * as Model from "../store/model.ts"

const limits = { transactionBytes: 2_000, blockBytes: 5_000, frames: 5, depth: 4 }

/** The response after the filter, received in chunks of these lengths in turn. */
const filtered = (text: string, lengths: ReadonlyArray<number> = [7], bounds = limits): string => {
  const filter = TraceFilter.make(bounds)
  const bytes = Buffer.from(text)
  const parts: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    parts.push(...TraceFilter.push(filter, bytes.subarray(at, at + length)))
    at += length
  }
  return Buffer.concat(parts).toString()
}

const hash = (index: number) => `0x${String(index).padStart(64, "0")}`
const data = (digit: string, bytes: number) => `0x${digit.repeat(bytes)}`
const sha256 = (digit: string, bytes: number) =>
  `0x${createHash("sha256")
    .update(Buffer.from(digit.repeat(bytes), "hex"))
    .digest("hex")}`
const frame = (more: object = {}) => ({ type: "CALL", from: "0x1", to: "0x2", input: "0x", output: "0x", ...more })
const envelope = (result: unknown, id = 1) => ({ jsonrpc: "2.0", id, result })
const traces = (...frames: ReadonlyArray<object>) => frames.map((result, index) => ({ txHash: hash(index), result }))
const nest = (levels: number): object => frame(levels === 0 ? {} : { calls: [nest(levels - 1)] })
const entry = (transaction: number, more: object = {}) => ({
  action: {
    callType: "call",
    from: "0x1",
    input: "0x",
  },
  blockHash: hash(99),
  result: { output: "0x" },
  subtraces: 0,
  traceAddress: [],
  transactionHash: hash(transaction),
  type: "call",
  ...more,
})

/** The parts of a response that the tests read. */
interface Frame {
  readonly input: string | null
  readonly calls: ReadonlyArray<Frame>
}

interface Item {
  readonly transactionHash: string
  readonly type: string
  readonly action: Frame
  readonly result: Frame
}

const parse = (text: string): unknown => JSON.parse(text)

/** The items of the result; sound if the response is a tracer's. */
const itemsOf = (text: string) => (parse(text) as { readonly result: ReadonlyArray<Item> }).result

/** A JSON text whose keys are written with an escape for each character. */
const withEscapedKeys = (text: string): string =>
  text.replaceAll(/"(\w+)":/g, (_, key: string) => {
    const escapes = key.split("").map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    return `"${escapes.join("")}":`
  })

describe("TraceFilter", () => {
  it("push: limits the data, the frames and the entries of responses whose keys are written with escapes", () => {
    const responses: ReadonlyArray<unknown> = [
      envelope(traces(frame({ input: data("a", 3_000) }), frame({ calls: [frame({ output: data("b", 3_000) })] }))),
      envelope(traces(frame({ calls: Array.from({ length: 9 }, () => frame()) }))),
      envelope(Array.from({ length: 9 }, () => entry(0))),
    ]
    for (const response of responses) {
      const text = JSON.stringify(response)
      expect(parse(filtered(withEscapedKeys(text)))).toEqual(parse(filtered(text)))
    }
  })

  it("push: passes responses within the limits unchanged, as JSON values", () => {
    const responses: ReadonlyArray<unknown> = [
      envelope(traces(frame({ calls: [frame(), frame({ revertReason: 'a "quoted" \\ reason' })] }), frame())),
      envelope([entry(0), entry(0, { traceAddress: [0] }), entry(1), { type: "reward", action: {}, result: null }]),
      envelope(frame({ calls: [frame()] })),
      [envelope([{ transactionHash: hash(1), logs: [{ data: "0x01" }] }], 1), envelope([entry(1)], 2), envelope([], 3)],
      envelope(null),
      envelope("0x12"),
      envelope([]),
      { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "missing trie node", data: { input: "0x" } } },
      { result: [1, 2, "three", [4]].length, id: 7 },
    ]
    for (const response of responses) {
      for (const lengths of [[1], [2, 3], [7], [64], [100_000]]) {
        expect(parse(filtered(JSON.stringify(response), lengths))).toEqual(response)
        expect(parse(filtered(JSON.stringify(response, null, 2), lengths))).toEqual(response)
      }
    }
  })

  it("push: passes text that is not JSON unchanged", () => {
    for (const text of [
      "",
      ",",
      '"a":1',
      "<html>bad gateway</html>",
      "{",
      "]]]",
      '"',
      '{"result":nul',
      "[[[[[",
      '{"id":1}}}',
    ]) {
      expect(filtered(text, [1])).toBe(text)
      expect(filtered(text, [100])).toBe(text)
    }
  })

  it("push: replaces inputs and outputs beyond the limit of a transaction by their length and hash", () => {
    const calls = [
      frame({ input: data("ab", 700) }),
      frame({ input: data("cd", 400) }),
      frame({ output: data("ef", 900) }),
    ]
    const [first, second] = itemsOf(filtered(JSON.stringify(envelope(traces(frame({ calls }), frame({ calls }))))))

    expect(first!.result.calls).toEqual([
      calls[0],
      frame({ input: null, input_length: "400", input_hash: sha256("cd", 400) }),
      frame({ output: null, output_length: "900", output_hash: sha256("ef", 900) }),
    ])
    expect(second).toEqual({ ...first!, txHash: hash(1) })
  })

  it("push: limits the data of a block as a whole, but keeps short data", () => {
    const calls = [frame({ input: data("ab", 900) }), frame({ input: data("12", 20) })]
    const transactions = Array.from({ length: 4 }, () => frame({ calls }))
    const kept = itemsOf(filtered(JSON.stringify(envelope(traces(...transactions))))).map(({ result }) =>
      result.calls.map(({ input }) => input !== null),
    )

    expect(kept).toEqual([
      [true, true],
      [true, true],
      [false, true],
      [false, true],
    ])
  })

  it("push: replaces the data of flat traces, for each transaction separately", () => {
    const big = {
      action: { callType: "call", from: "0x1", input: data("ab", 800) },
      result: { output: data("cd", 400) },
    }
    const list = [entry(0), entry(0, big), entry(1), entry(1, big)]
    const found = itemsOf(filtered(JSON.stringify(envelope(list))))

    expect(found[1]!.action.input).toBe(data("ab", 800))
    expect(found[1]!.result).toEqual({ output: null, output_length: "400", output_hash: sha256("cd", 400) })
    expect(found[3]!.action.input).toBe(data("ab", 800))
  })

  it("push: replaces a transaction with too many frames, or too deep ones, by an error", () => {
    const wide = frame({ calls: Array.from({ length: 21 }, () => frame()) })
    const deep = nest(15)
    const found = itemsOf(
      filtered(JSON.stringify(envelope(traces(frame(), wide, deep, frame()))), [7], {
        ...limits,
        frames: 20,
        depth: 2,
      }),
    )

    expect(found).toEqual([
      { txHash: hash(0), result: frame() },
      { txHash: hash(1), error: "Trace beyond the limits: more than 20 frames." },
      { txHash: hash(2), error: "Trace beyond the limits: deeper than 2 calls." },
      { txHash: hash(3), result: frame() },
    ])
  })

  it("push: counts only frames of calls, and passes as many as the limit", () => {
    const call = frame({ error: { data: { values: [{}, {}] } }, calls: [] })
    const of = (count: number) => envelope(traces(frame({ calls: Array.from({ length: count }, () => call) })))
    const found = (count: number) => parse(filtered(JSON.stringify(of(count))))

    expect(found(5)).toEqual(of(5))
    expect(found(6)).toEqual(envelope([{ txHash: hash(0), error: "Trace beyond the limits: more than 5 frames." }]))
  })

  it("push: passes a trace as deep as the limit, and none that is deeper", () => {
    const bounds = { ...limits, frames: 100 }
    const innermost = (more: object): object =>
      Array.from({ length: 6 }).reduce<object>((inner) => frame({ calls: [inner] }), frame({ calls: [frame(more)] }))
    const of = (more: object) => JSON.stringify(envelope([{ txHash: hash(0), result: innermost(more) }]))

    expect(parse(filtered(of({}), [7], bounds))).toEqual(parse(of({})))
    expect(itemsOf(filtered(of({ calls: [] }), [7], bounds))).toEqual([
      { txHash: hash(0), error: "Trace beyond the limits: deeper than 4 calls." },
    ])
    expect(itemsOf(filtered(JSON.stringify(envelope([{ result: innermost({ calls: [] }) }])), [7], bounds))).toEqual([
      { error: "Trace beyond the limits: deeper than 4 calls." },
    ])
  })

  it("push: replaces the trace of a single transaction beyond the limits by an error", () => {
    const wide = frame({ calls: Array.from({ length: 6 }, () => frame({ input: data("ab", 100) })) })

    expect(parse(filtered(JSON.stringify([envelope(wide, 4), envelope(frame(), 5)])))).toEqual([
      { jsonrpc: "2.0", id: 4, error: { code: -32000, message: "Trace beyond the limits: more than 5 frames." } },
      envelope(frame(), 5),
    ])
  })

  it("push: marks a transaction with too many entries in a flat list, and omits the others", () => {
    const list = [entry(0), ...Array.from({ length: 9 }, () => entry(1)), entry(2)]
    const found = itemsOf(filtered(JSON.stringify(envelope(list))))

    expect(found.map(({ transactionHash, type }) => [transactionHash, type])).toEqual([
      [hash(0), "call"],
      ...Array.from({ length: 6 }, () => [hash(1), "call"]),
      [hash(1), "excess"],
      [hash(2), "call"],
    ])
  })

  it("push: buffers a bounded number of bytes of an endless text and of endless nesting", () => {
    const filter = TraceFilter.make(limits)
    TraceFilter.push(filter, Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"txHash":"0x","result":{"input":"0x'))
    for (let chunk = 0; chunk < 200; chunk++) TraceFilter.push(filter, Buffer.alloc(100_000, "ab"))
    expect(TraceFilter.heldBytes(filter)).toBeLessThan(1_000)
    TraceFilter.push(filter, Buffer.from('","calls":'))
    for (let chunk = 0; chunk < 200; chunk++) TraceFilter.push(filter, Buffer.from('[{"calls":'.repeat(1_000)))

    expect(TraceFilter.heldBytes(filter)).toBe(0)
    expect(filter.stack.length).toBeLessThan(100)
  })

  it("shapeOf: counts an element until it is beyond the limits", () => {
    const filter = TraceFilter.make(limits)
    const shapeAfter = (text: string) => {
      TraceFilter.push(filter, Buffer.from(text))
      const { deepest, values } = TraceFilter.shapeOf(filter)
      return { deepest, values }
    }

    expect(shapeAfter('{"jsonrpc":"2.0","id":1,"result":[')).toEqual({ deepest: 2, values: 4 })
    expect(shapeAfter('{"txHash":"0x","result":{"input":"0x","calls":[')).toEqual({ deepest: 5, values: 9 })
    expect(shapeAfter('{"calls":['.repeat(1_000))).toEqual({ deepest: 3, values: 5 })
  })

  it.prop("push: returns the same however a response is split into chunks", { seed: Model.seed }, ({ seed }) => {
    const numbers = Model.seeded(seed)
    const random = (levels: number): object =>
      frame({
        input: data(numbers.pick(["ab", "0f"]), numbers.below(700)),
        calls: levels === 0 ? undefined : Array.from({ length: numbers.below(3) }, () => random(levels - 1)),
      })
    const nested = envelope(traces(...Array.from({ length: numbers.below(4) }, () => random(4))))
    const flat = envelope(Array.from({ length: numbers.below(12) }, (_, at) => entry(at >> 2, { action: random(0) })))
    const lengths = Array.from({ length: 5 }, () => 1 + numbers.below(200))
    for (const text of [JSON.stringify(nested), JSON.stringify([nested, flat, envelope(random(2), 3)])]) {
      const whole = filtered(text, [text.length])
      expect(filtered(text, lengths)).toBe(whole)
      expect(() => parse(whole)).not.toThrow()
    }
  })
})
