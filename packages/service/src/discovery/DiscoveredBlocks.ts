/**
 * Fetches blocks, verifies them like the indexer, and derives the movements of the searched wallets.
 *
 * Source: decision 0047.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as BlockFetcher from "../fetch/BlockFetcher.ts"
import type { BlockNotFound } from "../fetch/BlockNotFound.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as LedgerCodec from "../ledger/LedgerCodec.ts"
import type { LedgerRules } from "../ledger/LedgerRules.ts"
import * as LedgerSource from "../ledger/LedgerSource.ts"
import * as Movement from "../ledger/Movement.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import * as Role from "../ledger/Role.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import type { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as Calls from "../node/Calls.ts"
import type { Effects } from "./DiscoveryStep.ts"

/**
 * How blocks are fetched and assembled.
 */
export interface Source extends Calls.Budgeted {
  /** With the rules of the chain's ledger. */
  readonly assembling: BlockFetcher.Options & { readonly ledger: LedgerRules }
}

/**
 * Why blocks could not be fetched.
 */
export type FetchError = BlockNotFound | InvalidBlock | Calls.CallsError

/** Number of blocks in one request, and of concurrent requests. */
const blocksPerRequest = 16
const concurrency = 4

/** Rows of the wallets: those made by the assembler from the responses, or derived from the texts if traces were added later. */
const rowsOf = (block: BlockRows, rules: LedgerRules, wallets: ReadonlySet<string>): ReadonlyArray<Ledger.LedgerRow> =>
  block.ledger === undefined
    ? Ledger.derive(LedgerSource.fromRows(block), rules).filter(({ wallet }) => wallets.has(wallet))
    : LedgerCodec.rowsOf(block.ledger, wallets)

const toDiscovered = (block: BlockRows, rules: LedgerRules, wallets: ReadonlySet<string>): DiscoveredBlock => {
  const { gaps = [], hash, number, timestamp, transactions } = block
  const hashes = new Map(transactions.map((transaction) => [transaction.index, transaction.hash]))
  return {
    number,
    hash,
    timestamp,
    rows: rowsOf(block, rules, wallets).map(({ candidates, index, movements, roles, wallet }) => ({
      wallet,
      roles,
      movements,
      candidates,
      transactionHash: hashes.get(index) ?? null,
      index: index === Movement.blockLevelIndex ? null : index,
    })),
    hasGaps: gaps.some(({ kind }) => kind !== "check"),
  }
}

const fetchChunk = Effect.fnUntraced(function* (
  source: Source,
  numbers: ReadonlyArray<number>,
): Effect.fn.Return<ReadonlyArray<BlockRows>, FetchError> {
  const { assembling, node } = source
  const all: Array<BlockRows> = []
  while (all.length < numbers.length) {
    const left = numbers.slice(all.length)
    const fetcher = yield* node.batchFetcher(left[0]!)
    const fetched = BlockFetcher.range(node, fetcher, left.slice(0, Math.max(1, fetcher.size)), assembling)
    const rows = yield* Calls.withRetries(
      source,
      Effect.flatMap(fetched, ({ failure, rows: found }) =>
        found.length === 0 && failure !== null ? Effect.fail(failure) : Effect.succeed(found),
      ),
    )
    all.push(...rows)
  }
  return all
})

/**
 * Fetches blocks and derives the movements of wallets, in the order of their numbers.
 *
 * **Errors**
 * - `BlockNotFound`: no node has a block, or its receipts.
 * - `InvalidBlock`: a block of every node is invalid.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: as for other calls.
 */
export const fetch = (
  source: Source,
  numbers: ReadonlyArray<number>,
  wallets: ReadonlySet<string>,
): Effect.Effect<ReadonlyArray<DiscoveredBlock>, FetchError> => {
  const rules = source.assembling.ledger
  const discover = (chunk: ReadonlyArray<number>) =>
    Effect.map(fetchChunk(source, chunk), (blocks) => blocks.map((block) => toDiscovered(block, rules, wallets)))
  return Effect.map(Effect.forEach(Arr.chunksOf(numbers, blocksPerRequest), discover, { concurrency }), (blocks) =>
    blocks.flat(),
  )
}

/**
 * Effects of a block on a wallet.
 */
export const effectsOf = ({ rows }: DiscoveredBlock, wallet: string): Effects => {
  let change = 0n
  let isAuthority = false
  for (const row of rows) {
    if (row.wallet !== wallet) continue
    if ((row.roles & Role.bits.authority) !== 0) isAuthority = true
    for (const { amount, asset } of row.movements) if (asset === Movement.native) change += amount
  }
  return { change, isAuthority }
}
