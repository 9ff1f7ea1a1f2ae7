/** The relay's nodes: what is logged and answered while none responds. */
import { type AddressInfo, createServer } from "node:net"
import { describe, it } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import { expect } from "vitest"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Upstream from "../../../src/server/relay/Upstream.ts"
import * as Node from "../node.ts"

const now = () => performance.now()

const bounds = Bounds.make(Schema.decodeSync(Limits)({}), now)

/** The nodes of chain 1 at these URLs, and what they log. */
const connect = Effect.fnUntraced(function* (...urls: readonly [string, ...ReadonlyArray<string>]) {
  const logs: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
  // Sound: nothing else of a chain is used.
  const chain = { name: "eth", id: 1, config: { rpc: urls } } as unknown as Parameters<typeof Upstream.make>[0]
  const upstream = yield* Upstream.make(chain, bounds)
  const call = upstream.call("eth_gasPrice", []).pipe(Effect.provide(logger))
  return { call, failure: Effect.flip(call), logs }
})

/** A port that accepts connections and closes them at once. */
const closing = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
        const server = createServer((socket) => void socket.destroy())
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resolve({ url: `http://127.0.0.1:${port}`, close: () => void server.close() })
        })
      }),
  ),
  ({ close }) => Effect.sync(close),
)

describe("Upstream", () => {
  it.live("call: logs once why no node answers, without its name, and that one answers again", () =>
    Effect.gen(function* () {
      let isDown = true
      const node = yield* Node.start(() => (isDown ? { status: 401, body: "no" } : Node.result('"0x7"')))
      const { call, failure, logs } = yield* connect(node.url)
      for (let attempt = 0; attempt < 2; attempt++) yield* failure
      expect(logs).toEqual(["No node answers the relay (credentials rejected)"])

      isDown = false
      expect([yield* call, yield* call]).toEqual(['"0x7"', '"0x7"'])
      expect(logs.slice(1)).toEqual(["A node answers the relay again"])
    }),
  )

  it.live("call: names the reason of each node once", () =>
    Effect.gen(function* () {
      const [other, limited, silent] = [
        yield* Node.start(() => Node.result("1"), 5),
        yield* Node.start(() => ({ status: 429, body: "slow down", headers: { "retry-after": "7" } })),
        yield* closing,
      ]
      const reasonOf = (...urls: Parameters<typeof connect>) =>
        Effect.gen(function* () {
          const { failure, logs } = yield* connect(...urls)
          yield* failure
          return logs.find((line) => line.startsWith("No node"))
        })

      expect(yield* reasonOf("http://127.0.0.1:1")).toBe("No node answers the relay (connection refused)")
      expect(yield* reasonOf("http://127.0.0.1:1", "http://127.0.0.1:1/other", other.url, limited.url)).toBe(
        "No node answers the relay (connection refused, another chain, rate limited)",
      )
      expect(yield* reasonOf(silent.url)).toMatch(/\(connection (?:closed|reset)\)$/)
      expect(yield* reasonOf(other.url.replace("http:", "https:"))).toBe(
        "No node answers the relay (connection failed)",
      )
    }),
  )

  it.live("call: asks to retry in 2 seconds where no node states a time, and then in that time", () =>
    Effect.gen(function* () {
      const limited = yield* Node.start(() => ({ status: 429, body: "slow down", headers: { "retry-after": "7" } }))
      const { failure } = yield* connect(limited.url)
      const silent = yield* connect((yield* closing).url)

      expect(yield* failure).toMatchObject({ _tag: "UpstreamUnavailable", retryAfterSeconds: 7 })
      expect(yield* silent.failure).toMatchObject({
        _tag: "UpstreamUnavailable",
        message: "No node of eth answers now. Retry later.",
        retryAfterSeconds: 2,
      })
    }),
  )
})
