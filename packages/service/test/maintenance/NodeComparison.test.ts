import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeComparison from "../../src/maintenance/NodeComparison.ts"
import * as TraceComparison from "../../src/maintenance/TraceComparison.ts"
import * as VerifyAgainstNode from "../../src/maintenance/VerifyAgainstNode.ts"
import * as KeptRows from "../../src/fetch/KeptRows.ts"
import type { StoredBlock } from "../../src/store/Audit.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"

const row = { index: 0, hash: "0x1", body: '{"value":"1","logs":[{"data":"0x"}]}', internal: "[]", addresses: ["0xa"] }
const header = { number: 7, hash: "0xb", parentHash: "0xc", timestamp: 5 }
const remote: BlockRows = { ...header, decoderRevision: 1, transactions: [row] }
const stored = (
  more: Partial<StoredBlock["transactions"][number]> = {},
  block: Partial<StoredBlock> = {},
): StoredBlock => ({
  ...header,
  count: 1,
  isDamaged: false,
  facts: null,
  hasDamagedFacts: false,
  ledgerIssues: [],
  damagedTransactions: [],
  transactions: [
    {
      ...row,
      decoderRevision: 1,
      missingAppearances: [],
      ...more,
    },
  ],
  ...block,
})

const whatOf = (block: StoredBlock, other = remote) => NodeComparison.ofBlock(block, other).map(({ what }) => what)

describe("NodeComparison", () => {
  it("ofBlock: finds no difference in equal rows, however their JSON is written", () => {
    expect(whatOf(stored())).toEqual([])
    expect(whatOf(stored({ body: '{ "logs": [{ "data": "0x" }], "value": "1" }', internal: "[ ]" }))).toEqual([])
  })

  it("ofBlock: names the first difference of a block, or else of each transaction", () => {
    expect(whatOf(stored({}, { hash: "0xd" }))).toEqual(["hash: the node has 0xb, the stored block 0xd"])
    expect(whatOf(stored({}, { timestamp: 6 }))).toEqual(["timestamp: the node has 5, the stored block 6"])
    expect(whatOf(stored({ body: '{"value":"2","logs":[]}' }))).toEqual([
      'transaction 0 (0x1): value: the node has "1", the stored row "2"',
    ])
    expect(whatOf(stored({ body: '{"value":"1","logs":[]}' }))).toEqual([
      "transaction 0 (0x1): logs: the node has 1 entries, the stored row 0",
    ])
    expect(whatOf(stored({ body: "{" }))[0]).toContain("transaction 0 (0x1): ")
    expect(whatOf(stored({ addresses: [] }))[0]).toContain("wallets: the node has")
    expect(whatOf(stored({ index: 1 }))[0]).toContain("the node has it at index 0")
    expect(whatOf(stored({ hash: "0x2" }))).toEqual([
      "transaction 0 (0x2): the node does not have it",
      "transaction 0 (0x1): it is not stored",
    ])
  })

  it("ofBlock: compares internal transactions if both sides have them", () => {
    const one = '[{"value":"1"}]'
    const of = (internal: string | null, other: string | null) =>
      whatOf(stored({ internal }), { ...remote, transactions: [{ ...row, internal: other }] })

    expect([of(null, one), of(one, null), of("null", one)]).toEqual([[], [], []])
    expect(of(one, "[]")).toEqual([
      "transaction 0 (0x1): internal_transactions: the node has 0 entries, the stored row 1",
    ])
  })

  it("ofBlock: ignores rows of wallets that are not watched, and compares the watched wallets of the others", () => {
    const watch = new Set(["0xa"])
    const differences = (block: StoredBlock, other: BlockRows = remote) =>
      NodeComparison.ofBlock(block, other, watch).map(({ what }) => what)
    const nothing = { ...remote, transactions: [] }

    expect(differences(stored({ addresses: ["0xe"] }), nothing)).toEqual([])
    expect(differences(stored({ addresses: ["0xe"], body: "{}" }))).toEqual([])
    expect(differences(stored({ addresses: ["0xa", "0xe"] }))).toEqual([])
    expect(differences(stored(), nothing)).toEqual(["transaction 0 (0x1): the node does not have it"])
    expect(
      differences({ ...stored(), transactions: [] }, { ...remote, transactions: [{ ...row, addresses: ["0xe"] }] }),
    ).toEqual([])
    expect(KeptRows.unwatched(stored({ addresses: ["0xe"] }), watch)).toBe(1)
    expect(KeptRows.unwatched(stored({ addresses: ["0xe"] }), null)).toBe(0)
  })

  it("ofBlock: ignores a transaction that is not stored if the node cannot trace it and no watched wallet is a party", () => {
    const nothing = { ...stored(), transactions: [] }
    const differences = (internal: string, addresses: ReadonlyArray<string>, watch: KeptRows.Watch) =>
      NodeComparison.ofBlock(nothing, { ...remote, transactions: [{ ...row, internal, addresses }] }, watch)
    const watch = new Set(["0xa"])

    expect(differences("null", [], watch)).toEqual([])
    expect(differences("[]", [], watch)).toHaveLength(1)
    expect(differences("null", ["0xa"], watch)).toHaveLength(1)
    expect(differences("null", [], null)).toHaveLength(1)
  })

  it("ofBlock: ignores a transaction for which the node has no receipt", () => {
    const gaps = [{ kind: "receipt", transaction: "0x1", reason: "pruned" }] as const

    expect(whatOf(stored(), { ...remote, transactions: [], gaps })).toEqual([])
  })

  it("TraceComparison: names the blocks whose internal transactions were not compared, and why", () => {
    const of = (internal: string | null, other: string | null) =>
      TraceComparison.ofBlock(stored({ internal }), { ...remote, transactions: [{ ...row, internal: other }] }, null)
    const ranges = TraceComparison.ranges([
      { block: 3, reason: null },
      { block: 4, reason: "not stored" },
      { block: 7, reason: "not stored" },
      { block: 8, reason: "the node has no tracer" },
      { block: 9, reason: null },
      { block: 10, reason: "not stored" },
    ])

    expect([of("[]", "[]"), of(null, "[]"), of("null", "[]"), of("[]", null), of("[]", "null")]).toEqual([
      null,
      "not stored",
      "not stored",
      "the node has no tracer",
      "the node cannot trace them",
    ])
    expect(TraceComparison.ofBlock({ ...stored(), transactions: [] }, remote, null)).toBeUndefined()
    expect(TraceComparison.format(ranges)).toBe(
      "internal transactions not compared: blocks 4 to 7 (not stored), block 8 (the node has no tracer), block 10 (not stored)",
    )
    expect(TraceComparison.format([])).toBeNull()
  })

  it("keepTraces: keeps the internal transactions and gaps of a block fetched again without a tracer", () => {
    const untraced = { ...remote, transactions: [{ ...row, internal: null }] }

    expect(KeptRows.keepTraces(stored({ internal: '[{"value":"1"}]' }), untraced)).toEqual({
      ...remote,
      transactions: [{ ...row, internal: '[{"value":"1"}]' }],
    })
    expect(KeptRows.keepTraces(stored({ internal: "null" }), untraced)).toMatchObject({
      transactions: [{ internal: "null" }],
      gaps: [{ kind: "trace", transaction: "0x1" }],
    })
    expect(KeptRows.keepTraces(stored({ internal: null }), remote)).toEqual(remote)
    expect(KeptRows.keepTraces(undefined, untraced)).toEqual(untraced)
    const checkpoint = { first: 1, head: { number: 9, hash: "0x9" }, headTimestamp: 9, finalized: null }
    const watched = { ...checkpoint, watch: ["0xa", "0xb"], addedFrom: { "0xb": 5 } }
    const blocks = [stored({ addresses: ["0xe"] })]
    const kept = new Set(["0x1"])
    const selected = (number: number, added?: ReadonlyArray<string>) =>
      KeptRows.withStored({ blocks, checkpoint: watched }, number, added)
    expect(selected(4)).toEqual({ watch: new Set(["0xa", "0xe"]), kept })
    expect(selected(5)).toEqual({ watch: new Set(["0xa", "0xb", "0xe"]), kept })
    expect(selected(4, ["0xc"])).toEqual({ watch: new Set(["0xa", "0xe", "0xc"]), kept })
    expect(KeptRows.withStored({ blocks, checkpoint }, 5)).toEqual({ watch: null, kept })
  })

  it("ofBlock: compares facts if both sides have them and all wallets are indexed", () => {
    const facts = (gasFees: string) => JSON.stringify({ gasFees, withdrawals: [] })
    const other = { ...remote, facts: facts("2") }

    expect(whatOf(stored({}, { facts: facts("1") }), other)).toEqual([
      'facts.gasFees: the node has "2", the stored row "1"',
    ])
    expect(whatOf(stored({}, { facts: facts("2") }), other)).toEqual([])
    expect(whatOf(stored({}, { facts: null }), other)).toEqual([])
    expect(whatOf(stored({}, { facts: facts("1") }), remote)).toEqual([])
    expect(NodeComparison.ofBlock(stored({}, { facts: facts("1") }), other, new Set(["0xa"]))).toEqual([])
  })

  it("ofBlock: reports a fact that only the node has, but not one that only the stored row has", () => {
    const facts = (fields: object) => JSON.stringify({ gasFees: "1", transactions: [{ index: 0, ...fields }] })

    expect(whatOf(stored({}, { facts: facts({ l1Fee: "5" }) }), { ...remote, facts: facts({}) })).toEqual([])
    expect(whatOf(stored({}, { facts: facts({}) }), { ...remote, facts: facts({ l1Fee: "5" }) })).toEqual([
      'facts.transactions[0].l1Fee: the node has "5", the stored row nothing',
    ])
    expect(whatOf(stored({}, { facts: facts({ l1Fee: "5" }) }), { ...remote, facts: facts({ l1Fee: "6" }) })).toEqual([
      'facts.transactions[0].l1Fee: the node has "6", the stored row "5"',
    ])
  })

  it("ofBlock: reports no difference for facts that a node omits or sends empty", () => {
    const whole = {
      feeRecipient: "0xf",
      baseFeePerGas: "7",
      gasUsed: "21000",
      gasFees: "1",
      uncles: ["0xe"],
      withdrawals: [
        {
          index: "1",
          validator: "2",
          address: "0xa",
          amount: "3",
        },
      ],
      transactions: [
        {
          index: 0,
          type: 4,
          authorizations: [
            {
              chainId: "1",
              nonce: "0",
              signature: "0x1",
            },
          ],
        },
      ],
    }
    const bare = {
      feeRecipient: null,
      baseFeePerGas: null,
      gasUsed: "21000",
      gasFees: null,
      uncles: [],
      withdrawals: [],
      transactions: [
        {
          index: 0,
          type: 0,
          authorizations: [
            {
              chainId: null,
              nonce: "0",
              signature: null,
            },
          ],
        },
      ],
    }
    const differences = (remoteFacts: object) =>
      whatOf(stored({}, { facts: JSON.stringify(whole) }), { ...remote, facts: JSON.stringify(remoteFacts) })

    expect(differences(bare)).toEqual([])
    expect(differences({ ...bare, gasUsed: "0" })).toEqual(['facts.gasUsed: the node has "0", the stored row "21000"'])
    expect(differences({ ...bare, uncles: ["0xe", "0xd"] })).toEqual([
      "facts.uncles: the node has 2 entries, the stored row 1",
    ])
    expect(differences({ ...bare, transactions: [{ index: 0, type: 2 }] })).toEqual([
      "facts.transactions[0].type: the node has 2, the stored row 4",
    ])
  })

  it("ofBlock: ignores items decoded by another revision of the decoder", () => {
    const body = '{"value":"1","logs":[{"data":"0x","decoded_event":null}],"decoded_call":null}'

    expect(whatOf(stored({ body, decoderRevision: 0 }))).toEqual([])
    expect(whatOf(stored({ body }))).toHaveLength(1)
  })
})

describe("VerifyAgainstNode", () => {
  it.effect("sampleOf: returns distinct ascending numbers from the whole range, including the last one", () =>
    Effect.gen(function* () {
      const numbers = yield* VerifyAgainstNode.sampleOf(100, 1_099, 10)

      expect(numbers.length).toBe(10)
      expect(numbers.at(-1)).toBe(1_099)
      expect([...new Set(numbers)].toSorted((a, b) => a - b)).toEqual(numbers)
      expect(numbers[0]).toBeGreaterThanOrEqual(100)
      expect(yield* VerifyAgainstNode.sampleOf(5, 7, 10)).toEqual([5, 6, 7])
      expect(yield* VerifyAgainstNode.sampleOf(5, 700, 1)).toEqual([700])
    }),
  )
})
