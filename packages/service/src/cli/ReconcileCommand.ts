/**
 * `daybook reconcile`: compares the indexed ledgers of wallets with the state of the chain.
 */
import * as Wei from "@daybook/schema/Wei"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { shellWord } from "../supervision/ShellWord.ts"
import * as Calls from "../node/Calls.ts"
import type { ChainJob } from "../indexer/job/ChainJob.ts"
import * as Node from "../node/Node.ts"
import type * as Holding from "../ledger/Holding.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as LedgerScope from "../proof/LedgerScope.ts"
import * as Proof from "../proof/Proof.ts"
import * as Reconciliation from "../proof/Reconciliation.ts"
import * as CompleteRange from "../query/CompleteRange.ts"
import type { Database } from "../store/Database.ts"
import { type ComparedHolding, isProved, type WalletProof } from "../store/Proofs.ts"
import * as WatchList from "../store/WatchList.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

const differencesOf = ({ holdings }: WalletProof): ReadonlyArray<ComparedHolding> =>
  holdings.filter(({ expected, found }) => !Proof.isEqual(expected, found))

/** What was verified against the state root of the block's header. */
const byStateRootOf = ({ holdings }: WalletProof): ReadonlyArray<string> =>
  holdings.flatMap(({ holding, isByStateRoot }) => (isByStateRoot === true ? [holding.standard] : []))

const toJson = (chain: string, { ignored, incomplete, proof }: Reconciliation.Reconciled) => ({
  address: proof.wallet,
  chain,
  block_number: proof.block.number,
  block_hash: proof.block.hash,
  proved: isProved(proof),
  differences: differencesOf(proof).map(({ expected, firstBlock, found, holding: { asset, tokenId } }) => ({
    asset,
    token_id: tokenId,
    expected: expected.toString(),
    found: found?.toString() ?? null,
    first_block: firstBlock,
  })),
  by_state_root: byStateRootOf(proof),
  not_checked: proof.unchecked,
  ignored,
  compared: proof.holdings.length,
  incomplete,
})

/** Formats an amount of a holding; tokens in their smallest unit, as counted by their contracts. */
const formatAmount = (amount: bigint, { standard }: Holding.Holding, symbol: string): string => {
  if (standard === "native") return `${Wei.formatUnits(amount, 18)} ${symbol}`
  return amount.toString()
}

const nameOf = ({ asset, standard, tokenId }: Holding.Holding, symbol: string): string => {
  if (standard === "native") return symbol
  if (standard === "nonce") return "sent transactions"
  return `${standard} ${asset}${tokenId === null ? "" : ` id ${tokenId}`}`
}

const formatDifference = ({ expected, firstBlock, found, holding }: ComparedHolding, symbol: string): string => {
  const state =
    found === null ? "the contract returns no balance" : `the chain has ${formatAmount(found, holding, symbol)}`
  const where = firstBlock === null ? "" : `, first at block ${firstBlock}`
  return `  ${nameOf(holding, symbol)}: the ledger has ${formatAmount(expected, holding, symbol)}, ${state}${where}`
}

const toText = (
  { chain, chainId, config }: ChainJob,
  { ignored, incomplete, proof }: Reconciliation.Reconciled,
): ReadonlyArray<string> => {
  const symbol = StatementFormat.nativeSymbol(chainId)
  const { block, first, holdings, unchecked, wallet } = proof
  const differences = differencesOf(proof)
  const proved = ignored.length === 0 ? "proved" : "proved except for ignored tokens"
  const outcome = isProved(proof) ? proved : "NOT PROVED"
  const compared = Terminal.count(holdings.length, "sum")
  const counted = Terminal.count(differences.length, "difference")
  const byRoot = holdings
    .filter(({ isByStateRoot }) => isByStateRoot === true)
    .map(({ holding }) => nameOf(holding, symbol))
  const rules = LedgerRules.fromChainId(chainId, config.feeRules)
  const parts = [
    ...(incomplete === 0
      ? []
      : [`  parts of ${incomplete} transactions or blocks are unknown: traces, receipts or fees`]),
    ...CompleteRange.unstatedSentences(LedgerRules.unstatedTo(rules, { from: first, to: block.number })).map(
      (sentence) => `  ${sentence}`,
    ),
  ]
  return [
    `${wallet} on ${chain}, block ${block.number}: ${outcome}, ${compared} compared, ${counted}`,
    byRoot.length === 0
      ? "  trusted the node: no proof under the state root of the block"
      : `  verified against the state root of the block: ${byRoot.join(" and ")}`,
    ...differences.map((difference) => formatDifference(difference, symbol)),
    ...unchecked.map((sentence) => `  not checked: ${sentence}`),
    ...ignored.map((token) => `  ignored: ${token}`),
    ...(isProved(proof) ? [] : parts),
  ]
}

/** Default maximum number of calls per wallet. */
const defaultMaxCalls = 200_000

const sourceOf = Effect.fnUntraced(function* (
  database: Database,
  { chain, chainId, config }: ChainJob,
  maxCalls: number,
) {
  const store = database.chain({ name: chain, id: chainId })
  const { fetch, usage } = Calls.counting(globalThis.fetch)
  const node = yield* Node.make({ urls: config.rpc, chainId, where: `chains.${chain}.rpc`, fetch })
  const source: Reconciliation.Source = {
    node,
    usage,
    maxCalls,
    reader: store.reader,
    proofs: yield* store.proofs,
  }
  return source
})

/**
 * Rejects wallets that are not indexed, and those that were added later: their missing movements would appear as differences.
 */
const refusePartial = Effect.fnUntraced(function* (
  { reader }: Reconciliation.Source,
  { chain }: ChainJob,
  wallets: ReadonlyArray<string>,
) {
  const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
  if (checkpoint === null) return
  const { first, watch } = checkpoint
  const unwatched = watch === undefined ? undefined : wallets.find((one) => !watch.includes(one))
  if (unwatched !== undefined) {
    return yield* new CommandError({
      message: `Wallet not watched: ${unwatched} on ${chain}, whose index covers only some wallets. "daybook watch list" lists them; "daybook statement ${unwatched} --rpc URL" needs no index.`,
    })
  }
  const wallet = wallets.find((one) => WatchList.firstBlock(checkpoint, one) > first)
  if (wallet === undefined) return
  const from = WatchList.firstBlock(checkpoint, wallet)
  return yield* new CommandError({
    message: `Wallet not comparable: ${wallet} on ${chain} is indexed from block ${from}, but the index begins with block ${first}. Stop the service, run "daybook reindex --from ${first} --chain ${shellWord(chain)}" and start it again to index all of it.`,
  })
})

/** `daybook reconcile`: exits with code 0 only if every wallet is proved. */
export const reconcile = Command.make(
  "reconcile",
  {
    addresses: Argument.String("ADDRESS").pipe(
      Argument.withDescription("Address of a wallet or contract"),
      Argument.atLeast(1),
    ),
    config: Selection.configFlag,
    chain: Flag.String("chain").pipe(
      Flag.withDescription("Name of a chain in the configuration; required if there are several"),
      Flag.withMetavar("NAME"),
      Flag.atLeast(0),
    ),
    at: Selection.blockFlag("Block at which the wallets are compared; by default the last final block", "at"),
    maxCalls: Flag.Int("max-calls").pipe(
      Flag.withDescription("Maximum number of calls to the node per wallet; by default 200,000"),
      Flag.withMetavar("N"),
      Flag.optional,
    ),
    ignore: Flag.String("ignore").pipe(
      Flag.withDescription(
        "Address of a token to leave out of the comparison, whose result is then not stored; may be repeated",
      ),
      Flag.withMetavar("ADDRESS"),
      Flag.atLeast(0),
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per wallet"), Flag.withDefault(false)),
  },
  Effect.fn(
    function* ({ addresses, at: given, chain, config, ignore, json, maxCalls: givenCalls }) {
      const wallets = yield* WalletFlags.parseAddresses(addresses)
      const at = yield* Selection.parseBlock(given, "at")
      const maxCalls = (yield* WalletFlags.parseCount(givenCalls, "max-calls")) ?? defaultMaxCalls
      const ignored = new Set(yield* WalletFlags.parseAddresses(ignore, "--ignore"))
      const { database, jobs } = yield* Selection.open(config, chain)
      const [job] = jobs
      if (job === undefined || jobs.length > 1) {
        const names = jobs.map((one) => one.chain).join(", ")
        const message = `Several chains are selected: ${names}. Select one with "--chain NAME".`
        return yield* new CommandError({ message })
      }
      const source = yield* sourceOf(database, job, maxCalls)
      const scope = yield* LedgerScope.read(source.reader, job.chain, at)
      yield* refusePartial(source, job, wallets)
      const failed: Array<string> = []
      for (const wallet of wallets) {
        const reconciled = yield* Reconciliation.run(source, scope, wallet, { ignored })
        if (json) yield* Terminal.print(JSON.stringify(toJson(job.chain, reconciled)))
        else for (const line of toText(job, reconciled)) yield* Terminal.print(line)
        if (!isProved(reconciled.proof)) failed.push(wallet)
      }
      if (failed.length === 0) return
      return yield* new CommandError({
        message: `Not proved: ${failed.join(", ")}. See the differences and what was not checked.`,
      })
    },
    Effect.scoped,
    Selection.adviseFinalBlock,
  ),
)
