import { describe, expect, it } from "@effect/vitest"
import type { Call } from "@daybook/rpc/Method"
import { Effect, Result, Schema } from "effect"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type * as Node from "../../src/node/Node.ts"
import { NodeFailed, WrongChain } from "../../src/node/NodeError.ts"
import type * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as LogsBloom from "../../src/verification/LogsBloom.ts"
import * as RuleDetection from "../../src/fetch/RuleDetection.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "../indexer/fixture.ts"

const sampleOf = (block: number, evidence: Partial<BlockVerifier.Evidence>): RuleDetection.Sample => ({
  block: BigInt(block),
  evidence: { headerHash: true, blooms: true, roots: true, withdrawals: true, ...evidence },
})

const Verdict = Schema.NullOr(Schema.Boolean)
const Samples = Schema.Array(
  Schema.Struct({ headerHash: Verdict, blooms: Verdict, roots: Verdict, withdrawals: Verdict }),
)

/** A block without transactions whose hash is that of its header, or another. */
const emptyBlock = (number: number, isHashed = true): HydratedBlock => {
  const draft = fixture.block({
    number: `0x${number.toString(16)}`,
    transactions: [],
    gasUsed: "0x0",
    transactionsRoot: TrieRoot.empty,
    receiptsRoot: TrieRoot.empty,
  })
  return isHashed ? { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash } : draft
}

/** A node that rejects batches and returns blocks and receipts one by one. */
const refusedBatch = new NodeFailed({ message: "no batches", cause: { _tag: "RpcError" } } as never)

const nodeOf = (
  block: (number: number) => HydratedBlock | null,
  receipts: ReadonlyArray<Receipt> | null = [],
): Node.Node =>
  // Sound: detection calls only these three.
  ({
    batch: () => Effect.fail(refusedBatch),
    block: (number: number) => Effect.suspend(() => Effect.succeed(block(number))),
    receipts: () => Effect.succeed(receipts),
  }) as unknown as Node.Node

describe("RuleDetection", () => {
  it("samplesOf: selects the newest blocks and some of the history, each once", () => {
    expect(RuleDetection.samplesOf(1_000)).toEqual([1_000, 999, 998, 997, 996, 995, 994, 993, 750, 500, 250])
    expect(RuleDetection.samplesOf(2)).toEqual([2, 1, 0])
    expect(RuleDetection.samplesOf(0)).toEqual([0])
  })

  it("samplesOf: selects a rejected block and blocks at growing distances above it, up to the head", () => {
    const usual = RuleDetection.samplesOf(1_000)

    expect(RuleDetection.samplesOf(1_000, 100)).toEqual([...usual, 100, 101, 104, 116, 164, 356])
    expect(RuleDetection.samplesOf(1_000, 0)).toEqual([...usual, 0, 1, 4, 16, 64, 256])
    expect(RuleDetection.samplesOf(1_000, 1_000)).toEqual(usual)
    expect(RuleDetection.samplesOf(1_000, 1_002)).toEqual(usual)
  })

  it("fromSamples: evaluates each rule independently", () => {
    expect(RuleDetection.fromSamples([sampleOf(7, {}), sampleOf(9, { blooms: false })])).toEqual([
      { fromBlock: 0n, headerHash: true, blooms: false, roots: true, withdrawals: true },
    ])
    expect(RuleDetection.fromSamples([sampleOf(7, { roots: false }), sampleOf(9, { roots: false })])).toEqual([
      { fromBlock: 0n, headerHash: true, blooms: true, roots: false, withdrawals: true },
    ])
  })

  it("fromSamples: does not apply a rule without evidence", () => {
    const unproven = sampleOf(7, { headerHash: false, blooms: null, roots: null })

    expect(RuleDetection.fromSamples([])).toEqual(HashRules.none)
    expect(RuleDetection.fromSamples([unproven])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: true },
    ])
  })

  it("fromSamples: applies blooms from the first proven header if no sample has logs", () => {
    const old = sampleOf(5, { headerHash: false, blooms: null })

    expect(RuleDetection.fromSamples([sampleOf(7, { blooms: null })])).toEqual([
      { fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true },
    ])
    expect(RuleDetection.fromSamples([old, sampleOf(7, { blooms: null })])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: true, withdrawals: true },
      { fromBlock: 7n, headerHash: true, blooms: true, roots: true, withdrawals: true },
    ])
  })

  it("fromSamples: applies a rule that old blocks break from the first sample after them", () => {
    const old = sampleOf(250, { headerHash: false, roots: null })

    expect(RuleDetection.fromSamples([sampleOf(1_000, {}), sampleOf(500, {}), old])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: true, roots: true, withdrawals: true },
      { fromBlock: 500n, headerHash: true, blooms: true, roots: true, withdrawals: true },
    ])
  })

  it("fromSamples: needs evidence for every rule except withdrawals after the last block that breaks it", () => {
    const unproven = { headerHash: null, blooms: null, roots: null, withdrawals: null }
    const broken = { headerHash: false, blooms: false, roots: false, withdrawals: false }

    expect(RuleDetection.fromSamples([sampleOf(3, {}), sampleOf(5, broken), sampleOf(7, unproven)])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false },
      { fromBlock: 7n, headerHash: false, blooms: false, roots: false, withdrawals: true },
    ])
    expect(RuleDetection.fromSamples([sampleOf(3, {}), sampleOf(5, broken)])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false },
    ])
    expect(RuleDetection.fromSamples([sampleOf(3, unproven)])).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: true },
    ])
  })

  it("fromSamples: lists the first blocks of the rules in ascending order, whichever rule is first", () => {
    const samples = [
      sampleOf(100, { headerHash: false, blooms: false, roots: false }),
      sampleOf(300, { headerHash: false, roots: false }),
      sampleOf(500, { roots: false }),
      sampleOf(700, {}),
    ]

    expect(RuleDetection.fromSamples(samples)).toEqual([
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: true },
      { fromBlock: 300n, headerHash: false, blooms: true, roots: false, withdrawals: true },
      { fromBlock: 500n, headerHash: true, blooms: true, roots: false, withdrawals: true },
      { fromBlock: 700n, headerHash: true, blooms: true, roots: true, withdrawals: true },
    ])
  })

  it.prop("fromSamples: returns rules that no sample breaks", { verdicts: Samples }, ({ verdicts }) => {
    const samples = verdicts.map((evidence, index) => sampleOf(index * 10, evidence))
    const rules = RuleDetection.fromSamples(samples)

    for (const { block, evidence } of samples) {
      const held = HashRules.at(rules, block)
      for (const rule of ["headerHash", "blooms", "roots", "withdrawals"] as const) {
        if (evidence[rule] === false) expect(held[rule]).toBe(false)
      }
    }
  })

  it.effect("detect: proves the header hash, and thus the blooms, if blocks have no transactions", () =>
    Effect.gen(function* () {
      const rules = yield* RuleDetection.detect(
        nodeOf((number) => emptyBlock(number)),
        40,
      )

      expect(rules).toEqual([{ fromBlock: 0n, headerHash: true, blooms: true, roots: false, withdrawals: true }])
    }),
  )

  it.effect("detect: finds blooms that omit logs although the header hash is correct (synthetic)", () =>
    Effect.gen(function* () {
      const logs = LogsBloom.ofLogs(fixture.receipts()[0]!.logs)!
      const bloom = `0x${Buffer.from(logs).toString("hex")}`
      const [wire] = [{ ...fixture.transferReceiptWire, logs: [fixture.logWire(0, 0)], logsBloom: bloom }]
      const draft = fixture.block({ number: "0x28", transactions: [fixture.transferWire] })
      const strange = { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash }
      const node = nodeOf((number) => (number === 40 ? strange : emptyBlock(number)), fixture.receipts([wire]))

      expect(yield* RuleDetection.detect(node, 40)).toEqual([
        { fromBlock: 0n, headerHash: true, blooms: false, roots: false, withdrawals: true },
      ])
    }),
  )

  it.effect("detect: omits old blocks for which the node fails, but not the newest", () =>
    Effect.gen(function* () {
      const failed = new NodeFailed({ message: "pruned", cause: { _tag: "RpcError" } } as never)
      const failing = (at: (number: number) => boolean): Node.Node => ({
        ...nodeOf((number) => emptyBlock(number)),
        block: (number) => (at(number) ? Effect.fail(failed) : Effect.succeed(emptyBlock(number))),
      })
      const rules = yield* RuleDetection.detect(
        failing((number) => number < 40),
        40,
      )

      expect(HashRules.at(rules, 40n).headerHash).toBe(true)
      expect(
        yield* Effect.flip(
          RuleDetection.detect(
            failing((number) => number === 40),
            40,
          ),
        ),
      ).toBe(failed)
    }),
  )

  it.effect(
    "detect: requests all blocks before the first one arrives, so that a distant node costs one round trip",
    () =>
      Effect.gen(function* () {
        const steps: Array<string> = []
        const block = (number: number) =>
          Effect.gen(function* () {
            steps.push("asked")
            yield* Effect.yieldNow
            steps.push("received")
            return emptyBlock(number)
          })
        yield* RuleDetection.detect({ ...nodeOf(() => null), block }, 1_000)

        expect(steps.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => "asked"))
      }),
  )

  it.effect("detect: reads each block once, and receipts only for blocks with transactions", () =>
    Effect.gen(function* () {
      const draft = fixture.block({ number: "0x28", transactions: [fixture.transferWire] })
      const busy = { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash }
      const read: Array<number> = []
      const asked: Array<unknown> = []
      const node: Node.Node = {
        ...nodeOf((number) => {
          read.push(number)
          return number === 40 ? busy : emptyBlock(number)
        }),
        receipts: (query) => {
          asked.push(query)
          return Effect.succeed(fixture.receipts())
        },
      }
      yield* RuleDetection.detect(node, 40, 7)

      expect(read.toSorted((one, other) => one - other)).toEqual(
        RuleDetection.samplesOf(40, 7).toSorted((one, other) => one - other),
      )
      expect(asked).toEqual([{ number: 40, hash: busy.hash, transactions: [fixture.transferHash] }])
    }),
  )

  it.effect(
    "detect: takes blocks and receipts from one response, and requests those that are missing or do not belong to it",
    () =>
      Effect.gen(function* () {
        const busyAt = (number: number) => {
          const draft = fixture.block({ number: `0x${number.toString(16)}`, transactions: [fixture.transferWire] })
          return { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash! }
        }
        const receiptOf = (number: number) => [{ ...fixture.receipts()[0]!, blockHash: busyAt(number).hash }]
        const asked: Array<unknown> = []
        const batches: Array<ReadonlyArray<Call>> = []
        const node: Node.Node = {
          ...nodeOf(() => null),
          batch: (calls) =>
            Effect.sync(() => {
              batches.push(calls)
              return calls.map(({ method, params }) => {
                const number = Number(params?.[0])
                if (method === "eth_getBlockByNumber") return Result.succeed(number === 0 ? null : busyAt(number))
                return Result.succeed(number === 1 ? receiptOf(2) : receiptOf(number))
              })
            }),
          block: (number) => Effect.sync(() => (asked.push(["block", number]), emptyBlock(number))),
          receipts: ({ number }) => Effect.sync(() => (asked.push(["receipts", number]), receiptOf(number))),
        }
        const rules = yield* RuleDetection.detect(node, 3)

        // Not all at once: a slow node responds to a request with few calls.
        expect(batches.map(({ length }) => length)).toEqual([2, 2, 2, 2])
        expect(asked).toEqual([
          ["receipts", 1],
          ["block", 0],
        ])
        expect(HashRules.at(rules, 0n).headerHash).toBe(true)
      }),
  )

  it.effect("detect: sends no further call to a node that does not respond to the first", () =>
    Effect.gen(function* () {
      const gone = new NodeFailed({ message: "gone", cause: { _tag: "TimeoutError" } } as never)
      const node = { ...nodeOf(() => null), batch: () => Effect.fail(gone), block: () => Effect.die("another call") }

      expect(yield* Effect.flip(RuleDetection.detect(node, 40))).toBe(gone)
    }),
  )

  it.effect("detect: proves blooms with the receipts of a block with logs", () =>
    Effect.gen(function* () {
      const logs = LogsBloom.ofLogs(fixture.receipts()[0]!.logs)!
      const logsBloom = `0x${Buffer.from(logs).toString("hex")}`
      const draft = fixture.block({ number: "0x28", transactions: [fixture.transferWire], logsBloom })
      const busy = { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash }
      const receipts = fixture.receipts([{ ...fixture.transferReceiptWire, logsBloom }])
      const rules = yield* RuleDetection.detect(
        nodeOf((number) => (number === 40 ? busy : emptyBlock(number)), receipts),
        40,
      )

      expect(HashRules.at(rules, 40n)).toMatchObject({ headerHash: true, blooms: true })
    }),
  )

  it.effect("detect: does not use missing or pending blocks as evidence", () =>
    Effect.gen(function* () {
      const draft = fixture.block({ number: "0x28", transactions: [fixture.transferWire] })
      const odd = [null, { ...draft, hash: null }, { ...emptyBlock(39), number: null }]
      const node: Node.Node = {
        ...nodeOf((number) => (number > 37 ? odd[40 - number]! : null)),
        receipts: () => Effect.die("receipts of a pending block"),
      }

      expect(yield* RuleDetection.detect(node, 40)).toEqual(HashRules.none)
    }),
  )

  it.effect("detect: does not use a newest block that does not decode as evidence", () =>
    Effect.gen(function* () {
      const cause = { _tag: "InvalidResponse", isRetryable: false, reason: "content", path: "result.gasUsed" }
      const undecoded = new NodeFailed({ message: "undecoded", cause } as never)
      const node: Node.Node = {
        ...nodeOf((number) => emptyBlock(number)),
        block: (number) => (number === 40 ? Effect.fail(undecoded) : Effect.succeed(emptyBlock(number))),
      }

      expect(HashRules.at(yield* RuleDetection.detect(node, 40), 40n)).toMatchObject({ headerHash: true })
    }),
  )

  it.effect("detect: requests receipts if a response has too few, or some that belong to another block", () =>
    Effect.gen(function* () {
      const wires = [fixture.transferWire, fixture.creationWire]
      const draft = fixture.block({ number: "0x28", transactions: wires })
      const busy = { ...draft, hash: fixture.block({ hash: HeaderHash.fromBlock(draft) }).hash! }
      const own = fixture.receipts().map((receipt) => ({ ...receipt, blockHash: busy.hash }))
      const askedFor = Effect.fnUntraced(function* (received: ReadonlyArray<Receipt>) {
        const asked: Array<unknown> = []
        const node: Node.Node = {
          ...nodeOf(() => null),
          batch: () => Effect.succeed([Result.succeed(busy), Result.succeed(received)]),
          receipts: (query) => Effect.sync(() => (asked.push(query), own)),
        }
        yield* RuleDetection.detect(node, 0)
        return asked.length
      })

      expect(yield* askedFor(own)).toBe(0)
      expect(yield* askedFor(own.slice(0, 1))).toBe(1)
      expect(yield* askedFor([own[0]!, fixture.receipts()[1]!])).toBe(1)
    }),
  )

  it.effect("detect: requests blocks one by one if a batch is invalid, and fails if the node's chain is wrong", () =>
    Effect.gen(function* () {
      const invalid = new NodeFailed({ message: "invalid", cause: { _tag: "InvalidResponse" } } as never)
      const wrong = new WrongChain({ host: "node.example", configured: 1, found: 5n })
      const failing = (error: NodeFailed | WrongChain): Node.Node => ({
        ...nodeOf((number) => emptyBlock(number)),
        batch: () => Effect.fail(error),
      })

      expect(HashRules.at(yield* RuleDetection.detect(failing(invalid), 40), 40n).headerHash).toBe(true)
      expect(yield* Effect.flip(RuleDetection.detect(failing(wrong), 40))).toBe(wrong)
    }),
  )
})
