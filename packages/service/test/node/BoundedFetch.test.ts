import { BodyTooLarge, type Fetch, type Response } from "@daybook/transport/Fetch"
import { describe, expect, it } from "vitest"
import * as BoundedFetch from "../../src/node/BoundedFetch.ts"
import { cut as cutBy, textOf } from "../responseBody.ts"

const mebibyte = 1024 * 1024
const limits = { transactionBytes: 2_000, blockBytes: 5_000, frames: 1_000, depth: 4 }

interface NodeResponse extends Partial<Omit<Response, "headers" | "body">> {
  readonly chunks?: ReadonlyArray<Uint8Array | undefined> | null
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

/** Sends a call to a node that responds with chunks. */
const call = async (
  { chunks = [], headers = [], status = 200, ...more }: NodeResponse,
  { body = '{"method":"debug_traceBlockByHash"}', bounds = limits }: { body?: string; bounds?: typeof limits } = {},
) => {
  const seen = { read: 0, cancels: 0 }
  const getReader = () => {
    const rest = [...(chunks ?? [])]
    return {
      read: async () => (rest.length === 0 ? { done: true } : { done: false, value: (seen.read++, rest.shift()) }),
      cancel: async () => {
        seen.cancels++
        throw new Error("cancelled twice")
      },
    }
  }
  const original: Response = {
    ...more,
    status,
    headers: { forEach: (visit) => headers.forEach(([name, value]) => visit(value, name)) },
    body: chunks === null ? null : more.arrayBuffer === undefined ? { getReader } : undefined,
  }
  const fetch: Fetch = async () => original
  const init = { method: "POST", headers: {}, body, redirect: "manual", signal: new AbortController().signal } as const
  const response = await BoundedFetch.make(fetch, bounds)("http://node.example", init)
  return { response, original, seen }
}

const cut = (text: string, length = 1_000) => cutBy(text, length)

const trace = (bytes: number) => `{"result":[{"result":{"type":"CALL","input":"0x${"a".repeat(bytes)}"}}]}`

/** The same, longer than a response that is read as a whole. */
const largeTrace = trace(BoundedFetch.smallBytes)

describe("BoundedFetch", () => {
  it("make: limits the data of traces, and of no other response", async () => {
    const text = largeTrace
    for (const method of ["trace_block", "debug_traceTransaction"]) {
      const { response } = await call({ chunks: cut(text) }, { body: `{"method":"${method}"}` })
      expect(await textOf(response)).toContain('"input":null,"input_length":')
    }
    const { response } = await call({ chunks: cut(text) }, { body: '{"method":"eth_getBlockByNumber"}' })
    expect((await textOf(response)) === text).toBe(true)
  })

  it("make: passes a trace with at most as many bytes as a response may have values, and filters a larger one", async () => {
    const passes = async (bytes: number) => {
      const text = trace(3_000).padEnd(bytes, " ")
      const { response } = await call({ chunks: cut(text, 65_536) })
      return (await textOf(response)) === text
    }

    expect(BoundedFetch.smallBytes).toBeLessThanOrEqual(BoundedFetch.maxValues)
    expect(await passes(BoundedFetch.smallBytes)).toBe(true)
    expect(await passes(BoundedFetch.smallBytes + 1)).toBe(false)
  })

  it("make: counts the levels of a large trace that are passed on, but not those of a discarded transaction", async () => {
    const around = (value: string) => `{"result":[${value}]}`.padEnd(BoundedFetch.smallBytes + 1, " ")
    const nested = `${"[".repeat(3_000)}${"]".repeat(3_000)}`
    const discarded = await call({ chunks: cut(around(`{"result":${nested}}`), 65_536) })
    const passed = await call({ chunks: cut(around(nested), 65_536) })

    expect(await textOf(discarded.response)).toContain("deeper than 4 calls")
    await expect(textOf(passed.response)).rejects.toThrow(BodyTooLarge)
  })

  it("make: buffers the chunks of a small response until it is complete", async () => {
    const { response, seen } = await call({ chunks: [Buffer.from('{"a":'), undefined, Buffer.from("1}")] })
    const reader = response.body!.getReader()

    expect(Buffer.from((await reader.read()).value!).toString()).toBe('{"a":')
    expect(seen.read).toBe(3)
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("1}")
    expect(await reader.read()).toEqual({ done: true })
  })

  it("make: fails for a large response that is too deep to parse", async () => {
    const text = (bytes: number) => "[".repeat(3_000).padEnd(bytes)
    const { smallBytes } = BoundedFetch
    const small = await call({ chunks: [Buffer.from(text(smallBytes))] }, { body: "" })
    const large = await call({ chunks: [Buffer.from(text(smallBytes + 1))] }, { body: "" })

    expect((await textOf(small.response)).length).toBe(smallBytes)
    await expect(textOf(large.response)).rejects.toEqual(new BodyTooLarge(smallBytes + 1))
  })

  it("make: fails for a trace that exceeds 24 MiB after the filter", async () => {
    const chunks = ['{"result":[', ...Array.from({ length: 25 }, () => `"${"x".repeat(mebibyte - 3)}",`)]
    const { response } = await call({ chunks: chunks.map((text) => Buffer.from(text)) })

    await expect(textOf(response)).rejects.toEqual(new BodyTooLarge(24 * mebibyte))
    const most = await call({ chunks: chunks.slice(0, 25).map((text) => Buffer.from(text).subarray(0, mebibyte)) })
    expect((await textOf(most.response)).length).toBeLessThanOrEqual(24 * mebibyte)
  })

  it("make: passes a failed response and one without a body unchanged", async () => {
    for (const sent of [{ status: 300 }, { status: 500 }, { chunks: null }]) {
      const { original, response } = await call(sent)
      expect(response).toBe(original)
    }
    const { original, response } = await call({ status: 299 })
    expect(response).not.toBe(original)
    expect(response.status).toBe(299)
  })

  it("make: forwards the type and the headers, except the length", async () => {
    const headers = [
      ["Content-Length", "7"],
      ["retry-after", "3"],
    ] as const
    const { response } = await call({ headers, type: "basic" })
    const found: Array<string> = []
    response.headers.forEach((value, name) => found.push(`${name}: ${value}`))

    expect([found, response.type]).toEqual([["retry-after: 3"], "basic"])
    expect((await call({})).response.type).toBeUndefined()
  })

  it("make: reads a body that the platform returns as a whole", async () => {
    const whole = Uint8Array.from(Buffer.from(largeTrace))
    const { response } = await call({ arrayBuffer: async () => whole.buffer })

    expect(await textOf(response)).toContain('"input":null')
  })

  it("isExcessive: is true beyond the limits, but not at them", () => {
    const shape = { deepest: BoundedFetch.maxDepth, values: BoundedFetch.maxValues }

    expect(BoundedFetch.isExcessive(shape)).toBe(false)
    expect(BoundedFetch.isExcessive({ ...shape, deepest: BoundedFetch.maxDepth + 1 })).toBe(true)
    expect(BoundedFetch.isExcessive({ ...shape, values: BoundedFetch.maxValues + 1 })).toBe(true)
  })

  it("make: rejects 200,000 levels, and millions of empty arrays", async () => {
    const read = async (text: string) =>
      await textOf((await call({ chunks: cut(text, 65_536) }, { body: "{}" })).response)

    await expect(read("[".repeat(3_200_000))).rejects.toThrow(BodyTooLarge)
    await expect(read(`[${"[],".repeat(2_000_000)}[]]`)).rejects.toThrow(BodyTooLarge)
    expect(await read(`[${"[],".repeat(1_000_000)}[]]`)).toHaveLength(3_000_004)
  })

  it("cancel: cancels the body, and ends reading", async () => {
    const { response, seen } = await call({ chunks: cut(trace(9_000_000), 65_536) })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()

    expect(seen.cancels).toBe(1)
    expect(await reader.read()).toEqual({ done: true })
  })

  it("make: yields to the event loop after every half mebibyte", async () => {
    const chunks = Array.from({ length: 32 }, () => Buffer.from(" ".repeat(mebibyte / 8)))
    const { response } = await call({ chunks })
    let turns = 0
    let isOver = false
    const tick = () => {
      turns++
      if (!isOver) setImmediate(tick)
    }
    setImmediate(tick)
    await textOf(response)
    isOver = true

    expect(turns).toBeGreaterThanOrEqual(7)
    expect(turns).toBeLessThanOrEqual(10)
  })
})
