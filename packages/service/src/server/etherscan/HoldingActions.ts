/**
 * Holdings of an address, from the sums of its ledger: balances at a block, and its tokens. If the sums are uncertain, a balance is read
 * from a node, and a list is an error unless a comparison has located the differences.
 *
 * Source: decisions 0049 and 0070.
 */
import * as Effect from "effect/Effect"
import * as Holding from "../../ledger/Holding.ts"
import * as Movement from "../../ledger/Movement.ts"
import * as Totals from "../../ledger/Totals.ts"
import * as Proof from "../../proof/Proof.ts"
import * as CompleteRange from "../../query/CompleteRange.ts"
import * as WalletSums from "../../query/WalletSums.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import type { ComparedHolding } from "../../store/Proofs.ts"
import type { SumQueue } from "../admission/SumQueue.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import * as Parameters from "./Parameters.ts"
import * as StateCalls from "./StateCalls.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

/** Dependencies of the actions. */
export interface Options {
  readonly calls: NodeCalls
  readonly sumsOf: SumQueue
}

type Handler = Action["answer"]

/** Holdings whose balance on the chain differed from the sums in the last comparison. */
const differencesOf = ({ block, known: { proof } }: WalletSums.Sums): ReadonlyArray<ComparedHolding> =>
  (proof?.holdings ?? []).filter(
    ({ expected, firstBlock, found }) =>
      !Proof.isEqual(expected, found) && (firstBlock === null || firstBlock <= block.number),
  )

/** Why sums do not equal a wallet's balances; undefined if they do. Before block 0 there are no tokens. */
const uncertaintyOf = (sums: WalletSums.Sums): string | undefined => {
  const { checkpoint, closing, known, missing } = sums
  if (differencesOf(sums).some(({ holding: { asset } }) => known.assets?.has(asset)))
    return "the chain has another balance than the movements add up to"
  if (missing > 0) return "transactions are missing from the index"
  if (closing.incomplete > 0) return "movements of the wallet may be missing"
  if (!Totals.isWhole(closing)) return "the wallet has more tokens than are summed"
  const isNative = known.assets?.has(Movement.native) === true
  if (isNative && known.unstatedTo !== undefined) return "the chain changes native balances without a statement of it"
  if (checkpoint.first === 0 && !isNative) return undefined
  return WalletSums.lacksOpening(closing, known)
    ? `what the wallet held before block ${checkpoint.first} is not known`
    : undefined
}

/** Sums up to a block, which must be indexed. */
const sumsAt = Effect.fnUntraced(function* (
  { sumsOf }: Options,
  { chain, grant }: Request,
  wallet: string,
  { assets, block }: { readonly assets: ReadonlyArray<string> | undefined; readonly block: number | undefined },
): Effect.fn.Return<WalletSums.Sums, Envelope.Refused> {
  const to = block === undefined ? ({ _tag: "Open" } as const) : ({ _tag: "Block", block } as const)
  const query = { chain, wallet, assets, range: { from: { _tag: "Open" }, to } } as const
  const sums = yield* sumsOf(holderOf(grant), query).pipe(
    Effect.catch((error) => {
      if (error._tag === "QueueFull") return Effect.fail(Envelope.queueFull("sums", error.max))
      if (error._tag !== "NotIndexed") return Lists.refusalOf(error)
      return Effect.fail(Envelope.notIndexed(`block ${block} of this chain is not in the index`))
    }),
  )
  if (block !== undefined && sums.block.number < block) {
    return yield* Envelope.notIndexed(`block ${block} of this chain is not in the index yet`)
  }
  const uncertainty = uncertaintyOf(sums)
  const status = yield* chain.status.pipe(Effect.catch(Lists.refusalOf))
  // Without a block, the head of the chain is requested.
  const behind = block === undefined ? CompleteRange.behind(sums.block.number, status) : undefined
  const blocks = { from: 0, to: sums.block.number }
  const lacking = behind ?? CompleteRange.storedByParty(sums.checkpoint, blocks, {}, status)
  if (lacking !== undefined) return yield* Envelope.notIndexed(lacking)
  return uncertainty === undefined ? sums : yield* Envelope.notIndexed(uncertainty)
})

/** Value of `balanceOf` according to the sums of one asset: an amount, or the number of ERC-721 ids. For an ERC-1155 contract it is unknown. */
const heldOf = ({ closing }: WalletSums.Sums): Effect.Effect<bigint, Envelope.Refused> => {
  if ([...closing.sums.values()].some(({ kind }) => kind === "erc1155")) {
    return Effect.fail(Envelope.notIndexed("the contract has an amount of each id"))
  }
  const own = Totals.balances(closing)
  const fungible = own.filter(({ tokenId }) => tokenId === null)
  return Effect.succeed((fungible.length > 0 ? fungible : own).reduce((sum, { amount }) => sum + amount, 0n))
}

/** A balance at a block, from the ledger or else from the state at a node. */
const balanceAt = Effect.fnUntraced(function* (options: Options, request: Request, wallet: string, asset: string) {
  const block = yield* Effect.fromResult(Parameters.required(request.parameters, "blockno"))
  const sums = sumsAt(options, request, wallet, { assets: [asset], block })
  const ofLedger = Effect.flatMap(sums, heldOf)
  const tag = HexQuantity.of(block)
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

/** Maximum number of balances in a list that are read from a node. */
const maxDifferences = 50

/** Balances at a node for tokens of a standard that differ from the sums; none if a contract returns no balance. */
const correctionsOf = Effect.fnUntraced(function* (
  { calls }: Options,
  request: Request,
  sums: WalletSums.Sums,
  { standard, wallet }: { readonly standard: Holding.Standard; readonly wallet: string },
) {
  const differences = differencesOf(sums).filter(
    ({ holding }) => holding.standard === standard && holding.tokenId === null,
  )
  const refused = Envelope.notIndexed(
    `the chain has another balance of ${differences.length} tokens than the movements add up to`,
  )
  if (differences.length > maxDifferences) return yield* refused
  const tag = HexQuantity.of(sums.block.number)
  const read = Effect.forEach(differences, ({ found, holding: { asset } }) =>
    Effect.map(
      found === null ? Effect.succeed(0n) : StateCalls.balance(calls, request, { wallet, asset, tag }),
      (amount) => [asset, amount] as const,
    ),
  )
  return yield* Effect.mapError(read, () => refused)
})

/** Holdings of a wallet in tokens of a standard, by id, optionally of one token. */
const holdingsOf = Effect.fnUntraced(function* (
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
  const { closing } = sums
  const ofStandard = new Set(
    [...closing.sums.values()].filter((sum) => Holding.fromMovement(sum).standard === standard).map((sum) => sum.asset),
  )
  const hasIds = standard !== "erc20"
  // A contract with inconsistent logs yields no amount that a wallet could hold.
  const held = Totals.balances(closing).filter(
    ({ amount, asset: token, tokenId }) => amount > 0n && ofStandard.has(token) && (tokenId !== null) === hasIds,
  )
  return { held, sums, wallet }
})

/** Balances of a wallet in each token of a standard, with the tokens' self-descriptions. */
const balancesOf = Effect.fnUntraced(function* (options: Options, request: Request, standard: Holding.Standard) {
  const { held, sums, wallet } = yield* holdingsOf(options, request, standard)
  const { tokens } = sums.known
  const amounts = new Map<string, bigint>()
  for (const balance of held) amounts.set(balance.asset, (amounts.get(balance.asset) ?? 0n) + balance.amount)
  for (const [token, amount] of yield* correctionsOf(options, request, sums, { standard, wallet })) {
    amounts.set(token, amount)
  }
  const balances = [...amounts]
    .filter(([, amount]) => amount > 0n)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([token, amount]) => ({
      TokenAddress: token,
      TokenName: tokens.get(token)?.name ?? "",
      TokenSymbol: tokens.get(token)?.symbol ?? "",
      TokenQuantity: String(amount),
    }))
  return { balances, tokens }
})

const pageOf = <Row>(parameters: Parameters.Parameters, rows: ReadonlyArray<Row>, rowBytes: number) =>
  Effect.map(Effect.fromResult(Parameters.list(parameters)), ({ limit, skipped }): Envelope.ActionResult => ({
    _tag: "Rows",
    rows: rows.slice(skipped, skipped + limit),
    bytes: Math.min(limit, rows.length) * rowBytes,
    none: Envelope.noRecords,
    headers: {},
  }))

const rowBytes = 300

const fungible = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { balances, tokens } = yield* balancesOf(options, request, "erc20")
    const rows = balances.map((row) => ({
      ...row,
      TokenDivisor: String(tokens.get(row.TokenAddress)?.decimals ?? ""),
      TokenPriceUSD: "",
    }))
    return yield* pageOf(request.parameters, rows, rowBytes)
  })

const collectibles = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { balances } = yield* balancesOf(options, request, "erc721")
    return yield* pageOf(request.parameters, balances, rowBytes)
  })

const inventory = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { parameters } = request
    const asset = yield* Effect.fromResult(Parameters.address(parameters, "contractaddress"))
    const { held } = yield* holdingsOf(options, request, "erc721", asset)
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
