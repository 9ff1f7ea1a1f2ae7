/** Blocks whose parts state other positions than they have. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Placement from "../../src/verification/Placement.ts"
import * as forged from "../indexer/forgedChain.ts"
import * as fixture from "../indexer/fixture.ts"

const { creationReceiptWire, creationWire, hash, logWire, transferReceiptWire, transferWire } = fixture

type Wire = Readonly<Record<string, unknown>>

const other = hash("7")

const acceptedDoubts = new Set(Placement.doubts)

/** Receipts with one log each, the first of which is changed. */
const firstReceipt = (more: Wire) => [{ ...transferReceiptWire, ...more }, creationReceiptWire]
const firstLog = (more: Wire) => firstReceipt({ logs: [logWire(0, 0, more)] })

const verify = (
  block: Wire,
  receipts: ReadonlyArray<Wire> = [transferReceiptWire, creationReceiptWire],
  options: BlockVerifier.Options = {},
) => BlockVerifier.verify(fixture.block(block), fixture.receipts(receipts), options)

const Place = Schema.Struct({
  blockHash: Schema.Literals([fixture.blockHash, other]),
  blockNumber: Schema.Literals(["0x64", "0x65"]),
  transactionIndex: Schema.Literals(["0x0", "0x1", "0x9"]),
})
const LogPlace = Schema.Struct({
  ...Place.fields,
  transactionHash: Schema.Literals([fixture.transferHash, fixture.creationHash, other]),
  logIndex: Schema.NullOr(Schema.Literals(["0x0", "0x1", "0x2", "0x9"])),
  removed: Schema.Boolean,
})
/** Positions that a transaction, its receipt and its logs state. */
const PartsOfOne = Schema.Struct({
  at: Place,
  receipt: Place,
  logs: Schema.Array(LogPlace).check(Schema.isMaxLength(3)),
})

/** The positions that parts state. */
const placesOf = ({ block, receipts }: Pick<BlockVerifier.Verified, "block" | "receipts">) => ({
  transactions: block.transactions.map((one) => [one.hash, one.blockHash, one.blockNumber, one.transactionIndex]),
  receipts: receipts.map((one) => [one.transactionHash, one.blockHash, one.blockNumber, one.transactionIndex]),
  logs: receipts.flatMap(({ logs }) =>
    logs.map((log) => [log.transactionHash, log.blockHash, log.blockNumber, log.transactionIndex, log.logIndex]),
  ),
})

const right = placesOf(Result.getOrThrow(verify({})))

const kindsOf = ({ unmet }: BlockVerifier.Verified) => unmet.map(({ kind }) => kind)

describe("Placement", () => {
  const certain: ReadonlyArray<readonly [title: string, receipts: ReadonlyArray<Wire>, kind: string]> = [
    [
      "logs that are numbered per transaction",
      [
        transferReceiptWire,
        { ...creationReceiptWire, logs: [logWire(0, 1, { topics: [] }), logWire(1, 1, { topics: [] })] },
      ],
      "log indexes per transaction",
    ],
    ["receipts in another order", [creationReceiptWire, transferReceiptWire], "places of receipts"],
    ["a receipt at another index", firstReceipt({ transactionIndex: "0x4" }), "places of receipts"],
    ["a log at the index of another transaction", firstLog({ transactionIndex: "0x1" }), "places of logs"],
    ["a log of another block number", firstLog({ blockNumber: "0x65" }), "places of logs"],
  ]

  it.each(certain)("verify: accepts %s at once, with the derived positions", (_, receipts, kind) => {
    const verified = Result.getOrThrow(verify({}, receipts))

    expect(placesOf(verified)).toEqual(right)
    expect(kindsOf(verified)).toEqual([kind])
  })

  const second = { ...creationReceiptWire, logs: [] }
  const doubtful: ReadonlyArray<
    readonly [title: string, block: Wire, receipts: ReadonlyArray<Wire>, kinds: ReadonlyArray<string>]
  > = [
    ["a receipt of another block", {}, firstReceipt({ blockHash: other }), ["receipts of another block"]],
    ["a log of another block", {}, firstLog({ blockHash: other }), ["logs of another block or transaction"]],
    [
      "a log of another transaction",
      {},
      firstLog({ transactionHash: other }),
      ["logs of another block or transaction"],
    ],
    ["a log that was removed", {}, firstLog({ removed: true }), ["logs of another block or transaction"]],
    [
      "a transaction of another block",
      { transactions: [transferWire, { ...creationWire, blockHash: other }] },
      firstReceipt({}),
      ["transactions of another block"],
    ],
    [
      "transactions in another order",
      { transactions: [creationWire, transferWire] },
      firstReceipt({}),
      ["transaction indexes"],
    ],
    [
      "a receipt of no transaction",
      {},
      [...firstReceipt({}), { ...second, transactionHash: other, transactionIndex: "0x2" }],
      ["receipts of no transaction"],
    ],
    ["two receipts of a transaction", {}, [...firstReceipt({}), transferReceiptWire], ["receipts of no transaction"]],
    [
      "two logs of one index",
      {},
      [
        { ...transferReceiptWire, logs: [logWire(1, 0)] },
        { ...creationReceiptWire, logs: [logWire(1, 1, { topics: [] }), logWire(2, 1, { topics: [] })] },
      ],
      ["log indexes"],
    ],
  ]

  it.each(doubtful)(
    "verify: rejects %s, and accepts it with the derived positions once the nodes return it each time",
    (_, block, receipts, kinds) => {
      const refused = verify(block, receipts)
      const accepted = verify(block, receipts, { acceptedDoubts })

      expect(refused).toMatchObject({ failure: { doubts: kinds } })
      expect(placesOf(Result.getOrThrow(accepted))).toEqual(right)
      expect(kindsOf(Result.getOrThrow(accepted))).toEqual(kinds)
    },
  )

  it("verify: keeps ascending indexes with a gap as received, once the nodes return them each time", () => {
    const transactions = [transferWire, { ...creationWire, transactionIndex: "0x3" }]
    const logs = [logWire(4, 1, { transactionIndex: "0x3" })]
    const receipts = [transferReceiptWire, { ...creationReceiptWire, transactionIndex: "0x3", logs }]

    expect(verify({ transactions }, receipts)).toMatchObject({ failure: { doubts: ["gap in transaction indexes"] } })
    const verified = Result.getOrThrow(verify({ transactions }, receipts, { acceptedDoubts }))
    expect(kindsOf(verified)).toEqual(["gap in transaction indexes", "gap in log indexes"])
    expect(verified.receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 3])
    expect(verified.receipts.flatMap((receipt) => receipt.logs.map(({ logIndex }) => logIndex))).toEqual([0, 4])
  })

  it.each(["0xfffff", "0x1fffffffffffff"])(
    "verify: corrects transaction indexes that no block has: %s",
    (transactionIndex) => {
      const transactions = [transferWire, { ...creationWire, transactionIndex }]
      const logs = [logWire(1, 1, { transactionIndex })]
      const receipts = [transferReceiptWire, { ...creationReceiptWire, transactionIndex, logs }]
      const verified = Result.getOrThrow(verify({ transactions }, receipts, { acceptedDoubts }))
      const withGaps = { acceptedDoubts, rules: HashRules.ofChain(295) }

      expect(kindsOf(verified)).toEqual(["transaction indexes", "places of receipts", "places of logs"])
      expect(verified.receipts.map((receipt) => receipt.transactionIndex)).toEqual([0, 1])
      expect(Result.getOrThrow(verify({ transactions }, receipts, withGaps)).receipts).toEqual(verified.receipts)
    },
  )

  it("verify: gives receipts the indexes of their transactions, if these ascend with a gap and those do not", () => {
    const transactions = [transferWire, { ...creationWire, transactionIndex: "0x9" }]
    const receipts = [transferReceiptWire, { ...creationReceiptWire, logs: [] }]
    const verified = Result.getOrThrow(verify({ transactions }, receipts, { acceptedDoubts }))

    expect(kindsOf(verified)).toEqual(["gap in transaction indexes", "places of receipts"])
    expect(verified.receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 9])
  })

  it("verify: rejects positions with a contradiction that was not accepted, although others were", () => {
    const accepted = { acceptedDoubts: new Set(["no transactions"] as const) }

    expect(verify({}, firstReceipt({ blockHash: other }), accepted)).toMatchObject({
      failure: { doubts: ["receipts of another block"] },
    })
  })

  it("verify: accepts gas without transactions, which some chains use, once the nodes return it each time", () => {
    expect(verify({ transactions: [] }, [])).toMatchObject({ failure: { doubts: ["no transactions"] } })
    const verified = Result.getOrThrow(verify({ transactions: [] }, [], { acceptedDoubts }))
    expect(kindsOf(verified)).toEqual(["no transactions"])
  })

  it("verify: never accepts a missing receipt, which is searched for separately", () => {
    const outcome = verify({}, [transferReceiptWire], { acceptedDoubts })

    expect(outcome).toMatchObject({ failure: { what: "receipts: expected 2, received 1" } })
  })

  describe("with roots", () => {
    const { block, receipts } = forged.blockOf(7, hash("0"))
    const rules = { rules: HashRules.ethereum }
    const elsewhere = receipts.map((receipt) => ({ ...receipt, blockHash: other }))
    const [transaction] = block["transactions"] as ReadonlyArray<Wire>

    it("verify: accepts parts of another block at once if the roots prove them", () => {
      const transactions = [{ ...transaction, blockHash: other }]

      expect(kindsOf(Result.getOrThrow(verify(block, elsewhere, rules)))).toEqual(["receipts of another block"])
      expect(kindsOf(Result.getOrThrow(verify({ ...block, transactions }, receipts, rules)))).toEqual([
        "transactions of another block",
      ])
    })

    it("verify: permanently rejects parts of another block if the roots disprove them", () => {
      const changed = elsewhere.map((receipt) => ({ ...receipt, status: "0x0" }))
      const outcome = verify(block, changed, { ...rules, acceptedDoubts })

      expect(outcome).toMatchObject({ failure: { isOfRules: true } })
    })

    it("verify: permanently rejects gas without transactions if the transactions root differs", () => {
      const outcome = verify({ ...block, transactions: [] }, [], { ...rules, acceptedDoubts })

      expect(outcome).toMatchObject({ failure: { isOfRules: true } })
    })
  })

  it.prop(
    "verify: accepts any positions once the nodes return them each time, and completes them",
    { first: PartsOfOne, second: PartsOfOne, isSwapped: Schema.Boolean },
    ({ first, isSwapped, second }) => {
      const inOrder = <A>(one: A, two: A): ReadonlyArray<A> => (isSwapped ? [two, one] : [one, two])
      const transactions = inOrder<Wire>({ ...transferWire, ...first.at }, { ...creationWire, ...second.at })
      const logsOf = (logs: typeof PartsOfOne.Type.logs) => logs.map((log) => logWire(0, 0, { ...log }))
      const receipts = [
        { ...creationReceiptWire, ...second.receipt, logs: logsOf(second.logs) },
        { ...transferReceiptWire, ...first.receipt, logs: logsOf(first.logs) },
      ]
      const { block, receipts: placed } = Result.getOrThrow(verify({ transactions }, receipts, { acceptedDoubts }))
      const again = BlockVerifier.verify(block, placed, { rules: [{ ...HashRules.none[0], indexGaps: true }] })

      expect(Result.getOrThrow(again).unmet).toEqual([])
    },
  )
})
