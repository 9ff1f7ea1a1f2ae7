/**
 * Lists of the module `account`: transactions, internal transactions, token transfers, withdrawals and mined blocks.
 *
 * Source: decision 0070.
 */
import type { DecodedItemWire } from "@daybook/schema/DecodedItem"
import type * as TokenTransfer from "@daybook/schema/TokenTransfer"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import * as Json from "@daybook/schema/Json"
import type { Decoder } from "@daybook/abi/Decoder"
import * as Effect from "effect/Effect"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import * as Movement from "../../ledger/Movement.ts"
import * as CompleteRange from "../../query/CompleteRange.ts"
import type { Coverage } from "../../query/Coverage.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as L1Fees from "../../query/L1Fees.ts"
import * as TransferFlags from "../../query/TransferFlags.ts"
import * as TransactionParts from "../../query/TransactionParts.ts"
import * as WalletBlocks from "../../query/WalletBlocks.ts"
import * as WalletFrames from "../../query/WalletFrames.ts"
import * as Movements from "../../query/WalletMovements.ts"
import type * as WalletPage from "../../query/WalletPage.ts"
import * as WalletTransactions from "../../query/WalletTransactions.ts"
import * as WalletTransfers from "../../query/WalletTransfers.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as IndexCoverage from "../rest/IndexCoverage.ts"
import { rowDecoder } from "../rest/WalletTransactions.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as Rows from "./Rows.ts"
import * as TransactionFrames from "./TransactionFrames.ts"

/** Dependencies of the lists. */
export interface Options {
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
  readonly readList: Lists.ReadList
  readonly calls: NodeCalls
}

const rowsOf = ({ bytes, coverage, rows }: Lists.Rows<unknown>): Envelope.ActionResult => ({
  _tag: "Rows",
  rows,
  bytes,
  none: Envelope.noTransactions,
  headers: IndexCoverage.headers(coverage),
})

/** Call of a transaction as currently decoded. */
const callWith = (decoder: Decoder, contractDecoder: ContractDecoder) => {
  const decoded = rowDecoder(decoder, Infinity)
  return ({ row, transaction }: TransactionParts.Document): DecodedItemWire | null => {
    const { body } = decoded(row, contractDecoder)
    // Sound: the text is that of a transaction both before and after decoding.
    const current = body === row.body ? transaction : (Json.parse(body) as WalletTransactionWire)
    return current.decoded_call ?? null
  }
}

/** Makes the context of the rows of a list. */
const contextOf = ({ contracts, decoder }: Options, { chain }: Request) =>
  Effect.map(contracts.find(chain), ({ decoder: contractDecoder }) => {
    const callOf = callWith(decoder, contractDecoder)
    return ({ checkpoint }: Coverage): Rows.Context => ({ head: checkpoint?.head.number ?? 0, callOf })
  })

type Handler = Action["answer"]

const listOf = ({ parameters }: Request) => Effect.fromResult(Parameters.list(parameters))

const txlist = (options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { chain, parameters } = request
    const wallet = yield* Effect.fromResult(Parameters.address(parameters))
    const list = yield* listOf(request)
    const context = yield* contextOf(options, request)
    const read = (query: WalletPage.Query<WalletTransactions.Selection>) => WalletTransactions.read("direct", query)
    const found = yield* options.readList(
      { request, wallet, list, selection: { internal: false }, kind: "txlist", read },
      Effect.fnUntraced(function* (rows, coverage) {
        const own = context(coverage)
        const documents = rows.map(TransactionParts.documentOf)
        const feeOf = L1Fees.areTaken(chain) ? yield* L1Fees.read(chain, documents) : undefined
        return documents.map((document) => {
          const row = Rows.transaction(document, own)
          return feeOf === undefined ? row : { ...row, L1FeesPaid: feeOf(document) ?? "" }
        })
      }),
    )
    return rowsOf(found)
  })

/** The zero address does not hold tokens, so ledgers have no rows for it. */
const zeroAddress = `0x${"0".repeat(40)}`

const isAny = () => true

/** Internal transactions of an address. */
const internalOfAddress = ({ readList }: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const wallet = yield* Effect.fromResult(Parameters.address(request.parameters))
    const list = yield* listOf(request)
    const options = {
      request,
      wallet,
      list,
      selection: isAny,
      kind: "txlistinternal",
      read: WalletFrames.read,
      needs: "traces" as const,
    }
    return rowsOf(yield* readList(options, (rows) => Effect.sync(() => rows.map(Rows.internal))))
  })

/** Internal transactions of a range of blocks, for all addresses. */
const internalOfBlocks = ({ readList }: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const list = yield* listOf(request)
    const options = {
      request,
      wallet: zeroAddress,
      list,
      selection: isAny,
      kind: "txlistinternal of blocks",
      read: WalletFrames.readOfBlocks,
      needs: "traces" as const,
    }
    const found = yield* readList(options, (rows) => Effect.sync(() => rows.map(Rows.internal)))
    return rowsOf({ ...found, coverage: { ...found.coverage, reconciledTo: null } })
  })

const txlistinternal = (options: Options): Handler => {
  const ofTransaction = TransactionFrames.make(options.calls)
  const ofAddress = internalOfAddress(options)
  const ofBlocks = internalOfBlocks(options)
  return (request) => {
    const { parameters } = request
    if (parameters.has("address")) {
      return parameters.has("txhash")
        ? Effect.fail(Envelope.notOk("Error! The parameter txhash is not supported together with address"))
        : ofAddress(request)
    }
    if (parameters.has("txhash")) return ofTransaction(request)
    return parameters.has("startblock") && parameters.has("endblock")
      ? ofBlocks(request)
      : Effect.fail(Envelope.notOk("Error! Missing address, txhash, or startblock and endblock"))
  }
}

const standards: Readonly<Record<Rows.TokenAction, TokenTransfer.Standard>> = {
  tokentx: "erc20",
  tokennfttx: "erc721",
  token1155tx: "erc1155",
}

const ofWallet = { read: WalletTransfers.read, needs: "roles" } as const
const ofContract = { read: WalletTransfers.readOfToken, needs: "calls" } as const

const transfers = (action: Rows.TokenAction, options: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { chain, parameters } = request
    const token = yield* Effect.fromResult(Parameters.addressIfSent(parameters, "contractaddress"))
    const contract = parameters.has("address") ? undefined : token
    const wallet = contract ?? (yield* Effect.fromResult(Parameters.address(parameters)))
    if (wallet === zeroAddress) return yield* Envelope.notIndexed("mints and burns are not listed for the zero address")
    const list = yield* listOf(request)
    const context = yield* contextOf(options, request)
    const selection = (transfer: WalletTransfers.Transfer) =>
      transfer.standard === standards[action] && (token === undefined || transfer.token === token)
    const found = yield* options.readList(
      {
        request,
        wallet,
        list,
        selection,
        kind: `${action} ${contract === undefined ? (token ?? "") : "of the contract"}`,
        ...(contract === undefined ? ofWallet : ofContract),
      },
      Effect.fnUntraced(function* (rows, coverage) {
        const own = context(coverage)
        const addresses = new Set(rows.map(({ part }) => part.token))
        const { flags, tokens } = yield* chain.reader.snapshot((snapshot) =>
          Effect.gen(function* () {
            const found = yield* snapshot.tokens(addresses)
            const holder = contract === undefined ? wallet : undefined
            return { tokens: found, flags: yield* TransferFlags.make(snapshot, chain.id, holder, rows, found) }
          }),
        )
        return rows.map((row) => Rows.transfer(action, row, tokens.get(row.part.token), own, flags(row)))
      }),
    )
    return rowsOf(found)
  })

const withdrawals = ({ readList }: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const wallet = yield* Effect.fromResult(Parameters.address(request.parameters))
    const list = yield* listOf(request)
    const options = { request, wallet, list, selection: undefined, kind: "withdrawals", read: WalletBlocks.withdrawals }
    return rowsOf(
      yield* readList(options, (rows) => Effect.sync(() => rows.map((row) => Rows.withdrawal(wallet, row)))),
    )
  })

/** Blocks are listed from the newest one, whatever order is requested. */
const minedBlocks = ({ readList }: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { parameters } = request
    if (parameters.get("blocktype")?.toLowerCase() === "uncles") {
      return yield* Envelope.notIndexed("miners of uncles are not in the index")
    }
    const wallet = yield* Effect.fromResult(Parameters.address(parameters))
    const list = { ...(yield* listOf(request)), order: "DESC" } as const
    const options = { request, wallet, list, selection: undefined, kind: "rewards", read: WalletBlocks.rewards }
    return rowsOf(yield* readList(options, (rows) => Effect.sync(() => rows.map(Rows.minedBlock))))
  })

/** Kinds of movements with which others give ether to an account. */
const fundingKinds = ["value", "internal", "ether_log", "mint", "genesis"] as const

/** Last block, up to that of the first funding, up to which the account may have received ether without a trace on the chain. */
const unstatedBefore = (chain: IndexedChain, { checkpoint }: Coverage, block: number | undefined) =>
  CompleteRange.unstatedTo(
    chain,
    checkpoint === null || block === undefined
      ? checkpoint
      : { ...checkpoint, head: { ...checkpoint.head, number: block } },
  )

/** First funding of an account. */
const fundedBy = ({ readList }: Options): Handler =>
  Effect.fnUntraced(function* (request) {
    const { chain, parameters } = request
    const wallet = yield* Effect.fromResult(Parameters.address(parameters))
    // The native currency is in the first slice.
    const { balances } = yield* chain.reader
      .snapshot((snapshot) => snapshot.openings(wallet))
      .pipe(Effect.catch(Lists.refusalOf))
    if (!balances.some(({ holding: { asset } }) => asset === Movement.native)) {
      return yield* Envelope.notIndexed("what the wallet held before the first block is not known")
    }
    const list = { from: 0, to: Number.MAX_SAFE_INTEGER, order: "ASC", skipped: 0, limit: 1 } as const
    const selection = { asset: [Movement.native], direction: "in", kind: fundingKinds } as const
    const options = {
      request,
      wallet,
      list,
      selection,
      kind: "fundedby",
      read: Movements.read,
      needs: "traces",
    } as const
    const found = yield* readList(options, (rows) => Effect.sync(() => rows.map(Rows.funding)))
    const [first] = found.rows
    const unstatedTo = unstatedBefore(chain, found.coverage, first?.block)
    if (first === undefined) {
      if (unstatedTo === undefined) return yield* Envelope.none("No data found")
      const what = "the chain changes native balances without a statement of it"
      return yield* Envelope.notIndexed(`${what}, up to block ${unstatedTo}`)
    }
    if (first.fundingTxn === null) return yield* Envelope.notOk("Error! The account was funded in the first block")
    return Envelope.ofResult(unstatedTo === undefined ? first : { ...first, unstatedTo })
  })

/** The actions. */
export const make = (options: Options): Actions => ({
  "account/txlist": { operation: "walletTransactions", answer: txlist(options) },
  "account/txlistinternal": { operation: "walletTransactions", answer: txlistinternal(options) },
  "account/tokentx": { operation: "movements", answer: transfers("tokentx", options) },
  "account/tokennfttx": { operation: "movements", answer: transfers("tokennfttx", options) },
  "account/token1155tx": { operation: "movements", answer: transfers("token1155tx", options) },
  "account/txsbeaconwithdrawal": { operation: "movements", answer: withdrawals(options) },
  "account/fundedby": { operation: "movements", answer: fundedBy(options) },
  "account/getminedblocks": { operation: "movements", answer: minedBlocks(options) },
})
