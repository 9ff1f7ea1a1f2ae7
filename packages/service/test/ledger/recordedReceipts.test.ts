/** Compares derived fees and token movements with recorded receipts, decoded by ox. */
import * as AbiEvent from "ox/AbiEvent"
import * as OxHash from "ox/Hash"
import { describe, expect, it } from "vitest"
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Rlp from "../../src/verification/Rlp.ts"
import { account, zero } from "./sources.ts"
import { add, decode, derive, keyOf } from "./recordedReceipts.ts"
import type { TokenKind } from "./recordedReceipts.ts"

const recorded = RecordedReceipts.all().map((one) => ({ ...one, derived: derive(one) }))

/** Token transfers; the other side of wrapped currency is the zero address. */
const events = [
  ["erc20", AbiEvent.from("event Transfer(address indexed from, address indexed to, uint256 amount)")],
  ["erc721", AbiEvent.from("event Transfer(address indexed from, address indexed to, uint256 indexed id)")],
  [
    "erc1155",
    AbiEvent.from(
      "event TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 amount)",
    ),
  ],
  [
    "erc1155",
    AbiEvent.from(
      "event TransferBatch(address indexed by, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
    ),
  ],
  ["erc20", AbiEvent.from("event Deposit(address indexed to, uint256 amount)")],
  ["erc20", AbiEvent.from("event Withdrawal(address indexed from, uint256 amount)")],
] as const

interface Args {
  readonly from?: string
  readonly to?: string
  readonly id?: bigint
  readonly amount?: bigint
  readonly ids?: ReadonlyArray<bigint>
  readonly amounts?: ReadonlyArray<bigint>
}

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<`0x${string}`>
  readonly data: `0x${string}`
}

const nativeTokens = new Set([`0x${"1010".padStart(40, "0")}`, "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000"])

/** Contracts whose deposits and withdrawals are transfers of a token. */
const wrapped = new Set([
  "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  "0x4200000000000000000000000000000000000006",
  "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
  "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
  "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
])

const isWrapping = ({ name }: AbiEvent.AbiEvent): boolean => name === "Deposit" || name === "Withdrawal"

const isRead = ({ address, topics }: Log, event: AbiEvent.AbiEvent): boolean =>
  topics[0] === AbiEvent.getSelector(event) &&
  topics.length === 1 + event.inputs.filter((input) => "indexed" in input && input.indexed === true).length &&
  (!isWrapping(event) || wrapped.has(address))

/** Parameters of a log as an event; `undefined` if it is another event. */
const argsOf = (log: Log, event: AbiEvent.AbiEvent): Args | undefined => {
  if (!isRead(log, event)) return undefined
  try {
    // Sound: the parameters of the events above have these types.
    return AbiEvent.decode(event, log as never) as Args
  } catch {
    return undefined
  }
}

const sumsOf = (logs: ReadonlyArray<Log>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  const stated = new Set<string>()
  for (const [kind, event] of events) {
    for (const log of logs.filter(({ address }) => !nativeTokens.has(address))) {
      const args = argsOf(log, event)
      if (args === undefined) continue
      const { amounts = [args.amount ?? 1n], from = zero, ids = [args.id ?? null], to = zero } = args
      const transfer = `${log.address} ${from} ${to} ${amounts.join()}`.toLowerCase()
      if (isWrapping(event) && stated.delete(transfer)) continue
      stated.add(transfer)
      const change = (wallet: string, id: bigint | null, amount: bigint) =>
        wallet === zero || add(sums, keyOf(kind satisfies TokenKind, log.address, wallet, id), amount)
      for (const [at, id] of ids.entries()) {
        change(from, id, -(amounts[at] ?? 0n))
        change(to, id, amounts[at] ?? 0n)
      }
    }
  }
  return sums
}

const quantity = (value: unknown): bigint => (typeof value === "string" ? BigInt(value) : 0n)

/** Types that pay no fee for data on L1, whatever the receipt has: deposits of an OP Stack. */
const deposit = "0x7e"

/** The fee by the fields of the receipt; `gasPrice` for nodes that omit the effective price. */
const feeOf = ({ receipt, transaction }: RecordedReceipts.RecordedReceipt): bigint => {
  const price = quantity(receipt["effectiveGasPrice"] ?? transaction["gasPrice"])
  const l1 = transaction["type"] === deposit ? 0n : quantity(receipt["l1Fee"])
  const blobs = quantity(receipt["blobGasUsed"]) * quantity(receipt["blobGasPrice"])
  return quantity(receipt["gasUsed"]) * price + blobs + l1
}

describe("recorded receipts", () => {
  it("derive: charges the fees that the receipt states, including L1 data fees", () => {
    const wrong = recorded.filter((one) => one.derived.fee !== feeOf(one)).map(({ source }) => source)

    expect(wrong).toEqual([])
    expect(recorded.filter((one) => feeOf(one) > 0n).length).toBeGreaterThan(140)
    expect(recorded.filter(({ receipt }) => quantity(receipt["l1Fee"]) > 0n).length).toBeGreaterThan(60)
    expect(new Set(recorded.map(({ chain }) => chain))).toEqual(new Set([1, 10, 100, 137, 8453, 42_161]))
  })

  it("derive: moves the tokens that ox decodes from the logs", () => {
    const kinds = new Map<string, number>()
    for (const one of recorded) {
      // Sound: a receipt has logs.
      const sums = sumsOf(one.receipt["logs"] as ReadonlyArray<Log>)

      expect([one.source, one.derived.tokens]).toEqual([one.source, sums])
      for (const key of sums.keys()) kinds.set(key.split(" ")[0]!, (kinds.get(key.split(" ")[0]!) ?? 0) + 1)
    }

    expect([...kinds.keys()].toSorted()).toEqual(["erc1155", "erc20", "erc721"])
    expect(kinds.get("erc20")).toBeGreaterThan(300)
  })

  it("derive: moves another sum if the recipient of a recorded transfer is changed", () => {
    const { derived, ...one } = recorded.find((candidate) => candidate.derived.tokens.size === 2)!
    const [, other] = [...derived.tokens.keys()]
    const recipient = other!.split(" ")[2]!
    const text = JSON.stringify(one).replaceAll(recipient.slice(2), account("e").slice(2))

    expect(derive(JSON.parse(text)).tokens).not.toEqual(derived.tokens)
    expect(derive(JSON.parse(text)).fee).toBe(derived.fee)
  })

  it("recordings: have the hashes that follow from their fields, except those without a signature", () => {
    const hashes = recorded.flatMap((one) => {
      const { transaction } = decode(one)
      const encoded = Rlp.transaction(transaction)
      // State-sync transactions of Polygon are named by their block.
      return encoded === null || transaction.from === zero
        ? []
        : [[OxHash.keccak256(encoded), transaction.hash] as const]
    })

    expect(hashes.filter(([computed, stated]) => computed !== stated)).toEqual([])
    expect(hashes.length).toBeGreaterThan(150)
  })
})
