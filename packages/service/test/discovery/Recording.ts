/**
 * Records the blocks of an anvil immediately after each was mined: the block, its receipts and traces, and the state of each address in
 * them from then on. Anvil itself would store a copy of the whole state for each block.
 */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"
import { batch } from "@daybook/harness/Rpc"

export type Wire = Readonly<Record<string, unknown>>

/** A block with the required fields. */
export interface WireBlock extends Wire {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly baseFeePerGas: string
  readonly transactions: ReadonlyArray<Wire>
}

export interface WireReceipt extends Wire {
  readonly logs: ReadonlyArray<Wire & { readonly address: string; readonly topics: ReadonlyArray<string> }>
}

/** A block with its receipts and traces. */
export interface RecordedBlock {
  readonly block: WireBlock
  readonly receipts: ReadonlyArray<WireReceipt>
  readonly traces: ReadonlyArray<Wire>
}

/** Values, each with the block after which it applies. Ascending. */
export type History = Array<readonly [block: number, value: string]>

/** Recorded blocks by number, and histories by the call that reads their latest value. */
export interface Recording {
  readonly blocks: Map<number, RecordedBlock>
  readonly histories: Map<string, History>
  /** Records the latest block of the node under this number; returns the block. */
  readonly record: (number: number) => Effect.Effect<WireBlock>
}

/** Methods that read the state of an account. */
export const accountMethods = ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"] as const

/** Call for a holder's balance of a token. */
export const balanceOf = (to: string, holder: string) => ({
  to,
  data: `0x70a08231${holder.slice(2).padStart(64, "0")}`,
})

/** Identifies a history. */
export const keyOf = (method: string, subject: unknown): string => `${method} ${JSON.stringify(subject)}`

/** All addresses in values, including topics. */
const addressesIn = (values: unknown): ReadonlyArray<string> => [
  ...new Set([...JSON.stringify(values).matchAll(/"0x(?:0{24})?([0-9a-f]{40})"/g)].map(([, digits]) => `0x${digits}`)),
]

/** Starts a recording. `tokens` are the contracts whose balances are recorded. */
export const make = (node: Anvil.Node, tokens: ReadonlyArray<string>): Recording => {
  const blocks = new Map<number, RecordedBlock>()
  const histories = new Map<string, History>()
  const keep = (key: string, number: number, value: string): void => {
    const history = histories.get(key) ?? []
    // A contract that is not deployed yet has no balances.
    if (value === "0x" && history.length === 0) return
    if (history.at(-1)?.[1] === value) return
    history.push([number, value])
    histories.set(key, history)
  }
  const record = Effect.fnUntraced(function* (number: number) {
    const last = "latest"
    const [block, receipts, traces] = (yield* batch<unknown>(node.url, [
      { method: "eth_getBlockByNumber", params: [last, true] },
      { method: "eth_getBlockReceipts", params: [last] },
      { method: "trace_block", params: [last] },
    ])) as [WireBlock, ReadonlyArray<WireReceipt>, ReadonlyArray<Wire>]
    blocks.set(number, { block, receipts, traces })
    const named = addressesIn([block, receipts, traces, number === 0 ? node.accounts : []])
    const subjects = named.flatMap((address): ReadonlyArray<readonly [method: string, subject: unknown]> => [
      ...accountMethods.map((method) => [method, address] as const),
      ...tokens.map((token) => ["eth_call", balanceOf(token, address)] as const),
    ])
    const values = yield* batch<string>(
      node.url,
      subjects.map(([method, subject]) => ({ method, params: [subject, "latest"] })),
    )
    for (const [at, [method, subject]] of subjects.entries()) keep(keyOf(method, subject), number, values[at]!)
    return block
  }, Effect.orDie)
  return { blocks, histories, record }
}

/** The value of a history at the end of a block; undefined before the first value. */
export const valueAt = (history: History, block: number): string | undefined => {
  let [low, high] = [0, history.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (history[middle]![0] <= block) low = middle + 1
    else high = middle
  }
  return history[low - 1]?.[1]
}
