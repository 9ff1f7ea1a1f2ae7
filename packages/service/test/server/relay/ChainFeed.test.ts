/** The feed of a chain: when it polls, what it refuses, and where it ends instead of leaving blocks out. */
import { describe, expect, it } from "@effect/vitest"
import * as Chain from "@daybook/schema/Chain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ChainFeed from "../../../src/server/relay/ChainFeed.ts"
import type { HeadChange } from "../../../src/server/relay/HeadChain.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import { UpstreamUnavailable } from "../../../src/server/relay/Upstream.ts"
import { Blocks, hashOf } from "./blocks.ts"

/** A feed over blocks, with a listener that keeps what it receives. */
const make = Effect.fnUntraced(function* (
  blocks: Blocks,
  answer: (text: string, method: string) => string | null = (text) => text,
  known?: ChainFeed.Source["known"],
) {
  const scope = yield* Effect.scope
  const calls: Array<string> = []
  const upstream: ChainFeed.Source["upstream"] = {
    call: (method, params) => {
      calls.push(method)
      const reply = blocks.reply({ method, params })
      const text = answer(JSON.stringify(JSON.parse(`{${"member" in reply ? reply.member : ""}}`).result), method)
      return text === null
        ? Effect.fail(new UpstreamUnavailable({ message: "none", retryAfterSeconds: 1 }))
        : Effect.succeed(Buffer.from(text))
    },
  }
  const reader: ChainFeed.Source["reader"] = { headers: () => Effect.succeed([]) }
  // Sound: the feed reads the interval of polls alone.
  const config = { pollMillis: 1_000 } as ChainFeed.Source["config"]
  const feed = ChainFeed.make(
    { config, known, name: "eth", upstream, reader },
    Turns.make(() => 0),
    scope,
  )
  const changes: Array<HeadChange> = []
  const lost: Array<string> = []
  const listener: ChainFeed.Listener = {
    wantsLogs: () => true,
    onChange: (change) => changes.push(change),
    onLost: (reason) => lost.push(reason),
  }
  const hashes = () =>
    changes.map(({ added, removed }) => [removed.map(({ hash }) => hash), added.map(({ hash }) => hash)])
  return { calls, feed, hashes, listener, lost }
})

describe("ChainFeed", () => {
  it.effect("listen: polls while there is a listener, and begins anew with the next one", () =>
    Effect.gen(function* () {
      const blocks = new Blocks(5)
      const { calls, feed, hashes, listener } = yield* make(blocks)
      const stop = yield* feed.listen(listener)
      blocks.add()
      yield* TestClock.adjust("1 second")
      stop()
      yield* TestClock.adjust("1 second")
      const before = calls.length
      blocks.add(3)
      yield* TestClock.adjust("1 minute")

      expect(calls.length).toBe(before)
      yield* feed.listen(listener)
      blocks.add()
      yield* TestClock.adjust("1 second")
      expect(hashes()).toEqual([
        [[], [hashOf(6)]],
        [[], [hashOf(10)]],
      ])
    }),
  )

  it.effect("listen: fails where no node gives the head, and listens later", () =>
    Effect.gen(function* () {
      let isDown = true
      const blocks = new Blocks(5)
      const { feed, hashes, listener } = yield* make(blocks, (text) => (isDown ? null : text))
      const failed = yield* Effect.flip(feed.listen(listener))
      isDown = false
      yield* feed.listen(listener)
      blocks.add()
      yield* TestClock.adjust("1 second")

      expect(failed._tag).toBe("UpstreamUnavailable")
      expect(hashes()).toEqual([[[], [hashOf(6)]]])
    }),
  )

  it.effect("onChange: waits while a node fails or contradicts itself, and then leaves no block out", () =>
    Effect.gen(function* () {
      const blocks = new Blocks(5)
      let answer = (text: string, _method: string): string | null => text
      const { feed, hashes, listener, lost } = yield* make(blocks, (text, method) => answer(text, method))
      yield* feed.listen(listener)
      const answers: ReadonlyArray<typeof answer> = [
        () => null,
        () => "null",
        () => "[1",
        () => `{"number":"0x9","hash":"0x1","parentHash":"0x2"}`,
        (text, method) => (method === "eth_getBlockByHash" ? text.replaceAll(hashOf(6), hashOf(60)) : text),
        (text, method) => (method === "eth_getLogs" ? null : text),
        (text, method) => (method === "eth_getLogs" ? text.replaceAll(/"blockHash":"0x./g, `"blockHash":"0xf`) : text),
        (text) => " ".repeat(5 * 1024 * 1024) + text,
      ]
      for (const next of answers) {
        answer = next
        blocks.add()
        yield* TestClock.adjust("1 second")
      }
      expect(hashes()).toEqual([])
      answer = (text) => text
      yield* TestClock.adjust("1 second")

      expect(hashes()).toEqual([[[], answers.map((_, at) => hashOf(6 + at))]])
      expect(lost).toEqual([])
    }),
  )

  it.effect(
    "onChange: waits for logs that the bloom filter of a block states, where the blooms of the chain are those of logs",
    () =>
      Effect.gen(function* () {
        let isBehind = true
        const bloom = `"logsBloom":"0x${"0".repeat(511)}1","miner"`
        const answer = (text: string, method: string) =>
          method === "eth_getLogs" && isBehind ? "[]" : text.replaceAll('"miner"', bloom)
        const [blocks, others] = [new Blocks(5), new Blocks(5)]
        const [eth, unlisted] = [yield* make(blocks, answer, Chain.fromName("eth")), yield* make(others, answer)]
        for (const { feed, listener } of [eth, unlisted]) yield* feed.listen(listener)
        for (const chain of [blocks, others]) chain.add()
        yield* TestClock.adjust("1 second")
        expect([eth.hashes(), unlisted.hashes()]).toEqual([[], [[[], [hashOf(6)]]]])
        isBehind = false
        yield* TestClock.adjust("1 second")

        expect(eth.hashes()).toEqual([[[], [hashOf(6)]]])
      }),
  )

  it.effect(
    "onChange: nothing is sent for a node that is behind, and a head that falls is a reorg once there are other blocks",
    () =>
      Effect.gen(function* () {
        const blocks = new Blocks(9)
        const { feed, hashes, listener } = yield* make(blocks)
        yield* feed.listen(listener)
        blocks.blocks.length = 7
        yield* TestClock.adjust("1 second")
        expect(hashes()).toEqual([])
        blocks.add(1, "b")
        yield* TestClock.adjust("1 second")

        expect(hashes()).toEqual([[[9, 8, 7].map((number) => hashOf(number)), [hashOf(7, "b")]]])
      }),
  )

  it.effect(
    "onLost: a reorg below the remembered blocks, too many new blocks, and logs that no node gives end the feed",
    () =>
      Effect.gen(function* () {
        const deep = new Blocks(40)
        const far = new Blocks(5)
        const without = new Blocks(5)
        const feeds = [
          yield* make(deep),
          yield* make(far),
          yield* make(without, (text, method) => (method === "eth_getLogs" ? null : text)),
        ]
        yield* Effect.forEach(feeds, ({ feed, listener }) => feed.listen(listener))
        deep.reorganise(30, "b")
        far.add(1_025)
        without.add()
        yield* TestClock.adjust("19 seconds")
        expect(feeds[2]!.lost).toEqual([])
        yield* TestClock.adjust("1 second")

        expect(feeds.map(({ lost }) => lost)).toEqual([
          ["A reorg of eth is deeper than the blocks that are remembered"],
          ["More than 1024 blocks of eth are new at once"],
          ["The nodes of eth do not give the logs of a block"],
        ])
        expect(feeds.map(({ hashes }) => hashes())).toEqual([[], [], []])
      }),
  )
})
