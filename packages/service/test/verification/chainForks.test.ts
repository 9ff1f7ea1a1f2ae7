/**
 * Verifies blocks by the rules of forks of several chains. The blocks are synthetic: no recording of these forks is in
 * the repository.
 */
import { Effect, Logger, References, Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Chain from "@daybook/schema/Chain"
import * as OxHash from "ox/Hash"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as Deviation from "../../src/block/Deviation.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as LogsBloom from "../../src/verification/LogsBloom.ts"
import * as Rlp from "../../src/verification/Rlp.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as Undecoded from "../../src/verification/Undecoded.ts"
import * as fixture from "../indexer/fixture.ts"

type Wire = Readonly<Record<string, unknown>>

const zero = fixture.address("0")
const hexOf = (number: bigint | number) => `0x${number.toString(16)}`
const bloomText = (bloom: Uint8Array | null) =>
  bloom === null ? LogsBloom.none : `0x${Buffer.from(bloom).toString("hex")}`

const stateSyncOf = (more: Wire): Wire => ({
  ...fixture.creationWire,
  from: zero,
  to: zero,
  value: "0x0",
  input: "0x",
  gas: "0x0",
  gasPrice: "0x0",
  nonce: "0x0",
  ...more,
})

/** A consistent block with a transfer and a state-sync transaction: the first `covered` transactions are in blooms and roots. */
const polygonBlock = (number: bigint, covered: number, stateSync: Wire) => {
  const at = { blockNumber: hexOf(number) }
  const unhashed = fixture.block({ transactions: [fixture.transferWire] }).transactions[0]!
  const hash = OxHash.keccak256(Rlp.transaction(unhashed)!)
  const logAt = (index: number, more: Wire = {}) => fixture.logWire(index, index, { ...at, ...more })
  const bloomOf = (logs: ReadonlyArray<Wire>) =>
    LogsBloom.ofLogs(fixture.receipts([{ ...fixture.transferReceiptWire, logs }])[0]!.logs)
  const [first, second] = [[logAt(0, { transactionHash: hash })], [logAt(1, { address: fixture.address("8") })]]
  const blooms = [bloomOf(first), bloomOf(second)]
  const receipts = fixture.receipts([
    { ...fixture.transferReceiptWire, ...at, transactionHash: hash, logs: first, logsBloom: bloomText(blooms[0]!) },
    {
      ...fixture.creationReceiptWire,
      ...at,
      root: "0x",
      status: "0x1",
      contractAddress: null,
      logs: second,
      logsBloom: bloomText(blooms[1]!),
    },
  ])
  const types = [2, stateSync["type"] === "0x7f" ? 0x7f : 0]
  const encoded = receipts.map((receipt, index) => Rlp.receipt(receipt, types[index]!)!)
  const draft = {
    number: hexOf(number),
    logsBloom: bloomText(LogsBloom.union(blooms.slice(0, covered))),
    transactionsRoot: covered === 1 ? TrieRoot.fromValues([Rlp.transaction(unhashed)!]) : fixture.hash("4"),
    receiptsRoot: TrieRoot.fromValues(encoded.slice(0, covered)),
  }
  const blockHash = HeaderHash.fromBlock(fixture.block(draft))
  const placed = { ...at, blockHash }
  const block = fixture.block({
    ...draft,
    hash: blockHash,
    transactions: [
      {
        ...fixture.transferWire,
        ...placed,
        hash,
      },
      {
        ...stateSync,
        ...placed,
      },
    ],
  })
  const moved = receipts.map((receipt) => ({
    ...receipt,
    blockHash: block.hash!,
    logs: receipt.logs.map((log) => ({
      ...log,
      blockHash: block.hash!,
    })),
  }))
  return [block, moved] as const
}

const issueOf = (
  rules: HashRules.HashRules,
  [block, receipts]: readonly [Parameters<typeof BlockVerifier.verify>[0], Parameters<typeof BlockVerifier.verify>[1]],
  checks: HashRules.Level = "full",
) => {
  const outcome = BlockVerifier.verify(block, receipts, { rules, checks })
  return Result.isFailure(outcome) ? outcome.failure.what : "none"
}

describe("BlockVerifier by fork", () => {
  describe.each([
    ["polygon", 80_084_800n],
    ["polygon amoy", 28_899_616n],
  ])("%s", (name, madhugiri) => {
    const rules = Chain.fromName(name)!.hashRules

    it("verify: excludes a state-sync transaction from blooms and roots before Madhugiri (synthetic)", () => {
      const untyped = stateSyncOf({})

      expect(issueOf(rules, polygonBlock(madhugiri - 1n, 1, untyped))).toBe("none")
      expect(issueOf(rules, polygonBlock(madhugiri - 1n, 2, untyped), "standard")).toBe(
        "the bloom of the block does not match its logs",
      )
    })

    it("verify: includes a state-sync transaction in blooms and receipts root since Madhugiri (synthetic)", () => {
      const typed = stateSyncOf({ type: "0x7f" })

      expect(issueOf(rules, polygonBlock(madhugiri, 2, typed))).toBe("none")
      expect(issueOf(rules, polygonBlock(madhugiri, 1, typed))).toBe("the bloom of the block does not match its logs")
    })
  })

  describe("cronos", () => {
    const rules = Chain.fromName("cronos")!.hashRules
    const old = { blockNumber: hexOf(19_999_999n) }
    const recent = { blockNumber: hexOf(20_000_000n) }
    const partsAt = (at: Wire, logs: ReadonlyArray<number>, count = 2) =>
      [
        fixture.block({
          number: at["blockNumber"],
          transactions: [fixture.transferWire, fixture.creationWire].map((wire) => ({ ...wire, ...at })),
        }),
        fixture
          .receipts([
            { ...fixture.transferReceiptWire, ...at, logs: [] },
            {
              ...fixture.creationReceiptWire,
              ...at,
              logs: logs.map((index) => fixture.logWire(index, 1, at)),
            },
          ])
          .slice(-count),
      ] as const

    it("verify: accepts gaps in log indexes only for old blocks (synthetic)", () => {
      expect(issueOf(rules, partsAt(old, [1, 3]))).toBe("none")
      expect(issueOf(rules, partsAt(recent, [1, 3]))).toBe(
        "the index of log 0 of transaction 1: expected 0, received 1",
      )
      expect(issueOf(rules, partsAt(old, [3, 1]))).toBe("the index of log 1 of transaction 1: expected 4, received 1")
    })

    it("verify: accepts a transaction without a receipt only in old blocks (synthetic)", () => {
      expect(issueOf(rules, partsAt(old, [0], 1))).toBe("none")
      expect(issueOf(rules, partsAt(recent, [0], 1))).toBe("receipts: expected 2, received 1")
    })

    it("of: names gaps and missing receipts of an accepted block", () => {
      const kinds = (...[block, receipts]: ReturnType<typeof partsAt>) =>
        Deviation.find(block, receipts, { rules }).map(({ detail, kind }) => `${kind}: ${detail}`)

      expect(kinds(...partsAt(old, [1], 1))).toEqual([
        "missing receipts: 1 of 2",
        "gap in log indexes: index 1 at position 0",
      ])
      expect(kinds(...partsAt(old, [0]))).toEqual([])
    })
  })

  it("verify: accepts transaction indexes of Hedera that count other transactions (synthetic)", () => {
    const rules = HashRules.ofChain(295)!
    const at = { transactionIndex: "0x5" }
    const block = fixture.block({ transactions: [fixture.transferWire, { ...fixture.creationWire, ...at }] })
    const logs = [fixture.logWire(1, 1, at)]
    const receipts = fixture.receipts([fixture.transferReceiptWire, { ...fixture.creationReceiptWire, ...at, logs }])

    expect(issueOf(rules, [block, receipts])).toBe("none")
    expect(issueOf(HashRules.none, [block, receipts])).toBe("the index of transaction 1: expected 1, received 5")

    const { unmet } = Result.getOrThrow(BlockVerifier.verify(block, fixture.receipts(), { rules }))
    expect(unmet.map(({ kind }) => kind)).toEqual(["places of receipts", "places of logs"])
  })

  describe("unknown header fields", () => {
    const blockOf = (more: Wire) => fixture.block({ ...more, transactions: [], gasUsed: "0x0" })
    const hash = HeaderHash.fromBlock(blockOf({}))

    it("verify: accepts another header hash if the header has an unknown field", () => {
      expect(issueOf(HashRules.ethereum, [blockOf({ hash, forkRoot: "0x1" }), []], "standard")).toBe("none")
      expect(issueOf(HashRules.ethereum, [blockOf({ forkRoot: "0x1" }), []], "standard")).toBe("none")
      for (const known of [{}, { forkRoot: null }, { sealFields: [] }]) {
        expect(issueOf(HashRules.ethereum, [blockOf(known), []], "standard")).toContain("header hash: expected")
      }
    })

    it("find: names the unknown fields if the header hash does not match", () => {
      const options = { rules: HashRules.ethereum }

      expect(Deviation.find(blockOf({ forkRoot: "0x1", slot: "0x2" }), null, options)).toEqual([
        { kind: "unknown header fields", detail: "forkRoot, slot" },
      ])
      expect(Deviation.find(blockOf({ hash, forkRoot: "0x1" }), null, options)).toEqual([])
      expect(Deviation.find(blockOf({ forkRoot: "0x1" }), null, { ...options, checks: "links" })).toEqual([])
    })

    it("makeLog: logs each kind of deviation once, and unknown fields once for each set", async () => {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber }) => {
        lines.push(fiber.getRef(References.CurrentLogAnnotations))
      })
      const { report } = Deviation.makeLog()
      const first = { kind: "unknown header fields", detail: "forkRoot" } as const
      const second = { kind: "unknown header fields", detail: "slot" } as const
      const third = { kind: "missing receipts", detail: "1 of 2" } as const
      await Effect.runPromise(
        Effect.andThen(report(7, [first, third]), report(8, [first, second, { ...third, detail: "2 of 3" }])).pipe(
          Effect.provide(Logger.layer([logger])),
        ),
      )

      expect(lines).toEqual([
        { block: 7, deviation: first.kind, detail: "forkRoot" },
        { block: 7, deviation: third.kind, detail: "1 of 2" },
        { block: 8, deviation: second.kind, detail: "slot" },
      ])
    })
  })

  it("verify: excludes a state-sync transaction from the blooms of a block that has no other (synthetic)", () => {
    const rules: HashRules.HashRules = [{ ...HashRules.none[0], blooms: true, stateSyncCovered: false }]
    const at = { transactionIndex: "0x0" }
    const logs = [fixture.logWire(0, 1, at)]
    const bloom = LogsBloom.ofLogs(fixture.receipts([{ ...fixture.creationReceiptWire, logs }])[0]!.logs)
    const block = fixture.block({ transactions: [stateSyncOf(at)], logsBloom: LogsBloom.none })
    const receipts = fixture.receipts([{ ...fixture.creationReceiptWire, ...at, logs, logsBloom: bloomText(bloom) }])

    expect(issueOf(rules, [block, receipts])).toBe("none")
  })

  describe("computed blooms and receipts root (synthetic)", () => {
    const rules = Chain.fromName("polygon")!.hashRules
    const [block, receipts] = polygonBlock(80_084_800n, 2, stateSyncOf({ type: "0x7f" }))
    const withFirst = (more: object) => receipts.map((receipt, at) => (at === 0 ? { ...receipt, ...more } : receipt))
    const otherGas = withFirst({ cumulativeGasUsed: receipts[0]!.cumulativeGasUsed + 1n })
    const otherBloom = withFirst({ logsBloom: LogsBloom.none })

    it("verify: rejects receipts that do not have the root of the block", () => {
      expect(issueOf(rules, [block, otherGas])).toMatch(
        new RegExp(`^receipts root: expected 0x[0-9a-f]{64}, received ${block.receiptsRoot}$`),
      )
      expect(issueOf(rules, [block, otherGas], "standard")).toBe("none")
    })

    it("verify: accepts a receipts root that cannot be computed: of an unknown type, or with undecodable parts", () => {
      const unknown = polygonBlock(80_084_800n, 2, stateSyncOf({ type: "0xee" }))
      const part = { hash: receipts[0]!.transactionHash, reason: "no bytes", isLeftOut: false }
      const accepted = [
        { ...Undecoded.none, receipts: [part] },
        { ...Undecoded.none, header: new Map([["receiptsRoot", "no hash"]]) },
      ].map((undecoded) => BlockVerifier.verify(block, otherGas, { rules, checks: "full", undecoded }))

      expect(issueOf(rules, unknown)).toBe("none")
      expect(accepted.map(Result.isSuccess)).toEqual([true, true])
    })

    it("verify: rejects a receipt whose bloom is not that of its logs, unless the receipts root proves the logs", () => {
      const alone: HashRules.HashRules = [{ ...HashRules.none[0], blooms: true }]
      const proved = Result.getOrThrow(BlockVerifier.verify(block, otherBloom, { rules }))
      const detail = "the bloom of receipt 0 does not match its logs"

      expect(issueOf(alone, [block, otherBloom], "standard")).toBe(detail)
      expect(issueOf(alone, [{ ...block, logsBloom: null }, receipts], "standard")).toBe("none")
      expect(proved.unmet).toEqual([{ kind: "blooms", detail }])
    })
  })

  it("evidence: evaluates each rule independently and is null if a part proves nothing (synthetic)", () => {
    const [block, receipts] = polygonBlock(100n, 1, stateSyncOf({}))
    const empty = fixture.block({ transactions: [], gasUsed: "0x0" })
    const unmined = fixture.block({ number: null, hash: null })

    expect(BlockVerifier.evidence(block, receipts)).toEqual({
      headerHash: true,
      blooms: true,
      roots: false,
      withdrawals: null,
    })
    expect(BlockVerifier.evidence({ ...block, logsBloom: empty.logsBloom }, receipts)).toEqual({
      headerHash: false,
      blooms: false,
      roots: false,
      withdrawals: null,
    })
    expect(BlockVerifier.evidence(block, null)).toMatchObject({ blooms: null })
    expect(BlockVerifier.evidence(empty, [])).toEqual({
      headerHash: false,
      blooms: null,
      roots: null,
      withdrawals: null,
    })
    expect(BlockVerifier.evidence(unmined, [])).toBeNull()
  })
})
