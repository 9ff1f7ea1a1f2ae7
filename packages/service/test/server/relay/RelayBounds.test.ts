import { connect } from "node:net"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as LocalMethod from "../../../src/server/relay/LocalMethod.ts"
import * as RelayCall from "../../../src/server/relay/RelayCall.ts"
import type { RelayedChain } from "../../../src/server/relay/RelayChains.ts"
import * as Node from "../node.ts"
import { start, type Started } from "../service.ts"
import { grant } from "./authentication.ts"

const call = (id: number, method = "eth_blockNumber", params: ReadonlyArray<unknown> = []) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
})

const withNode = Effect.fnUntraced(function* (reply: (call: Node.Call) => Node.Reply, config: object = {}) {
  const node = yield* Node.start(reply)
  return { node, service: yield* start({ chains: { eth: { config: { rpc: [node.url] } } }, config: { ...config } }) }
})

const small = () => Node.result('"0x1"')

/** Sends the head of a request and part of its body; returns what is received until the connection ends. */
const unfinished = ({ key, url }: Started, length: number, body: string) =>
  Effect.promise(async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let received = ""
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
    socket.on("error", () => {})
    socket.write(`POST /rpc/eth/${key} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${length}\r\n\r\n${body}`)
    await new Promise((resolve) => socket.on("close", resolve))
    return received
  })

describe("Relay bounds", () => {
  it.effect("a local method reads at most 32 MiB of the nodes, in all of its calls", () =>
    Effect.gen(function* () {
      const half = 16 * 1024 * 1024
      const text = Buffer.alloc(half + 1, " ")
      text.write("1")
      const readTwice = Effect.fnUntraced(function* (bytes: number) {
        const local = LocalMethod.make([], (_params, { node }) =>
          Effect.all([node("eth_gasPrice", []), node("eth_gasPrice", [])]),
        )
        const cache = { call: () => Effect.succeed(text.subarray(0, bytes)) }
        const turns = { run: <A, E, R>(work: Effect.Effect<A, E, R>) => work }
        // Sound: the cache does not use the chain.
        const chain = { name: "eth" } as RelayedChain
        const item = { _tag: "Call", id: "1", method: "twice", params: [] } as const
        return yield* RelayCall.run({ cache, local: new Map([["twice", local]]), turns }, item, chain, grant)
      })

      expect(yield* readTwice(half)).toEqual({ _tag: "Success", result: Buffer.from("[1,1]") })
      expect(yield* readTwice(half + 1)).toEqual({
        _tag: "Failure",
        failure: {
          code: -32_008,
          message: "Response too large: the nodes' answers to the call exceed 33554432 bytes. Request less at once.",
        },
      })
    }),
  )

  describe("request", () => {
    it.live("a body with too many levels or values is rejected before it is parsed, with the limit in the error", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode(small)
        const deep = `${"[".repeat(2_200)}${"]".repeat(2_200)}`
        const bodies: ReadonlyArray<readonly [body: string, bound: string]> = [
          [`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${deep}}`, "limits.bodyDepth"],
          [
            `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${"0,".repeat(524_000).slice(0, -1)}]}`,
            "limits.bodyValues",
          ],
          [`{${Array.from({ length: 40_000 }, (_, at) => `"k${at}":0`).join(",")}}`, "limits.bodyValues"],
        ]
        for (const [body, bound] of bodies) {
          const answer = yield* service.call(body)
          expect([answer.status, answer.json.error.code]).toEqual([200, -32600])
          expect(answer.json.error.message).toContain(bound)
        }
        expect(node.calls).toEqual([])
      }),
    )

    it.live("a list of values that are not calls is an oversized batch", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(small, { rateLimit: { perSecond: 1_000, burst: 50 } })
        for (const item of ["0", "{}"]) {
          const answer = yield* service.call(`[${`${item},`.repeat(200_000).slice(0, -1)}]`)
          expect([answer.status, answer.json.error.message]).toEqual([
            413,
            "Batch too large: 200000 calls. Send at most 50.",
          ])
        }
      }),
    )

    it.live("a large body costs calls before it is read, and is not read if they are used up", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(small, { rateLimit: { perSecond: 1, burst: 10 } })
        const large = JSON.stringify(call(1, "eth_blockNumber", [])).padEnd(1024 * 1024)

        const first = yield* service.call(large)
        const second = yield* service.call(large)
        const third = yield* service.call(call(2))

        expect([first.status, first.headers["ratelimit-remaining"]]).toEqual([200, "2"])
        expect([second.status, second.headers["connection"]]).toEqual([429, "close"])
        expect(second.json.error.data.code).toBe("rate_limited")
        expect(third.status).toBe(200)
      }),
    )

    it.live("a body that is not complete in time is rejected and its connection closed", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(small, { limits: { bodySeconds: 1 } })

        const received = yield* unfinished(service, 1_000, "{")

        expect(received).toMatch(/^HTTP\/1\.1 400 /)
        expect(received).toContain("Request body incomplete after 1 s (limits.bodySeconds)")
        expect(received.toLowerCase()).toContain("connection: close")
      }),
    )

    it.live("bodies in flight are limited per key, and another key is served", () =>
      Effect.gen(function* () {
        const bodiesInFlight = { perKey: 100_000, perAddress: 1_000_000, total: 1_000_000 }
        const { service } = yield* withNode(small, { limits: { bodySeconds: 2, bodiesInFlight } })
        const other = yield* service.addKey({ name: "other" })
        const part = "x".repeat(40_000)

        const [first, second, third] = yield* Effect.all(
          [
            unfinished(service, 50_000, part),
            unfinished(service, 50_000, part),
            Effect.delay(unfinished(service, 50_000, part), "500 millis"),
            Effect.delay(
              Effect.map(service.call(call(1), "eth", other), ({ status }) => expect(status).toBe(200)),
              "700 millis",
            ),
          ],
          { concurrency: "unbounded" },
        )

        expect([first, second].map((text) => text.slice(9, 12))).toEqual(["400", "400"])
        expect(third).toMatch(/^HTTP\/1\.1 429 /)
        expect(third).toContain("limits.bodiesInFlight.perKey (100000 bytes)")
      }),
    )

    it.live("a client that waits for 100 Continue gets it", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(small)
        const { hostname, port } = new URL(service.url)
        const body = JSON.stringify(call(1))

        const received = yield* Effect.promise(
          () =>
            new Promise<string>((resolve) => {
              const socket = connect(Number(port), hostname)
              let text = ""
              socket.on("data", (chunk: Buffer) => {
                text += chunk.toString()
                if (text === "HTTP/1.1 100 Continue\r\n\r\n") socket.write(body)
                if (text.includes("0x1")) socket.end(resolve(text) as undefined)
              })
              socket.write(
                `POST /rpc/eth/${service.key} HTTP/1.1\r\nhost: ${hostname}\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
              )
            }),
        )

        expect(received).toContain('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
      }),
    )
  })

  describe("response", () => {
    it.live("the results of a batch have a common limit, and smaller ones still succeed", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(
          ({ method }) => Node.result(method === "eth_blockNumber" ? '"0x1"' : JSON.stringify("a".repeat(400_000))),
          { limits: { batchBytes: 1_000_000 } },
        )
        const large = Array.from({ length: 6 }, (_, id) => call(id, "eth_gasPrice"))

        const answer = yield* service.call([...large, call(6)])

        expect(answer.status).toBe(200)
        const results = (
          answer.json as ReadonlyArray<{ result?: string; error?: { code: number; message: string } }>
        ).map(({ error, result }) => error?.code ?? result?.length)
        expect(results.toSorted((a, b) => a! - b!)).toEqual([-32008, -32008, -32008, -32008, 3, 400_000, 400_000])
        expect(results.at(-1)).toBe(3)
        expect(answer.text).toContain("limits.batchBytes (1000000 bytes)")
      }),
    )

    it.live("a node's response that exceeds a limit is an error of the call, and the node stays in use", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(
          ({ method }) => {
            if (method === "eth_gasPrice") return Node.result(JSON.stringify("a".repeat(400_000)))
            if (method === "eth_getBlockByNumber") return Node.result(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)
            return Node.result('"0x1"')
          },
          { limits: { answerBytes: 300_000 + 200_000 } },
        )

        const deep = yield* service.call(call(1, "eth_getBlockByNumber", ["latest", false]))
        const fine = yield* service.call(call(2, "eth_gasPrice"))

        expect([deep.status, deep.json.error.code]).toEqual([200, -32008])
        expect(deep.json.error.message).toContain("limits.answerDepth (8192 levels)")
        expect([fine.status, fine.json.result.length]).toEqual([200, 400_000])
        expect(service.logs.filter((line) => line.includes("No node responds"))).toEqual([])
      }),
    )

    it.live("a node that sends too many bytes is not treated as down", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode(
          ({ method }) => Node.result(method === "eth_gasPrice" ? JSON.stringify("a".repeat(400_000)) : '"0x1"'),
          { limits: { answerBytes: 300_000 } },
        )

        const large = yield* service.call(call(1, "eth_gasPrice"))
        const next = yield* service.call(call(2))

        expect([large.status, large.json.id, large.json.error.code]).toEqual([200, 1, -32008])
        expect(large.json.error.message).toContain("limits.answerBytes (300000 bytes)")
        expect(next.json.result).toBe("0x1")
        expect(node.calls).toHaveLength(2)
      }),
    )

    it.live(
      "a result above a mebibyte is returned unchanged, including escapes, spaces and multi-byte characters",
      () =>
        Effect.gen(function* () {
          const items = Array.from({ length: 60_000 }, (_, at) => `{ "at":${at}, "no\\"te\\\\":"é𝄞]}" }`)
          const text = `[ ${items.join(" , ")} ]`
          const { node, service } = yield* withNode(() => Node.result(` ${text} `))

          const answers = yield* Effect.all(
            [1, 2, 3].map((id) => service.call(call(id, "eth_gasPrice"))),
            {
              concurrency: "unbounded",
            },
          )

          expect(text.length).toBeGreaterThan(1024 * 1024)
          for (const [at, answer] of answers.entries()) {
            expect(answer.text).toBe(`{"jsonrpc":"2.0","id":${at + 1},"result":${text}}`)
          }
          expect(node.calls.length).toBeLessThanOrEqual(3)
        }),
    )

    it.live("a response above a mebibyte that is truncated or not UTF-8 is not a result", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(({ method }) => ({
          status: 200,
          body:
            method === "eth_gasPrice"
              ? `{"jsonrpc":"2.0","id":1,"result":"${"a".repeat(2_000_000)}`
              : `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"${"a".repeat(2_000_000)}"}}`,
        }))

        const cut = yield* service.call(call(1, "eth_gasPrice"))
        expect(cut.status).toBe(503)
      }),
    )

    it.live("a large result is returned unchanged, alone and in a batch", () =>
      Effect.gen(function* () {
        const text = JSON.stringify(
          Array.from({ length: 20_000 }, (_, at) => ({ at, note: at % 7 === 0 ? "é𝄞" : "0x00" })),
        )
        const { service } = yield* withNode(() => Node.result(text))

        const alone = yield* service.call(call(1, "eth_gasPrice"))
        const batch = yield* service.call([call(1, "eth_gasPrice"), call(2, "nothing")])

        expect(alone.text).toBe(`{"jsonrpc":"2.0","id":1,"result":${text}}`)
        expect(batch.text.startsWith(`[{"jsonrpc":"2.0","id":1,"result":${text}},{"jsonrpc"`)).toBe(true)
        expect(batch.json).toHaveLength(2)
      }),
    )
  })
})
