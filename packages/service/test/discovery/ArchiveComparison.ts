/** Sends the same calls for a planned chain to an archive and to an anvil that has the state of every block, and compares all responses. */
import { Effect } from "effect"
import { batch } from "../books/balanceOracle.ts"
import type { PlannedChain } from "./LongChain.ts"
import * as Recording from "./Recording.ts"

type Call = readonly [method: string, params: ReadonlyArray<unknown>]

/** A response that differs. */
export interface Difference {
  readonly call: Call
  readonly archive: unknown
  readonly node: unknown
}

const hex = (number: number) => `0x${number.toString(16)}`

/**
 * Fields that change the hash of a block in the archive: the node chooses `mixHash`, and its state contains the hashes of earlier blocks
 * (EIP-2935). The size of a block is neither hashed nor stored.
 */
const hashes = new Set(["hash", "parentHash", "mixHash", "stateRoot", "size", "blockHash"])

/** A response without the fields that always differ. Transactions keep their hash. */
const comparable = (value: unknown, isBlock: boolean): string =>
  JSON.stringify(value, function (this: Recording.Wire, key, own: unknown) {
    const isTransaction = this["transactionIndex"] !== undefined
    if (hashes.has(key) && (isTransaction ? key === "blockHash" : isBlock || key === "blockHash")) return undefined
    return own
  })

const callsAt = (
  number: number,
  addresses: ReadonlyArray<string>,
  tokens: ReadonlyArray<string>,
): ReadonlyArray<Call> => [
  ["eth_getBlockByNumber", [hex(number), true]],
  ["eth_getBlockReceipts", [hex(number)]],
  ["trace_block", [hex(number)]],
  ...addresses.flatMap((address): ReadonlyArray<Call> => [
    ...Recording.accountMethods.map((method): Call => [method, [address, hex(number)]]),
    ...tokens.map((token): Call => ["eth_call", [Recording.balanceOf(token, address), hex(number)]]),
  ]),
]

/** Requests the events of each address, for each topic, over the whole chain and over parts of it. */
const logCalls = (last: number, addresses: ReadonlyArray<string>): ReadonlyArray<Call> => {
  const ranges = [
    [0, last],
    ...Array.from({ length: 10 }, (_, at) => [(last * at) / 10, (last * (at + 1)) / 10] as const),
  ]
  return addresses.flatMap((address) =>
    [1, 2, 3].flatMap((position) =>
      ranges.map(([from, to]): Call => {
        const topics = [...Array<null>(position).fill(null), `0x${address.slice(2).padStart(64, "0")}`]
        return ["eth_getLogs", [{ fromBlock: hex(Math.ceil(from)), toBlock: hex(Math.floor(to)), topics }]]
      }),
    ),
  )
}

/** Compares all responses; returns the number of comparisons and the first differences. */
export const compare = Effect.fnUntraced(function* (
  archive: { readonly url: string },
  node: { readonly url: string },
  { contracts, last, tokens }: PlannedChain,
  accounts: ReadonlyArray<string>,
) {
  const addresses = [...accounts, ...contracts, `0x${"0".repeat(40)}`, `0x${"12".repeat(20)}`]
  const differences: Array<Difference> = []
  let compared = 0
  const send = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const [ofArchive, ofNode] = yield* Effect.all([batch(archive, calls), batch(node, calls)])
    for (const [at, call] of calls.entries()) {
      const isBlock = call[0] === "eth_getBlockByNumber"
      const [one, other] = [ofArchive[at], ofNode[at]].map((value) => comparable(value, isBlock))
      compared += 1
      if (one === undefined || one !== other) differences.push({ call, archive: ofArchive[at], node: ofNode[at] })
    }
  })
  for (let number = 0; number <= last; number++) yield* send(callsAt(number, addresses, tokens))
  yield* send(logCalls(last, addresses))
  return { compared, differences }
})
