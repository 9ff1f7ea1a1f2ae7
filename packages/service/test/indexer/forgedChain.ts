/** Synthetic blocks of forks that have no recording: hashes, blooms and roots are computed by the rules of the fork. */
import * as OxHash from "ox/Hash"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as LogsBloom from "../../src/verification/LogsBloom.ts"
import * as Rlp from "../../src/verification/Rlp.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "./fixture.ts"

type Wire = Readonly<Record<string, unknown>>

export const hex = (number: number | bigint) => `0x${number.toString(16)}`

const bloomText = (bloom: Uint8Array | null) =>
  bloom === null ? LogsBloom.none : `0x${Buffer.from(bloom).toString("hex")}`

/** A block and its receipts in wire form. */
export interface Forged {
  readonly block: Wire & { readonly hash: string }
  readonly receipts: ReadonlyArray<Wire>
}

/** Changes that a fork makes to a block. */
export interface Change {
  /** Additional header fields; known ones are part of the hash. */
  readonly header?: Wire
  /** Additional logs of the transaction. */
  readonly logs?: ReadonlyArray<Wire>
  /** Replaces the computed hash. */
  readonly hash?: (hash: string) => string
  /** Replaces the computed bloom. */
  readonly bloom?: (bloom: string) => string
}

/** A block with a token transfer, under the rules of a fork. */
export const blockOf = (number: number, parentHash: string, change: Change = {}): Forged => {
  const place = { blockNumber: hex(number), transactionIndex: "0x0" }
  const transfer = { ...fixture.transferWire, ...place, nonce: hex(number) }
  const [unhashed] = fixture.block({ transactions: [transfer] }).transactions
  const bytes = Rlp.transaction(unhashed!)!
  const transactionHash = OxHash.keccak256(bytes)
  const logs = [{}, ...(change.logs ?? [])].map((more, index) =>
    fixture.logWire(index, 0, { blockNumber: hex(number), transactionHash, ...more }),
  )
  const receipt = { ...fixture.transferReceiptWire, ...place, transactionHash, logs }
  const [bloomless] = fixture.receipts([receipt])
  const logsBloom = bloomText(LogsBloom.ofLogs(bloomless!.logs))
  const [complete] = fixture.receipts([{ ...receipt, logsBloom }])
  const draft = {
    ...fixture.blockWire,
    number: hex(number),
    parentHash,
    timestamp: hex(17e8 + number),
    gasUsed: "0xc350",
    logsBloom: change.bloom?.(logsBloom) ?? logsBloom,
    transactionsRoot: TrieRoot.fromValues([bytes]),
    receiptsRoot: TrieRoot.fromValues([Rlp.receipt(complete!, 2)!]),
    ...change.header,
  }
  const computed = HeaderHash.fromBlock(fixture.block({ ...draft, transactions: [] }))
  const blockHash = change.hash?.(computed) ?? computed
  return {
    block: { ...draft, hash: blockHash, transactions: [{ ...transfer, blockHash, hash: transactionHash }] },
    receipts: [{ ...receipt, blockHash, logsBloom, logs: logs.map((log) => ({ ...log, blockHash })) }],
  }
}

/** Consecutive blocks from block 0, each changed by its number. */
export const chainOf = (count: number, change: (number: number) => Change = () => ({})): ReadonlyArray<Forged> => {
  const blocks: Array<Forged> = []
  for (let number = 0; number < count; number++) {
    blocks.push(blockOf(number, blocks.at(-1)?.block.hash ?? fixture.hash("0"), change(number)))
  }
  return blocks
}
