/** All addresses of a chain and the effects of each block on them, read from the node. It shares no code with the service. */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"
import { below, type RawFrame } from "../node/callFrames.ts"
import { batch } from "./balanceOracle.ts"

interface RawTransaction {
  readonly from: string
  readonly to: string | null
  readonly value: string
}

interface RawReceipt {
  readonly contractAddress: string | null
  readonly status: string
  readonly logs: ReadonlyArray<{ readonly topics: ReadonlyArray<string> }>
}

/** An ether transfer. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly value: bigint
}

/** Addresses and transfers of a block. */
export interface ScannedBlock {
  /** Addresses in the header, transactions, receipts, logs and calls. */
  readonly named: ReadonlySet<string>
  /** Signers of transactions. */
  readonly senders: ReadonlySet<string>
  /** Addresses on either side of a transaction or of an internal call, including failed ones, and created contracts. */
  readonly parties: ReadonlySet<string>
  /** Holders of tokens or approvals in events. */
  readonly holders: ReadonlySet<string>
  /** Ether moved by transactions and calls, without fees. */
  readonly transfers: ReadonlyArray<Transfer>
}

const hex = (number: number) => `0x${number.toString(16)}`

/** Events whose topics contain holders: Transfer, approvals, wrapped ether; TransferSingle and TransferBatch from the second topic on. */
const holding = /^0x(ddf252ad|8c5be1e5|17307eab|e1fffcc4|7fcf532c)/
const holdingMany = /^0x(c3d58168|4a39dc06)/

const addressIn = (topic: string): string | null =>
  /^0x0{24}/.test(topic) && !/^0x0{60}/.test(topic) ? `0x${topic.slice(26)}` : null

const addressesIn = (topics: ReadonlyArray<string>): ReadonlyArray<string> =>
  topics.map(addressIn).filter((address) => address !== null)

const holdersOf = (topics: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [event = ""] = topics
  if (holdingMany.test(event)) return addressesIn(topics.slice(2))
  // The third topic of an ERC-721 event is a token id.
  return holding.test(event) ? addressesIn(topics.slice(1, 3)) : []
}

const moving = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"])

const scanBlock = Effect.fnUntraced(function* (node: Pick<Anvil.Node, "url">, block: number) {
  const [header, receipts, traces] = (yield* batch(node, [
    ["eth_getBlockByNumber", [hex(block), true]],
    ["eth_getBlockReceipts", [hex(block)]],
    ["debug_traceBlockByNumber", [hex(block), { tracer: "callTracer" }]],
  ])) as [
    { readonly transactions: ReadonlyArray<RawTransaction> },
    ReadonlyArray<RawReceipt> | undefined,
    ReadonlyArray<{ readonly result: RawFrame }> | undefined,
  ]
  const text = JSON.stringify([header, receipts, traces]).toLowerCase()
  const topics = (receipts ?? []).flatMap(({ logs }) => logs.map((log) => log.topics))
  const named = new Set([...text.matchAll(/"(0x[0-9a-f]{40})"/g)].map(([, address]) => address!))
  for (const address of topics.flatMap((own) => addressesIn(own.slice(1)))) named.add(address)
  const transfers: Array<Transfer> = []
  const parties = new Set<string>()
  const add = ({ from, to, value }: { from: string; to: string | null; value: string }, isMoved: boolean) => {
    parties.add(from)
    if (to === null) return
    parties.add(to)
    if (isMoved && BigInt(value) > 0n) transfers.push({ from, to, value: BigInt(value) })
  }
  for (const [at, { from, to, value }] of header.transactions.entries()) {
    const { contractAddress, status } = receipts![at]!
    add({ from, to: to ?? contractAddress, value }, status === "0x1")
    for (const { isFailed, type, ...frame } of below(traces![at]!.result)) {
      add({ from: frame.from, to: frame.to ?? null, value: frame.value ?? "0x0" }, !isFailed && moving.has(type))
    }
  }
  const scanned: ScannedBlock = {
    named,
    senders: new Set(header.transactions.map(({ from }) => from)),
    parties,
    holders: new Set(topics.flatMap(holdersOf)),
    transfers,
  }
  return scanned
})

/** The blocks from 0 to `last`. */
export const scan = (node: Pick<Anvil.Node, "url">, last: number) =>
  Effect.forEach(Array.from({ length: last + 1 }), (_, block) => scanBlock(node, block))

/** All addresses of the blocks. */
export const addressesOf = (blocks: ReadonlyArray<ScannedBlock>): ReadonlyArray<string> => [
  ...new Set(blocks.flatMap(({ named }) => [...named])),
]
