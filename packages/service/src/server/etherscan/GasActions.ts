/**
 * The module `gastracker`: gas prices, from the fees of a node's last blocks.
 *
 * Source: EIP-1559; decision 0070.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Wei from "@daybook/schema/Wei"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Action, Actions } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import { type NodeCalls, unreadable } from "./NodeCalls.ts"

const decode = Schema.decodeUnknownOption(RpcMethod.FeeHistory)

/** Number of blocks whose priority fees are used, in hex. */
const blocks = "0x14"

/** Percentiles of the priority fees for safe, proposed and fast. */
const percentiles = [10, 50, 90]

/** Number of blocks whose gas usage is reported. */
const statedBlocks = 5

const median = (values: ReadonlyArray<bigint>): bigint => {
  const ascending = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  return ascending[Math.floor(ascending.length / 2)] ?? 0n
}

const oracle = (calls: NodeCalls): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const history = decode(yield* calls.read(request, "eth_feeHistory", [blocks, "latest", percentiles]))
    if (Option.isNone(history)) return yield* unreadable("the fees of the last blocks")
    const { baseFeePerGas = [], gasUsedRatio, oldestBlock, reward } = history.value
    const ratios = gasUsedRatio ?? []
    const base = baseFeePerGas.at(-1) ?? 0n
    const priced = percentiles.map((_, at) => base + median((reward ?? []).flatMap((fees) => fees[at] ?? [])))
    const [safe = base, proposed = base, fast = base] = priced
    return Envelope.ofResult({
      LastBlock: String(oldestBlock + BigInt(Math.max(0, ratios.length - 1))),
      SafeGasPrice: Wei.formatGwei(safe),
      ProposeGasPrice: Wei.formatGwei(proposed),
      FastGasPrice: Wei.formatGwei(fast),
      suggestBaseFee: Wei.formatGwei(base),
      gasUsedRatio: ratios.slice(-statedBlocks).join(","),
    })
  })

/** The actions. */
export const make = (calls: NodeCalls): Actions => ({
  "gastracker/gasoracle": { operation: "relay", answer: oracle(calls) },
})
