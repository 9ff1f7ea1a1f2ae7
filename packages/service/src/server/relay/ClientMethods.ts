/**
 * Methods that programs call when they connect, or to count. The relay answers them itself, so that the clients of the contract stay small:
 * the service has no accounts, and a block that may be cached has the counts.
 *
 * Source: decision 0016.
 */
import * as Hash from "@daybook/schema/Hash"
import * as Quantity from "@daybook/schema/Quantity"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as HexQuantity from "../../node/HexQuantity.ts"
import * as LocalMethod from "./LocalMethod.ts"

const Lists = Schema.Struct({
  transactions: Schema.Array(Schema.Unknown),
  uncles: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))),
})
const decode = Schema.decodeUnknownOption(Lists)

const notBlock = LocalMethod.failed("Invalid response of the node: expected a block.")

/** Number of items of a block, in hex; `null` for no block. */
const countOf = (
  block: Effect.Effect<unknown, LocalMethod.CallFailed>,
  itemsOf: (block: typeof Lists.Type) => ReadonlyArray<unknown>,
): Effect.Effect<string | null, LocalMethod.CallFailed> =>
  Effect.flatMap(block, (found) => {
    if (found === null) return Effect.succeed(null)
    const lists = decode(found)
    return Option.isSome(lists) ? Effect.succeed(HexQuantity.of(itemsOf(lists.value).length)) : Effect.fail(notBlock)
  })

const encodeBlock = Schema.encodeSync(RpcMethod.BlockId)

const byHash = (hash: string, { node }: LocalMethod.LocalCall) => node("eth_getBlockByHash", [hash, false])

const decodeNumbered = Schema.decodeUnknownOption(
  Schema.Struct({ number: Quantity.SafeInteger, uncles: Schema.Array(Hash.Hash) }),
)
const decodeUncle = Schema.decodeUnknownOption(Schema.Struct({ hash: Hash.Hash }))

/** An uncle of a block, from the node by the block's number: its hash is compared with the one that the block states. */
const uncleOf = Effect.fnUntraced(function* (hash: string, index: number, call: LocalMethod.LocalCall) {
  const found = yield* byHash(hash, call)
  if (found === null) return null
  const block = Option.getOrUndefined(decodeNumbered(found))
  if (block === undefined) return yield* notBlock
  const uncleHash = block.uncles[index]
  if (uncleHash === undefined) return null
  const uncle = yield* call.node("eth_getUncleByBlockNumberAndIndex", [
    HexQuantity.of(block.number),
    HexQuantity.of(index),
  ])
  if (Option.getOrUndefined(decodeUncle(uncle))?.hash === uncleHash) return uncle
  return yield* LocalMethod.failed("The node returned another uncle. Retry later.")
})

const unclesOf = ({ uncles }: typeof Lists.Type) => uncles ?? []

/** All methods by name. */
export const methods: LocalMethod.Table = new Map(
  Object.entries({
    eth_accounts: LocalMethod.make([], () => Effect.succeed([])),
    net_listening: LocalMethod.make([], () => Effect.succeed(true)),
    eth_getBlockTransactionCountByHash: LocalMethod.make([Hash.Hash], ([hash], call) =>
      countOf(byHash(hash, call), ({ transactions }) => transactions),
    ),
    eth_getUncleCountByBlockHash: LocalMethod.make([Hash.Hash], ([hash], call) =>
      countOf(byHash(hash, call), unclesOf),
    ),
    eth_getUncleByBlockHashAndIndex: LocalMethod.make([Hash.Hash, Quantity.SafeInteger], ([hash, index], call) =>
      uncleOf(hash, index, call),
    ),
    eth_getUncleCountByBlockNumber: LocalMethod.make([RpcMethod.BlockId], ([block], { node }) =>
      countOf(node("eth_getBlockByNumber", [encodeBlock(block), false]), unclesOf),
    ),
  }),
)
