/** The relay's nodes: what is logged and returned while none responds. */
import { type AddressInfo, createServer } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, it } from "@effect/vitest"
import { Eventually, FakeNode, FaultyServer, LocalServer } from "@daybook/harness"
import { Deferred, Effect, Fiber, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, expect, vi } from "vitest"
import { Limits } from "../../../src/config/Limits.ts"
import type { ServedChain } from "../../../src/config/ServedChain.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as LargeResponses from "../../../src/server/relay/LargeResponses.ts"
import * as Upstream from "../../../src/server/relay/Upstream.ts"
import * as Node from "../node.ts"

type Nodes = ServedChain["config"]["rpc"]

const make = (nodes: Nodes, bounds: Bounds.Bounds["Service"], onNodeCall?: Upstream.OnNodeCall) => {
  // Sound: nothing else of a chain is used.
  const chain = { name: "eth", id: 1, config: { rpc: nodes } } as unknown as Parameters<typeof Upstream.make>[0]
  return Upstream.make(chain, { limits: bounds.limits, sharingOf: LargeResponses.make(bounds) }, onNodeCall)
}

const makeBounds = () =>
  Bounds.make(
    Schema.decodeSync(Limits)({}),
    Turns.make(() => performance.now()),
  )

/** The nodes of chain 1, and what they log. */
const connect = Effect.fnUntraced(function* (...nodes: Nodes) {
  const logs: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
  const upstream = yield* make(nodes, makeBounds())
  const callOf = (method: string) =>
    Effect.provide(
      Effect.map(upstream.call(method, []), (result) => Buffer.from(result).toString()),
      logger,
    )
  const failureOf = (method: string) => Effect.flip(callOf(method))
  return { call: callOf("eth_gasPrice"), failure: failureOf("eth_gasPrice"), failureOf, logs }
})

const mebibyte = 1024 * 1024

/** A node of chain 1 whose other results are texts of this many bytes, sent as fast as they are read. */
const largeNode = (bytes: number) => {
  const chunk = "x".repeat(64 * 1024)
  return LocalServer.scoped(() =>
    FaultyServer.start(({ body }) => {
      const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string }
      const isLarge = method !== "eth_chainId"
      const parts = isLarge ? Array.from({ length: bytes / chunk.length }, () => chunk) : ["0x1"]
      return { pieces: [`{"jsonrpc":"2.0","id":${id},"result":"`, ...parts, '"}'] }
    }),
  )
}

const collectGarbage = () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
}

/** A port that accepts connections and closes them immediately. */
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
  afterEach(() => void vi.useRealTimers())

  it.live("call: processes a response in a turn of the key, and parses it in the same turn", () =>
    Effect.gen(function* () {
      const { url } = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method }) => ({ result: method === "eth_chainId" ? "0x1" : "0x2" })),
      )
      const turns = Turns.make(() => 0)
      const steps: Array<string> = []
      const resume: Turns.Turns["resume"] = (step, ...given) => {
        let isEntered = false
        turns.resume(
          () => {
            steps.push(`${isEntered ? "later" : "at once"} as ${given[1]}`)
            step()
          },
          ...given,
        )
        isEntered = true
      }
      const bounds = Bounds.make(Schema.decodeSync(Limits)({}), { ...turns, resume })
      const upstream = yield* make([url], bounds)
      yield* Effect.provideService(upstream.call("eth_gasPrice", []), Turns.Holder, "one")

      expect(steps).toEqual(["later as one", "at once as one"])
    }),
  )

  it.live("call: limits the large responses held while they are read, and holds none once its call has ended", () =>
    Effect.gen(function* () {
      const bytes = 2 * mebibyte
      const { url } = yield* largeNode(bytes)
      const bounds = makeBounds()
      let peak = 0
      const force = bounds.nodeResponses.hold
      const nodeResponses = {
        ...bounds.nodeResponses,
        hold: (client: Parameters<typeof force>[0]) => {
          const held = force(client)
          const count = (more: number) => {
            held.force(more)
            peak = Math.max(peak, bounds.nodeResponses.total())
          }
          return { ...held, force: count }
        },
      }
      const upstream = yield* make([url], { ...bounds, nodeResponses })
      const results: Array<WeakRef<ArrayBufferLike>> = []
      // Different parameters: identical calls share a response.
      const calls = Array.from({ length: 20 }, (_, at) =>
        Effect.map(upstream.call("debug_traceBlockByNumber", [`0x${at}`]), (result) => {
          results.push(new WeakRef(result.buffer))
          return result.length
        }),
      )
      const lengths = yield* Effect.all(calls, { concurrency: "unbounded" })
      // What a weak reference was made for in a turn of the loop is kept until the turn ends.
      const areCollected = Effect.sync(() => {
        collectGarbage()
        return results.every((result) => result.deref() === undefined)
      })
      yield* Eventually.untilEffect(areCollected, { everyMillis: 20 })

      expect(lengths).toEqual(calls.map(() => bytes + 2))
      expect(bounds.nodeResponses.total()).toBe(0)
      // Four are read and copied; the others hold a mebibyte and a chunk.
      expect(peak).toBeGreaterThan(bytes)
      expect(peak).toBeLessThan(8 * (bytes + mebibyte) + 16 * 2 * mebibyte)
    }),
  )

  it.live("call: returns a large result even if the process paused for two seconds after it was read", () =>
    Effect.gen(function* () {
      const { url } = yield* largeNode(mebibyte)
      const upstream = yield* make([url], makeBounds(), () => void vi.advanceTimersByTime(2_000))
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })

      expect(yield* upstream.call("eth_gasPrice", [])).toHaveLength(mebibyte + 2)
    }),
  )

  it.live("call: reads a small result in a turn of the key that requested it", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const node = yield* Node.start(() => Node.result('"0x7"'))
      const upstream = yield* make([node.url], bounds)
      yield* Effect.provideService(upstream.call("eth_gasPrice", []), Turns.Holder, "caller")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

      expect(bounds.turns.shares.standing("caller")).toBeGreaterThan(0)
    }),
  )

  it.live("call: logs once why no node responds, without its name, and that one responds again", () =>
    Effect.gen(function* () {
      let isDown = true
      const node = yield* Node.start(() => (isDown ? { status: 401, body: "no" } : Node.result('"0x7"')))
      const { call, failure, logs } = yield* connect(node.url)
      for (let attempt = 0; attempt < 2; attempt++) yield* failure
      expect(logs).toEqual(["No node responds to the relay (credentials rejected)"])

      isDown = false
      expect([yield* call, yield* call]).toEqual(['"0x7"', '"0x7"'])
      expect(logs.slice(1)).toEqual(["A node responds to the relay again"])
    }),
  )

  it.effect("call: logs at most once a minute that no node responds, and when one responds after such a line", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(({ method }) =>
        method === "eth_gasPrice" ? Node.result('"0x7"') : { status: 500, body: "too much" },
      )
      const { call, failureOf, logs } = yield* connect(node.url)
      const change = Effect.andThen(failureOf("debug_traceBlockByNumber"), call)
      for (let count = 0; count < 3; count++) yield* change
      const lines = ["No node responds to the relay (invalid response)", "A node responds to the relay again"]
      expect(logs).toEqual(lines)

      yield* TestClock.adjust("1 minute")
      yield* change
      expect(logs).toEqual([...lines, ...lines])
    }),
  )

  it.effect("call: blames no node if other work of its key, or of the key of an identical call, leaves no turn", () =>
    Effect.gen(function* () {
      const [first, second] = [
        yield* Node.start(() => Node.result('"0x7"')),
        yield* Node.start(() => Node.result('"0x8"')),
      ]
      const [isWaiting, outcomes] = [yield* Deferred.make<void>(), new Array<string>()]
      let isBusy = true
      const turns = Turns.make(() => performance.now())
      const resume: Turns.Turns["resume"] = (...given) => {
        if (isBusy && given[2] === "busy") Deferred.doneUnsafe(isWaiting, Effect.void)
        else given[0]()
      }
      const logs: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
      const bounds = Bounds.make(Schema.decodeSync(Limits)({}), { ...turns, resume })
      const upstream = yield* make([first.url, second.url], bounds, ({ outcome }) => void outcomes.push(outcome))
      const call = Effect.provide(upstream.call("eth_gasPrice", []), logger)
      const starved = yield* Effect.forkChild(Effect.flip(Effect.provideService(call, Turns.Holder, "busy")))
      yield* Deferred.await(isWaiting)
      const joined = yield* Effect.forkChild(Effect.flip(Effect.provideService(call, Turns.Holder, "other")))
      yield* TestClock.adjust("15 seconds")

      const error = {
        _tag: "UpstreamUnavailable",
        message: "The response of a node was not processed in time because of other requests. Retry later.",
        retryAfterSeconds: 2,
      }
      expect(yield* Fiber.join(starved)).toMatchObject(error)
      expect(yield* Fiber.join(joined)).toMatchObject(error)
      isBusy = false
      expect(Buffer.from(yield* call).toString()).toBe('"0x7"')
      expect(outcomes).toEqual(["success", "NoTurn", "NoTurn", "success"])
      expect(second.calls).toEqual([])
      expect(logs).toEqual([])
    }),
  )

  it.effect("call: logs that all nodes are paused, if one responds after it has limited another call", () =>
    Effect.gen(function* () {
      const [asked, reply] = [yield* Deferred.make<void>(), yield* Deferred.make<FakeNode.Reply>()]
      const { url } = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method }) => {
          if (method === "eth_chainId") return Node.result('"0x1"')
          if (method === "debug_traceBlockByNumber") return { status: 500, body: "too much" }
          if (method !== "eth_gasPrice") return { status: 429, body: "slow down", headers: { "retry-after": "3600" } }
          Deferred.doneUnsafe(asked, Effect.void)
          return Effect.runPromise(Deferred.await(reply))
        }),
      )
      const { call, failureOf, logs } = yield* connect(url)
      yield* failureOf("debug_traceBlockByNumber")
      yield* TestClock.adjust("30 seconds")
      const slow = yield* Effect.forkChild(call)
      yield* Deferred.await(asked)
      yield* failureOf("eth_blockNumber")
      yield* Deferred.succeed(reply, Node.result('"0x7"'))
      yield* Fiber.join(slow)
      yield* TestClock.adjust("30 seconds")
      yield* failureOf("eth_blockNumber")

      expect(logs).toEqual([
        "No node responds to the relay (invalid response)",
        "A node responds to the relay again",
        "No node responds to the relay (all are paused)",
      ])
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

      expect(yield* reasonOf("http://127.0.0.1:1")).toBe("No node responds to the relay (connection refused)")
      expect(yield* reasonOf("http://127.0.0.1:1", "http://127.0.0.1:1/other", other.url, limited.url)).toBe(
        "No node responds to the relay (connection refused, another chain, rate limited)",
      )
      expect(yield* reasonOf(silent.url)).toMatch(/\(connection (?:closed|reset)\)$/)
      expect(yield* reasonOf(other.url.replace("http:", "https:"))).toBe(
        "No node responds to the relay (connection failed)",
      )
    }),
  )

  it.live("call: asks to retry in 2 seconds if no node states a time, and otherwise in that time", () =>
    Effect.gen(function* () {
      const limited = yield* Node.start(() => ({ status: 429, body: "slow down", headers: { "retry-after": "7" } }))
      const { failure } = yield* connect(limited.url)
      const silent = yield* connect((yield* closing).url)

      expect(yield* failure).toMatchObject({ _tag: "UpstreamUnavailable", retryAfterSeconds: 7 })
      expect(yield* silent.failure).toMatchObject({
        _tag: "UpstreamUnavailable",
        message: "No node of eth responds now. Retry later.",
        retryAfterSeconds: 2,
      })
    }),
  )

  it.live("call: retries once with a node that closed the connection without a response", () =>
    Effect.gen(function* () {
      let isBroken = true
      const node = yield* Node.start(() => {
        const reply = isBroken ? FakeNode.disconnect : Node.result('"0x7"')
        isBroken = false
        return reply
      })
      const broken = yield* Node.start(() => FakeNode.disconnect)

      expect(yield* (yield* connect(node.url)).call).toBe('"0x7"')
      expect(yield* (yield* connect(broken.url)).failure).toMatchObject({ _tag: "UpstreamUnavailable" })
      expect([node, broken].map(({ calls }) => calls.length)).toEqual([2, 2])
    }),
  )

  it.live(
    "call: does not use a node beyond its calls per second if the delay would exceed the time limit of a call",
    () =>
      Effect.gen(function* () {
        const node = yield* Node.start(() => Node.result('"0x7"'))
        // The only call in the first minutes requests the chain.
        const limited = yield* connect({ url: node.url, perSecond: 0.001 })

        expect(yield* limited.failure).toMatchObject({ _tag: "UpstreamUnavailable" })
        expect(node.calls).toEqual([])
      }),
  )

  it.live("call: calls of one key that fail at every node leave those of others a single request to a node", () =>
    Effect.gen(function* () {
      const start = () =>
        Node.start(({ method }) =>
          method === "eth_gasPrice" ? Node.result('"0x7"') : { status: 500, body: "too much" },
        )
      const [first, second] = [yield* start(), yield* start()]
      const { call, failureOf } = yield* connect(first.url, second.url)
      const failures = yield* Effect.replicateEffect(failureOf("debug_traceBlockByNumber"), 6)

      expect(failures.map(({ _tag }) => _tag)).toEqual(Array(6).fill("UpstreamUnavailable"))
      expect(yield* call).toBe('"0x7"')
      expect(first.calls.length + second.calls.length).toBe(6 * 2 + 1)
    }),
  )

  it.live("call: returns a node's error, and asks the next node only after one that may not recur", () =>
    Effect.gen(function* () {
      const [method, overload] = [
        '{"code":-32601,"message":"the method eth_gasPrice does not exist"}',
        '{"code":-32603,"message":"internal error"}',
      ]
      const second = yield* Node.start(() => Node.result('"0x7"'))
      const start = (error: string) =>
        Effect.flatMap(
          Node.start(() => Node.error(error)),
          ({ url }) => connect(url, second.url),
        )

      expect(yield* (yield* start(method)).failure).toMatchObject({ _tag: "RpcError", kind: "methodUnsupported" })
      expect(second.calls).toEqual([])
      expect(yield* (yield* start(overload)).call).toBe('"0x7"')
    }),
  )

  it.effect("call: asks a node of another chain last, even after the other one has failed", () =>
    Effect.gen(function* () {
      let isDown = false
      const asked: Array<number> = []
      const foreign = yield* Node.start(() => Node.result("1"), 5)
      const own = yield* Node.start(() => (isDown ? { status: 500, body: "no" } : Node.result('"0x7"')))
      const upstream = yield* make([foreign.url, own.url], makeBounds(), ({ node }) => void asked.push(node))
      const call = Effect.provide(upstream.call("eth_gasPrice", []), Logger.layer([]))
      yield* call
      isDown = true
      yield* Effect.flip(call)
      isDown = false
      asked.length = 0
      yield* call

      expect(asked).toEqual([1])
    }),
  )

  it.live("call: sends each call of a turn in a separate request", () =>
    Effect.gen(function* () {
      const batches: Array<boolean> = []
      const node = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method }, { isBatch }) => {
          batches.push(isBatch)
          return Node.result(method === "eth_chainId" ? '"0x1"' : "1")
        }),
      )
      const upstream = yield* make([node.url], makeBounds())
      const calls = ["eth_gasPrice", "eth_blockNumber", "eth_maxPriorityFeePerGas"]
      yield* Effect.all(
        calls.map((method) => upstream.call(method, [])),
        { concurrency: "unbounded" },
      )

      expect(batches).toEqual([false, false, false, false])
    }),
  )
})
