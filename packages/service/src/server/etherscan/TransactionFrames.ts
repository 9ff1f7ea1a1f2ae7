/**
 * Internal transactions of one transaction. Its position is read from the node, its calls from the index.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as CompleteRange from "../../query/CompleteRange.ts"
import { documentOf } from "../../query/TransactionParts.ts"
import * as WalletFrames from "../../query/WalletFrames.ts"
import * as WalletPage from "../../query/WalletPage.ts"
import * as WalletTransactions from "../../query/WalletTransactions.ts"
import type { Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as Receipt from "./Receipt.ts"
import * as Rows from "./Rows.ts"

/** Maximum number of transactions of one sender in one block that are read. */
const limit = 2_000

/** Approximate number of bytes of a row. */
const rowBytes = 400

/** Makes the response for the parameter `txhash`. */
export const make = (calls: NodeCalls) =>
  Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Envelope.ActionResult, Envelope.Refused> {
    const { chain, parameters } = request
    const hash = yield* Effect.fromResult(Parameters.transactionHash(parameters))
    const list = yield* Effect.fromResult(Parameters.list(parameters))
    const receipt = Receipt.read(yield* calls.read(request, "eth_getTransactionReceipt", [hash]))
    if (receipt === null) return yield* Envelope.none(Envelope.noTransactions, [])
    const { block, from } = receipt
    const bound = { _tag: "Block", block } as const
    const page = yield* WalletTransactions.read("direct", {
      chain,
      wallet: from,
      range: { from: bound, to: bound },
      order: "ASC",
      position: WalletPage.first,
      limit,
      maxBytes: Lists.maxBytes,
      selection: { internal: true },
    }).pipe(
      Effect.tap(({ coverage }) =>
        CompleteRange.check(chain, coverage, { from: block, to: block }, { needs: "traces" }),
      ),
      Effect.catch((error) => (error._tag === "Stale" ? Effect.die(error) : Lists.refusalOf(error))),
    )
    const document = page.rows.map(documentOf).find(({ transaction }) => transaction.hash === hash)
    if (document === undefined)
      return yield* Envelope.notIndexed(`the transaction is not in the index of ${chain.name}`)
    const frames = WalletFrames.movingFrames(document).map((part) => Rows.internalOfTransaction({ document, part }))
    const rows = list.order === "ASC" ? frames : frames.toReversed()
    return {
      _tag: "Rows",
      rows: rows.slice(list.skipped, list.skipped + list.limit),
      bytes: rows.length * rowBytes,
      none: Envelope.noTransactions,
      headers: {},
    }
  })
