import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { afterEach } from "vitest"
import { gunzipSync } from "node:zlib"
import { Payload } from "@daybook/harness"
import { HostileNode, NodeFault, NodeScript, VirtualChain } from "@daybook/hostile"
import { send, type Received } from "@daybook/harness/HttpRequest"

const nodes: Array<HostileNode.Node> = []

const start = async (options: HostileNode.Options) => {
  const node = await HostileNode.start(options)
  nodes.push(node)
  return node
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_getBlockByNumber", params: [`0x${id}`, false] })
const batch = [call(1), call(2), call(3)]
const correctItem = (id: number) => ({ jsonrpc: "2.0", id, ...VirtualChain.answer(call(id)) })
const [first, second, third] = [correctItem(1), correctItem(2), correctItem(3)]
const all = [first, second, third]

const json = ({ text }: Received): unknown => JSON.parse(text)
const secondOf = (received: Received) => (json(received) as ReadonlyArray<Record<string, unknown>>)[1]
const others = (received: Received) => {
  const items = json(received) as ReadonlyArray<unknown>
  expect([items[0], items.at(-1)]).toEqual([first, third])
}
const target = (change: object) => (received: Received) => {
  expect(received.status).toBe(200)
  others(received)
  expect(secondOf(received)).toEqual({ jsonrpc: "2.0", id: 2, ...change })
}
const whole = (change: unknown) => (received: Received) =>
  expect([received.status, json(received)]).toEqual([200, change])
const status =
  (code: number, text: string | RegExp, headers: object = {}) =>
  (received: Received) => {
    expect(received.status).toBe(code)
    expect(received.text).toMatch(text)
    expect(received.headers).toMatchObject(headers)
  }
const requestError = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } })
const broken = (received: Received) => expect(received.end).toBe("broken")
const timedOut = (received: Received) => expect(received.end).toBe("timed out")
const each = (code: number, message: string) =>
  [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, error: { code, message } }))

/** The form of each fault on the wire, in a batch of three calls whose second is the target. */
const forms: Readonly<Record<NodeFault.Name, (received: Received) => void>> = {
  none: whole(all),
  reordered: whole([third, second, first]),
  extraItem: (received) => {
    const items = json(received) as ReadonlyArray<{ readonly id: number }>
    expect(items.slice(1)).toEqual(all)
    expect([1, 2, 3]).not.toContain(items[0]?.id)
  },
  gzip: (received) => {
    expect(received.headers["content-encoding"]).toBe("gzip")
    expect(JSON.parse(gunzipSync(received.body).toString())).toEqual(all)
  },
  drip: (received) => {
    expect(json(received)).toEqual(all)
    expect(received.chunks).toBeGreaterThan(2)
  },
  duplicateItem: whole([first, second, second, third]),
  textId: whole([first, { ...second, id: "2" }, third]),
  absentVersion: (received) => {
    others(received)
    expect(secondOf(received)).not.toHaveProperty("jsonrpc")
  },
  wrongContentType: (received) => {
    whole(all)(received)
    expect(received.headers["content-type"]).toContain("text/html")
  },
  missingItem: whole([first, third]),
  conflictingItems: (received) => {
    const items = json(received) as ReadonlyArray<{ readonly id: number; readonly result: unknown }>
    expect(items.map(({ id }) => id)).toEqual([1, 2, 2, 3])
    expect(items[1]?.result).not.toEqual(items[2]?.result)
    expect(items[2]).toEqual(second)
  },
  nullId: whole([first, { ...second, id: null }, third]),
  absentId: (received) => {
    others(received)
    expect(secondOf(received)).not.toHaveProperty("id")
  },
  wrongId: (received) => {
    others(received)
    expect([1, 2, 3]).not.toContain(secondOf(received)?.["id"])
  },
  wrongVersion: whole([first, { ...second, jsonrpc: "1.0" }, third]),
  noResult: target({}),
  undecodable: target({ result: { nonsense: [1] } }),
  oversizeItem: (received) => {
    others(received)
    expect(String(secondOf(received)?.["result"]).length).toBe(NodeFault.oversizeItemBytes + 2)
  },
  nullResult: target({ result: null }),
  errorText: target({ error: "something went wrong" }),
  invalidParams: target({ error: { code: -32602, message: expect.any(String) } }),
  reverted: target({
    error: {
      code: 3,
      message: "execution reverted: paused",
      data: `0x08c379a0${"0".repeat(62)}20${"0".repeat(63)}6706175736564${"0".repeat(52)}`,
    },
  }),
  unsupported: target({ error: { code: -32601, message: "the method does not exist/is not available" } }),
  internal: target({ error: { code: -32603, message: "Internal error" } }),
  limitedItem: (received) => {
    others(received)
    const error = secondOf(received)?.["error"] as { readonly code: number } | undefined
    expect([-32005, -32007, -32011, -32029, 429]).toContain(error?.code)
    expect(error).toMatchObject({ message: "limit exceeded" })
  },
  limitedText: target({ error: { code: -32000, message: "Too many requests, please slow down" } }),
  singleError: whole(requestError(-32010, "the whole request failed")),
  singleLimit: whole(requestError(-32005, "rate limit exceeded")),
  itemForBatch: whole(first),
  explorerError: whole({ status: "0", message: "NOTOK", result: "Max rate limit reached" }),
  html: status(200, /^<!DOCTYPE html>/, { "content-type": "text/html" }),
  plainText: status(200, /^it works$/),
  emptyBody: status(200, /^$/),
  truncatedJson: (received) => {
    expect([received.status, received.end]).toEqual([200, "whole"])
    expect(`${received.text}}]`).toBe(JSON.stringify(all))
  },
  oversize: (received) => {
    expect(received.body.length).toBeGreaterThan(Payload.oversizeBytes)
    expect(json(received)).toEqual(all)
  },
  gzipBomb: (received) => {
    expect(received.headers["content-encoding"]).toBe("gzip")
    expect(gunzipSync(received.body).length).toBeGreaterThan(Payload.bombBytes)
  },
  wrongEncoding: (received) => {
    whole(all)(received)
    expect(received.headers["content-encoding"]).toBe("gzip")
  },
  redirect: status(307, /^$/, { location: "/elsewhere" }),
  closedBefore: (received) => expect([received.status, received.end]).toEqual([undefined, "broken"]),
  closedAfter: (received) => expect([received.status, received.text, received.end]).toEqual([200, "", "broken"]),
  truncatedBody: (received) => {
    broken(received)
    expect(received.body.length).toBe(Number(received.headers["content-length"]) >> 1)
  },
  stalledHeaders: (received) => expect([received.status, received.end]).toEqual([undefined, "timed out"]),
  stalledBody: (received) => {
    timedOut(received)
    expect(received.body.length).toBe(Number(received.headers["content-length"]) >> 1)
  },
  endless: (received) => {
    timedOut(received)
    expect(json(received)).toEqual(all)
    expect(received.headers).not.toHaveProperty("content-length")
  },
  limitedBare: status(429, /^$/),
  limited1015: status(429, /^error code: 1015$/),
  limitedPage: status(429, /^<!DOCTYPE html>/),
  limitedSeconds: status(429, /Too Many/, { "retry-after": "2" }),
  limitedDate: (received) => {
    expect(received.status).toBe(429)
    const { date = "", "retry-after": until = "" } = received.headers
    expect(new Date(until).toUTCString()).toBe(until)
    expect(Date.parse(until) - Date.parse(date)).toBe(2_000)
  },
  limitedMillis: status(429, /Too Many/, { "retry-after-ms": "1500" }),
  limitedRpc: (received) => {
    status(429, "", { "retry-after": "2" })(received)
    expect(json(received)).toMatchObject({ error: { code: -32005 } })
  },
  limitedRpcEach: (received) =>
    expect([received.status, json(received)]).toEqual([429, each(-32029, "Too Many Requests")]),
  unavailable: status(503, /Service Unavailable/, { "retry-after": "2" }),
  serverError: status(500, /^Internal Server Error$/),
  serverErrorRpc: (received) =>
    expect([received.status, json(received)]).toEqual([500, each(-32603, "Internal error")]),
  badGateway: status(502, /^<!DOCTYPE html>/),
  unauthorized: status(401, /Must be authenticated/),
  rejected413: status(413, /Too Large/),
  rejectedSize: whole(requestError(-32003, "batch too large")),
  rejectedBatch: whole(requestError(-32202, "batch requests are disabled")),
}

/** Short for responses that never end, long for all others. */
const timeoutOf = (fault: NodeFault.Name) =>
  NodeFault.all[fault].outcomes.some((tag) => tag === "TimeoutError") ? 300 : 5_000

describe("HostileNode", () => {
  it.each(NodeFault.names)("start: sends %s as its table row describes", async (fault) => {
    const waitMillis = fault === "limitedDate" ? 2_000 : 1_500
    const headers = { "accept-encoding": "gzip" }
    const node = await start({ script: [{ fault, target: 0.5, waitMillis }] })
    const received = await send(node.url, { body: batch, timeoutMillis: timeoutOf(fault), headers })

    forms[fault](received)
    const { affects = "all" } = NodeFault.all[fault]
    const [one, two] = [affects === "all" ? fault : "none", affects === "none" ? "none" : fault]
    expect(node.exchanges()[0]?.calls.map((answered) => answered.fault)).toEqual([one, two, one])
    expect(node.histogram()).toEqual({ [fault]: 1 })
  })

  it("start: limitedItem uses the rate-limit codes of several providers", async () => {
    const node = await start({ script: () => ({ fault: "limitedItem" }) })
    const codes = new Set<number>()
    for (const id of [1, 10, 100, 1_000, 10_000]) {
      const body = { ...call(id), method: "eth_getCode", params: ["0x".padEnd(id.toString().length + 2, "0")] }
      const { error } = JSON.parse((await send(node.url, { body })).text) as {
        readonly error: { readonly code: number }
      }
      codes.add(error.code)
    }

    expect(codes).toEqual(new Set([-32005, -32007, -32011, -32029, 429]))
  })

  it("start: responds to a single call with a single item", async () => {
    const script = [{ fault: "none" }, { fault: "nullId" }, { fault: "itemForBatch" }] as const
    const node = await start({ script })
    const replies = [await send(node.url, { body: call(1) }), await send(node.url, { body: call(1) })]

    expect(replies.map(json)).toEqual([first, { ...first, id: null }])
    expect(json(await send(node.url, { body: call(1) }))).toEqual(first)
    expect(node.histogram()).toEqual({ none: 2, nullId: 1 })
  })

  it("start: responds correctly after the last step of the script", async () => {
    const node = await start({ script: [{ fault: "serverError" }] })
    const statuses = [await send(node.url, { body: batch }), await send(node.url, { body: batch })]

    expect(statuses.map((received) => received.status)).toEqual([500, 200])
  })

  it("start: a function can choose the fault by the attempt of a call", async () => {
    const node = await start({
      script: ({ calls }) => ({ fault: calls[0]?.attempt === 1 ? "unauthorized" : "none" }),
    })
    const statuses: Array<number | undefined> = []
    for (const id of [1, 2, 1]) statuses.push((await send(node.url, { body: call(id) })).status)

    expect(statuses).toEqual([401, 401, 200])
  })

  it("start: rejects every batch above its limit", async () => {
    const node = await start({ batchLimit: { maxCalls: 2, fault: "rejectedSize" } })

    forms.rejectedSize(await send(node.url, { body: batch }))
    expect(json(await send(node.url, { body: batch.slice(0, 2) }))).toEqual([first, second])
  })

  it("start: responds to text that is not JSON with a parse error", async () => {
    const node = await start({})
    const response = await fetch(node.url, { method: "POST", body: "{" })

    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } })
  })

  it.prop(
    "harmless faults: the body parses to the correct reply of every call, matched by id",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))],
    ([seed]) => {
      const calls = NodeScript.make(seed).calls.map((one, id) => ({ id, ...one }))
      const replies = calls.map(VirtualChain.answer)
      const context = { calls, replies, isBatch: true, target: 0, waitMillis: 0, acceptsGzip: false }
      const harmless = NodeFault.names.filter((name) => NodeFault.all[name].affects === "none")

      for (const name of harmless) {
        const { body } = NodeFault.all[name].respond(context)
        const items = JSON.parse(String(body)) as ReadonlyArray<{ readonly id: number }>
        const byId = new Map(items.map((item) => [item.id, item]))
        expect(calls.map(({ id }) => byId.get(id))).toEqual(
          calls.map(({ id }, at) => ({ jsonrpc: "2.0", id, ...replies[at] })),
        )
      }
    },
  )
})
