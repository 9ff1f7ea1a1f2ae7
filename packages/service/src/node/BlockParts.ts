/**
 * A block with its transactions from one node: in one response, or transaction by transaction if that is too large; complete, or as far as
 * it decodes.
 *
 * Source: decisions 0035 and 0036.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import { HydratedBlock } from "@daybook/schema/Block"
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import { InvalidResponse } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as LenientBlock from "./LenientBlock.ts"
import * as LenientObject from "./LenientObject.ts"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import * as Undecoded from "../verification/Undecoded.ts"
import * as HexQuantity from "./HexQuantity.ts"

/** Number of transactions requested at once. */
const atOnce = 20

const isHash = Schema.is(Hash.Hash)

/**
 * True for a response that exceeds the bounds, if a smaller one may be available.
 */
export const isTooLarge = (error: CallError): boolean =>
  error._tag === "InvalidResponse" && error.reason === "too-large"

/** A transaction as received, or only its hash if it exceeds the bounds; `null` if the node no longer knows it. */
const transaction = ({ limiter }: NodeEndpoint.NodeEndpoint, hash: unknown): Effect.Effect<unknown, CallError> =>
  isHash(hash)
    ? Effect.catchIf(limiter.request({ method: "eth_getTransactionByHash", params: [hash] }), isTooLarge, () =>
        Effect.succeed({ hash }),
      )
    : Effect.succeed({ hash })

const blockByNumber = ({ limiter }: NodeEndpoint.NodeEndpoint, number: number, isHydrated: boolean) =>
  limiter.request({ method: "eth_getBlockByNumber", params: [HexQuantity.of(number), isHydrated] })

/** A block as received, with its transactions from separate requests; `null` if the node does not have all of it. */
const inParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  number: number,
): Effect.fn.Return<unknown, CallError> {
  const block = yield* blockByNumber(endpoint, number, false)
  if (!LenientObject.isObject(block) || !Array.isArray(block["transactions"])) return block
  const hashes: ReadonlyArray<unknown> = block["transactions"]
  const transactions = yield* Effect.forEach(hashes, (hash) => transaction(endpoint, hash), { concurrency: atOnce })
  // The node no longer knows a transaction, so its chain has moved.
  return transactions.includes(null) ? null : { ...block, transactions }
})

const undecodable = ({ host }: NodeEndpoint.NodeEndpoint, { expected, path, received }: Issue.Issue) =>
  new InvalidResponse({ host, attempts: [], reason: "content", path: `result.${path}`, expected, received })

const decode = SchemaParser.decodeUnknownResult(Schema.NullOr(HydratedBlock))

/**
 * Fetches a block; `null` when the node does not have it.
 *
 * **Errors**
 * - `CallError`: the node failed, or a part of the block does not decode.
 */
export const fetch = (
  endpoint: NodeEndpoint.NodeEndpoint,
  number: number,
): Effect.Effect<HydratedBlock | null, CallError> =>
  Effect.catchIf(endpoint.calls.eth_getBlockByNumber(number, true), isTooLarge, () =>
    Effect.flatMap(inParts(endpoint, number), (raw) =>
      // Sound: a schema error has at least one issue.
      Effect.fromResult(
        Result.mapError(decode(raw), (error) => undecodable(endpoint, Issue.fromError(error, raw)[0]!)),
      ),
    ),
  ).pipe(
    Effect.catch((error) => NodeEndpoint.substitute(endpoint, number, error)),
    NodeEndpoint.orNull,
  )

/**
 * Fetches a block as far as it decodes; `null` when the node does not have it.
 *
 * **Errors**
 * - `CallError`: the node failed, or the links of the block do not decode.
 */
export const fetchLenient = (
  endpoint: NodeEndpoint.NodeEndpoint,
  number: number,
): Effect.Effect<LenientBlock.LenientBlock | null, CallError> =>
  Effect.catchIf(blockByNumber(endpoint, number, true), isTooLarge, () => inParts(endpoint, number)).pipe(
    Effect.flatMap((raw) =>
      raw === null
        ? Effect.succeed(null)
        : Effect.fromResult(Result.mapError(LenientBlock.read(raw), (issue) => undecodable(endpoint, issue))),
    ),
    Effect.catch((error) =>
      Effect.map(NodeEndpoint.substitute(endpoint, number, error), (block) => ({ block, undecoded: Undecoded.none })),
    ),
    NodeEndpoint.orNull,
  )
