import type { Fetch, Response } from "@daybook/transport/Fetch"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as LargeAnswers from "../../../src/server/relay/LargeAnswers.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import { cut as cutBy, textOf } from "../../responseBody.ts"

const now = () => performance.now()

const mebibyte = 1024 * 1024
const maxBytes = 4 * mebibyte
/** Bytes of an answer that is parsed as a whole. */
const largeBytes = mebibyte / 4

interface NodeResponse extends Partial<Pick<Response, "status" | "type">> {
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
  readonly chunks?: ReadonlyArray<Uint8Array | undefined> | null
  /** Waited for before each chunk. */
  readonly gate?: Promise<unknown>
}

/** A node that sends chunks, with what was read of them. */
const makeNode = ({ chunks = [], gate, headers = [], status = 200, ...more }: NodeResponse) => {
  const seen = { read: 0, isCancelled: false }
  const getReader = () => {
    const rest = [...(chunks ?? [])]
    return {
      read: async () => {
        await gate
        if (rest.length === 0) return { done: true }
        seen.read++
        return { done: false, value: rest.shift() }
      },
      cancel: async () => void (seen.isCancelled = true),
    }
  }
  const fetch: Fetch = async () => ({
    ...more,
    status,
    headers: { forEach: (visit) => headers.forEach(([name, value]) => visit(value, name)) },
    body: chunks === null ? null : { getReader },
  })
  return { fetch, seen }
}

const request = (fetch: Fetch, signal = new AbortController().signal) =>
  fetch("http://node.example", { method: "POST", headers: {}, redirect: "manual", signal })

const make = () => LargeAnswers.make({ maxBytes, turns: Turns.make(now) })

const cut = (text: string) => cutBy(text, 100_000)

const result = (bytes: number) => `["${"x".repeat(bytes)}",[[1]]]`
const envelope = (text: string) => `{"jsonrpc":"2.0","id":7,"result": ${text} }`

describe("LargeAnswers", () => {
  afterEach(() => void vi.useRealTimers())

  it("reading: gives a token in place of a large result, and find gives the result of the token with its depth", async () => {
    const answers = make()
    const { fetch } = makeNode({ chunks: cut(envelope(result(mebibyte))), status: 201, type: "basic" })
    const response = await request(answers.reading(fetch))
    const text = await textOf(response)

    expect([response.status, response.type]).toEqual([201, "basic"])
    const token = text.match(/^\{"jsonrpc":"2\.0","id":7,"result": ("[0-9a-f-]{36}\.1") \}$/)?.[1]
    const found = answers.find(token!) as LargeAnswers.LargeAnswer
    expect(Buffer.from(found.result).toString() === result(mebibyte)).toBe(true)
    expect(found.depth).toBe(3)
    expect(answers.find('"other"')).toBeUndefined()
  })

  it("reading: joins the chunks of a large answer in turns of their own", async () => {
    const { enter, run } = Turns.make(now)
    let entered = 0
    const turns: Turns.Turns = { run, enter: (...options) => (entered++, enter(...options)) }
    const answers = LargeAnswers.make({ maxBytes, turns })
    // A string is scanned in few slices.
    const chunks = cut(envelope(result(2_000_000)))
    await textOf(await request(answers.reading(makeNode({ chunks }).fetch)))

    expect(chunks).toHaveLength(21)
    expect(entered).toBeGreaterThan(21)
    expect(entered).toBeLessThan(30)
  })

  it("find: forgets a result after a second, and reports that it did", async () => {
    const answers = make()
    const response = await request(answers.reading(makeNode({ chunks: cut(envelope(result(mebibyte))) }).fetch))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const token = (await textOf(response)).match(/"[0-9a-f-]{36}\.1"/)![0]
    vi.advanceTimersByTime(999)
    expect(answers.find(token)).toMatchObject({ depth: 3 })
    vi.advanceTimersByTime(1)
    expect(answers.find(token)).toBe("forgotten")
  })

  it("reading: passes an answer of up to 256 KiB unchanged", async () => {
    const small = envelope(result(largeBytes - envelope(result(0)).length))
    expect(small.length).toBe(largeBytes)

    const response = await request(make().reading(makeNode({ chunks: cut(small) }).fetch))
    expect((await textOf(response)) === small).toBe(true)
  })

  it("reading: gives the beginning of a large answer that is cut off, not UTF-8, no object, or large beside its result", async () => {
    const whole = envelope(result(mebibyte))
    const broken = Buffer.from(whole)
    broken[40] = 0xff
    const many = `"k":1,`.repeat(mebibyte / 4)
    const sent = [
      whole.slice(0, -1),
      broken,
      `[${whole}]`,
      `{${many}"id":1}`,
      `{${many}"result":1}`,
      `<${"x".repeat(mebibyte)}`,
    ]
    for (const body of sent) {
      const bytes = Buffer.from(body)
      const response = await request(make().reading(makeNode({ chunks: [bytes] }).fetch))

      expect((await textOf(response)) === bytes.subarray(0, 64 * 1024).toString()).toBe(true)
    }
  })

  it("reading: gives a short error in place of a large one", async () => {
    const large = `{"code":3,"message":"m","data":[${"0,".repeat(mebibyte / 2)}0]}`
    const text = `{"id":7,"error": ${large}}`
    const response = await request(make().reading(makeNode({ chunks: cut(text) }).fetch))

    expect(JSON.parse(await textOf(response))).toEqual({
      id: 7,
      error: { code: -32008, message: "Response too large: the node's error has more than 262144 bytes." },
    })
  })

  it("reading: substitutes the result of an answer of one byte more, and skips chunks without bytes", async () => {
    const answers = make()
    const text = envelope(result(largeBytes + 1 - envelope(result(0)).length))
    const response = await request(answers.reading(makeNode({ chunks: [undefined, Buffer.from(text)] }).fetch))

    expect((await textOf(response)).length).toBeLessThan(100)
  })

  it("reading: leaves a response alone that has no body or is declared as small", async () => {
    const chunks = cut(envelope(result(mebibyte)))
    for (const sent of [
      { chunks: null },
      { chunks, headers: [["Content-Length", String(largeBytes)]] },
    ] as const satisfies ReadonlyArray<NodeResponse>) {
      const { fetch } = makeNode(sent)
      let original: Response | undefined
      const wrapped = make().reading(async (url, init) => (original = await fetch(url, init)))
      expect(await request(wrapped)).toBe(original)
    }
    for (const headers of [[["Content-Length", String(largeBytes + 1)]], [["Age", "1"]]] as const) {
      const response = await request(make().reading(makeNode({ chunks, headers }).fetch))
      expect((await textOf(response)).length).toBeLessThan(100)
    }
  })

  it("reading: does not read on beyond the bound, and passes what was received", async () => {
    const { fetch, seen } = makeNode({ chunks: Array.from({ length: 50 }, () => Buffer.alloc(mebibyte / 2, "x")) })
    const reader = (await request(make().reading(fetch))).body!.getReader()
    let bytes = 0
    for (let chunk = 0; chunk < 9; chunk++) bytes += (await reader.read()).value!.length

    expect(bytes).toBe(4.5 * mebibyte)
    expect(seen.read).toBe(9)
    await reader.cancel()
    expect(seen.isCancelled).toBe(true)
  })

  it("reading: reads four large answers at a time, and the next one when one of them is read or given up", async () => {
    const answers = make()
    let open = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const first = Buffer.alloc(mebibyte + 1, "x")
    const rest = Buffer.from("rest")
    const start = (own: Promise<unknown>, signal?: AbortSignal) => {
      let reads = 0
      const fetch: Fetch = async () => ({
        status: 200,
        headers: { forEach: () => undefined },
        body: {
          getReader: () => ({
            read: async () => {
              if (reads > 0) await own
              return reads++ < 2 ? { done: false, value: reads === 1 ? first : rest } : { done: true }
            },
            cancel: async () => undefined,
          }),
        },
      })
      const outcome = request(answers.reading(fetch), signal).then(textOf)
      return { outcome, reads: () => reads }
    }
    const abort = new AbortController()
    const open4 = Array.from({ length: 4 }, () => start(gate))
    const given = start(Promise.resolve(), abort.signal)
    const waiting = start(Promise.resolve())
    const settled = () => new Promise((resolve) => setImmediate(resolve))
    await settled()
    expect([given.reads(), waiting.reads()]).toEqual([1, 1])
    abort.abort(new Error("given up"))
    await expect(given.outcome).rejects.toThrow("given up")
    await settled()
    expect(waiting.reads()).toBe(1)
    open()

    expect((await waiting.outcome).length).toBe(64 * 1024)
    await Promise.all(open4.map(({ outcome }) => outcome))
    expect(given.reads()).toBe(1)
    const again = Array.from({ length: 5 }, () => start(Promise.resolve()).outcome)
    expect((await Promise.all(again)).every((text) => text.length === 64 * 1024)).toBe(true)
  })

  it("reading: fails as the body of the answer does", async () => {
    const answers = make()
    const { fetch } = makeNode({ chunks: cut(envelope(result(mebibyte))), gate: Promise.reject(new Error("reset")) })

    await expect(request(answers.reading(fetch)).then(textOf)).rejects.toThrow("reset")
  })

  it("reading: takes each slice of a scan in a turn of its own", async () => {
    const turns = Turns.make(now)
    let [depth, deepest, entered] = [0, 0, 0]
    const enter: Turns.Turns["enter"] = (work, onError) => {
      entered++
      turns.enter(() => {
        deepest = Math.max(deepest, ++depth)
        work()
        depth--
      }, onError)
    }
    const answers = LargeAnswers.make({ maxBytes, turns: { ...turns, enter } })
    const items = `[${"1,".repeat(mebibyte)}1]`
    await textOf(await request(answers.reading(makeNode({ chunks: cut(envelope(items)) }).fetch)))

    expect(deepest).toBe(1)
    expect(entered).toBeGreaterThan(5)
  })
})
