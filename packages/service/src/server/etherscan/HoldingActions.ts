/**
 * What an address holds, from the sums of its ledger: balances at a block, and its tokens. Where the sums are not certain, a balance is
 * read of a node, and a list is an error.
 *
 * Source: decisions 0049 and 0070.
 */
import * as Effect from "effect/Effect"
import * as Holding from "../../ledger/Holding.ts"
import * as Movement from "../../ledger/Movement.ts"
import * as Totals from "../../ledger/Totals.ts"
import * as CompleteRange from "../../query/CompleteRange.ts"
import * as WalletSums from "../../query/WalletSums.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import type { FairQueue, QueueFull } from "../admission/FairQueue.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import * as Parameters from "./Parameters.ts"
import * as StateCalls from "./StateCalls.ts"
import type { NodeCalls } from "./NodeCalls.ts"

/** What the actions need. */
export interface Options {
  readonly calls: NodeCalls
  readonly queue: FairQueue
  readonly sum: ReturnType<typeof WalletSums.make>
}

type Handler = Action["answer"]

const busy = ({ max }: QueueFull) =>
  Envelope.notOk(`Free API access is temporarily unavailable: ${max} sums wait already.`)

/** Why sums are not what a wallet holds; undefined where they are. Before block 0 there are no tokens. */
const uncertaintyOf = ({ checkpoint, closing, known, missing }: WalletSums.Sums): string | undefined => {
  if (missing > 0) return "transactions are missing in the index"
  if (closing.incomplete > 0) return "movements of the wallet may be missing"
  if (!Totals.isWhole(closing)) return "the wallet has more tokens than are summed"
  const isNative = known.assets?.has(Movement.native) === true
  if (checkpoint.first === 0 && !isNative) return undefined
  return WalletSums.lacksOpening(closing, known)
    ? `what the wallet held before block ${checkpoint.first} is not known`
    : undefined
}

/** Sums up to a block, which must be in the index. */
const sumsAt = Effect.fnUntraced(function* (
  { queue, sum }: Options,
  { chain, grant }: Request,
  wallet: string,
  { assets, block }: { readonly assets: ReadonlyArray<string> | undefined; readonly block: number | undefined },
): Effect.fn.Return<WalletSums.Sums, Envelope.Refused> {
  const to = block === undefined ? ({ _tag: "Open" } as const) : ({ _tag: "Block", block } as const)
  const query = { chain, wallet, assets, range: { from: { _tag: "Open" }, to } } as const
  const sums = yield* queue.run(holderOf(grant), sum(query)).pipe(
    Effect.catch((error) => {
      if (error._tag === "QueueFull") return Effect.fail(busy(error))
      if (error._tag !== "NotIndexed") return Lists.refusalOf(error)
      return Effect.fail(Envelope.notIndexed(`block ${block} of this chain is not in the index`))
    }),
  )
  if (block !== undefined && sums.block.number < block) {
    return yield* Envelope.notIndexed(`block ${block} of this chain is not in the index yet`)
  }
  const uncertainty = uncertaintyOf(sums)
  const status = yield* chain.status.pipe(Effect.catch(Lists.refusalOf))
  // Without a block they are asked for the head of the chain.
  const behind = block === undefined ? CompleteRange.behind(sums.block.number, status) : undefined
  const blocks = { from: 0, to: sums.block.number }
  const lacking = behind ?? CompleteRange.storedByParty(sums.checkpoint, blocks, {}, status)
  if (lacking !== undefined) return yield* Envelope.notIndexed(lacking)
  return uncertainty === undefined ? sums : yield* Envelope.notIndexed(uncertainty)
})

/** A balance at a block: of the ledger, or else of the state that a node keeps of the block. */
const balanceAt = Effect.fnUntraced(function* (options: Options, request: Request, wallet: string, asset: string) {
  const block = yield* Effect.fromResult(Parameters.required(request.parameters, "blockno"))
  const ofLedger = Effect.map(
    sumsAt(options, request, wallet, { assets: [asset], block }),
    ({ closing }) => Totals.balances(closing).find((balance) => balance.asset === asset)?.amount ?? 0n,
  )
  const tag = `0x${block.toString(16)}`
  const ofNode = StateCalls.balance(options.calls, request, { wallet, asset, tag })
  const found = yield* ofLedger.pipe(Effect.catch((refused) => Effect.mapError(ofNode, () => refused)))
  return Envelope.ofResult(String(found))
})

const balanceHistory = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const wallet = yield* Effect.fromResult(Parameters.address(request.parameters))
    return yield* balanceAt(options, request, wallet, Movement.native)
  })

const tokenBalanceHistory = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const wallet = yield* Effect.fromResult(Parameters.address(request.parameters))
    const token = yield* Effect.fromResult(Parameters.address(request.parameters, "contractaddress"))
    return yield* balanceAt(options, request, wallet, token)
  })

/** What a wallet holds of the tokens of a standard, with how the tokens describe themselves. */
const tokensOf = Effect.fnUntraced(function* (
  options: Options,
  request: Request,
  standard: Holding.Standard,
  asset?: string,
) {
  const wallet = yield* Effect.fromResult(Parameters.address(request.parameters))
  const sums = yield* sumsAt(options, request, wallet, {
    assets: asset === undefined ? undefined : [asset],
    block: undefined,
  })
  const { closing, known } = sums
  const ofStandard = new Set(
    [...closing.sums.values()].filter((sum) => Holding.fromMovement(sum).standard === standard).map((sum) => sum.asset),
  )
  // A contract whose logs do not add up states no amount that a wallet could hold.
  const held = Totals.balances(closing).filter((balance) => balance.amount > 0n && ofStandard.has(balance.asset))
  return { held, tokens: known.tokens }
})

const pageOf = <Row>(parameters: Parameters.Parameters, rows: ReadonlyArray<Row>, rowBytes: number) =>
  Effect.map(Effect.fromResult(Parameters.list(parameters)), ({ limit, skipped }): Envelope.ActionResult => ({
    _tag: "Rows",
    rows: rows.slice(skipped, skipped + limit),
    bytes: Math.min(limit, rows.length) * rowBytes,
    none: Envelope.noTokens,
    headers: {},
  }))

const rowBytes = 300

const fungible = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { held, tokens } = yield* tokensOf(options, request, "erc20")
    const rows = held.map(({ amount, asset }) => {
      const token = tokens.get(asset)
      return {
        TokenAddress: asset,
        TokenName: token?.name ?? "",
        TokenSymbol: token?.symbol ?? "",
        TokenQuantity: String(amount),
        TokenDivisor: String(token?.decimals ?? ""),
        TokenPriceUSD: "",
      }
    })
    return yield* pageOf(request.parameters, rows, rowBytes)
  })

const collectibles = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { held, tokens } = yield* tokensOf(options, request, "erc721")
    const counts = new Map<string, number>()
    for (const { asset } of held) counts.set(asset, (counts.get(asset) ?? 0) + 1)
    const rows = [...counts].map(([asset, count]) => ({
      TokenAddress: asset,
      TokenName: tokens.get(asset)?.name ?? "",
      TokenSymbol: tokens.get(asset)?.symbol ?? "",
      TokenQuantity: String(count),
    }))
    return yield* pageOf(request.parameters, rows, rowBytes)
  })

const inventory = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { parameters } = request
    const asset = yield* Effect.fromResult(Parameters.address(parameters, "contractaddress"))
    const { held } = yield* tokensOf(options, request, "erc721", asset)
    const rows = held.map(({ tokenId }) => ({ TokenAddress: asset, TokenId: tokenId ?? "" }))
    return yield* pageOf(parameters, rows, rowBytes)
  })

/** The actions. */
export const make = (options: Options): Actions => ({
  "account/balancehistory": { operation: "balances", answer: balanceHistory(options) },
  "account/tokenbalancehistory": { operation: "balances", answer: tokenBalanceHistory(options) },
  "account/addresstokenbalance": { operation: "balances", answer: fungible(options) },
  "account/addresstokennftbalance": { operation: "balances", answer: collectibles(options) },
  "account/addresstokennftinventory": { operation: "balances", answer: inventory(options) },
})
