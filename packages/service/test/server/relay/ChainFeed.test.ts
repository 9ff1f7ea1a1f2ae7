/** The feed of a chain: when it polls, what it rejects, and when it ends instead of omitting blocks. */
import { describe, expect, it } from "@effect/vitest"
import * as Chain from "@daybook/schema/Chain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ChainFeed from "../../../src/server/relay/ChainFeed.ts"
import * as HeadChain from "../../../src/server/relay/HeadChain.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import { UpstreamUnavailable } from "../../../src/server/relay/Upstream.ts"
import { Blocks, hashOf } from "./blocks.ts"

/** Hashes of removed and of added blocks. */
const hashesOf = (changes: ReadonlyArray<HeadChain.HeadChange>) =>
  changes.map(({ added, removed }) => [removed.map(({ hash }) => hash), added.map(({ hash }) => hash)])

/** Gives blocks a bloom filter that is not empty. */
const withBloom = (text: string) => text.replaceAll('"miner"', `"logsBloom":"0x${"0".repeat(511)}1","miner"`)

/** A feed over blocks, with a listener that keeps what it receives. */
const make = Effect.fnUntraced(function* (
  blocks: Blocks,
  /** `null` for a node that is down, and `undefined` for an unresponsive one. */
  answer: (text: string, method: string) => string | null | undefined = (text) => text,
  { id = 5_000_000, known }: Partial<Pick<ChainFeed.Source, "id" | "known">> = {},
) {
  const scope = yield* Effect.scope
  const calls: Array<string> = []
  const upstream: ChainFeed.Source["upstream"] = {
    call: (method, params) => {
      calls.push(method)
      const reply = blocks.reply({ method, params })
      const text = answer(JSON.stringify(JSON.parse(`{${"member" in reply ? reply.member : ""}}`).result), method)
      if (text === undefined) return Effect.never
      return text === null
        ? Effect.fail(new UpstreamUnavailable({ message: "none", retryAfterSeconds: 1 }))
        : Effect.succeed(Buffer.from(text))
    },
  }
  const reader: ChainFeed.Source["reader"] = { headers: () => Effect.succeed([]) }
  // Sound: the feed reads no other key than `ethereumRules`, which may be absent.
  const config = { pollMillis: 1_000 } as ChainFeed.Source["config"]
  const feed = ChainFeed.make(
    { config, id, known, name: "eth", upstream, reader },
    Turns.make(() => 0),
    scope,
  )
  const changes: Array<HeadChain.HeadChange> = []
  const lost: Array<string> = []
  const listener: ChainFeed.Listener = {
    wantsLogs: true,
    onChange: (change) => changes.push(change),
    onLost: (reason) => lost.push(reason),
  }
  return { calls, feed, hashes: () => hashesOf(changes), listener, lost }
})

describe("ChainFeed", () => {
  it.effect("listen: polls while there is a listener, and starts again with the next one", () =>
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

  it.effect("listen: fails if no node returns the head, and succeeds later", () =>
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

  it.effect("onChange: waits while a node fails or contradicts itself, and then omits no block", () =>
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

  it.effect("onChange: waits for logs that a block's bloom filter indicates, if the chain has valid blooms", () =>
    Effect.gen(function* () {
      let isBehind = true
      const answer = (text: string, method: string) => (method === "eth_getLogs" && isBehind ? "[]" : withBloom(text))
      const [blocks, others] = [new Blocks(5), new Blocks(5)]
      const known = Chain.fromName("eth")
      const [eth, unlisted] = [yield* make(blocks, answer, { id: 1, known }), yield* make(others, answer)]
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
    "onChange: headers do not wait for logs that a node lacks, which follow in block order, also after a reorg",
    () =>
      Effect.gen(function* () {
        let isBehind = true
        const answer = (text: string, method: string) => (method === "eth_getLogs" && isBehind ? "[]" : withBloom(text))
        const blocks = new Blocks(9)
        const { feed, hashes, listener } = yield* make(blocks, answer, { id: 1 })
        const heads: Array<HeadChain.HeadChange> = []
        yield* feed.listen(listener)
        yield* feed.listen({ ...listener, wantsLogs: false, onChange: (change) => heads.push(change) })
        blocks.add()
        yield* TestClock.adjust("1 second")
        blocks.reorganise(2, "b", 3)
        yield* TestClock.adjust("1 second")
        const ofBranch = [9, 10, 11].map((number) => hashOf(number, "b"))
        expect(hashesOf(heads)).toEqual([
          [[], [hashOf(10)]],
          [[hashOf(10), hashOf(9)], ofBranch],
        ])
        expect(hashes()).toEqual([])
        isBehind = false
        yield* TestClock.adjust("1 second")
        blocks.add(1, "b")
        yield* TestClock.adjust("1 second")

        expect(hashes()).toEqual([
          [[hashOf(9)], ofBranch],
          [[], [hashOf(12, "b")]],
        ])
        expect(hashesOf(heads).slice(2)).toEqual([[[], [hashOf(12, "b")]]])
      }),
  )

  it.effect("onChange: headers do not wait for a node that does not return logs, and the feed ends independently", () =>
    Effect.gen(function* () {
      const blocks = new Blocks(5)
      const { calls, feed, hashes, listener } = yield* make(blocks, (text, method) =>
        method === "eth_getLogs" ? undefined : text,
      )
      const ofLogs = yield* feed.listen({ ...listener, onChange: () => undefined })
      const ofHeads = yield* feed.listen({ ...listener, wantsLogs: false })
      for (let second = 0; second < 2; second++) {
        blocks.add()
        yield* TestClock.adjust("1 second")
      }
      for (const stop of [ofLogs, ofHeads]) stop()
      yield* TestClock.adjust("1 second")
      const before = calls.length
      yield* TestClock.adjust("1 minute")

      expect(calls.length).toBe(before)
      expect(hashes()).toEqual([
        [[], [hashOf(6)]],
        [[], [hashOf(7)]],
      ])
    }),
  )

  it.effect(
    "onChange: sends nothing for a node that is behind, and treats a lower head as a reorg once there are other blocks",
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
    "onLost: a reorg below the remembered blocks, too many new blocks, and logs that no node returns end the feed",
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
        const { feed, listener } = feeds[2]!
        const heads: Array<HeadChain.HeadChange> = []
        yield* feed.listen({ ...listener, wantsLogs: false, onChange: (change) => heads.push(change) })
        deep.reorganise(30, "b")
        far.add(1_025)
        without.add()
        yield* TestClock.adjust("19 seconds")
        expect(feeds[2]!.lost).toEqual([])
        yield* TestClock.adjust("1 second")

        expect(feeds.map(({ lost }) => lost)).toEqual([
          ["A reorg of eth is deeper than the remembered blocks"],
          ["More than 1024 blocks of eth arrived at once"],
          ["The nodes of eth do not return the logs of a block"],
        ])
        yield* feed.listen(listener)
        without.add()
        yield* TestClock.adjust("1 second")
        expect(hashesOf(heads)).toEqual([
          [[], [hashOf(6)]],
          [[], [hashOf(7)]],
        ])
        expect(feeds.map(({ hashes }) => hashes())).toEqual([[], [], []])
      }),
  )
})

describe("HeadChain", () => {
  /** Blocks by name, the first of which is the parent of the second: a number, and a letter for the branch. */
  const chainOf = (...names: ReadonlyArray<string>): HeadChain.HeadChain =>
    names.slice(1).map((hash, at) => {
      return {
        number: parseInt(hash),
        hash,
        parentHash: names[at]!,
        hasNonEmptyBloom: false,
        header: "",
        logs: undefined,
      }
    })
  const chain = chainOf("none", "0", "1", "2", "3")

  it.each([
    ["the same state", chain, "Known"],
    ["a head that fell", chainOf("none", "0", "1", "2"), "Known"],
    ["a state without a block or a parent of the chain", chainOf("3b", "4b"), "Unlinked"],
    ["a state of other blocks from the first one", chainOf("other", "0b", "1b"), "TooDeep"],
  ])("relateState: %s adds and removes nothing", (_, newer, expected) => {
    expect(HeadChain.relateState(chain, newer)._tag).toBe(expected)
  })

  it.each([
    ["further blocks", ["none", "0", "1", "2", "3", "4", "5"], [[], ["4", "5"]]],
    [
      "a reorg",
      ["none", "0", "1", "2b", "3b"],
      [
        ["3", "2"],
        ["2b", "3b"],
      ],
    ],
    [
      "a reorg of a state that begins above",
      ["1", "2b", "3b"],
      [
        ["3", "2"],
        ["2b", "3b"],
      ],
    ],
  ])(
    "relateState: %s removes the blocks above the last shared one, and adds those of the state",
    (_, names, expected) => {
      const relation = HeadChain.relateState(chain, chainOf(...names))

      expect(relation._tag === "Joined" && hashesOf([relation.change])).toEqual([expected])
    },
  )
})
