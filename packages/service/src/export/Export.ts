/**
 * Writes the movements of wallets in a format, as a stream of text. Memory use does not grow with the number of movements.
 *
 * Source: decision 0047.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NodeConnection } from "../discovery/NodeConnection.ts"
import * as Label from "../label/Label.ts"
import type * as Calls from "../node/Calls.ts"
import * as Discovery from "../discovery/Discovery.ts"
import { ChainReorganized } from "../node/CallsError.ts"
import * as Holding from "../ledger/Holding.ts"
import * as Proof from "../proof/Proof.ts"
import * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import * as MetadataReader from "../token/MetadataReader.ts"
import * as Beancount from "./Beancount.ts"
import * as Csv from "./Csv.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as ExportEntry from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"
import * as Hledger from "./Hledger.ts"
import * as LedgerBlocks from "../query/LedgerBlocks.ts"
import * as Ndjson from "./Ndjson.ts"

/** The formats by name. */
export const formats = {
  csv: Csv.make,
  ndjson: Ndjson.make,
  beancount: Beancount.make,
  hledger: Hledger.make,
} satisfies Readonly<Record<string, () => ExportFormat>>

export type FormatName = keyof typeof formats

/** Summary of a written export. */
export interface Written {
  readonly entries: number
  readonly closings: ReadonlyArray<ExportEntry.Closing>
}

/** True if the chain agrees with the sum of the movements of a holding; if a contract reports no balance, there is nothing to compare. */
export const isProved = ({ amount, found }: ExportEntry.Closing): boolean => amount === (found ?? 0n)

/** Number of entries per piece of text. */
const entriesPerPiece = 256

/** The part of an export for one chain. */
export interface Part<E> {
  readonly source: ExportEntry.Source<E>
  /** The block of the closing balances. */
  readonly closing: { readonly number: number; readonly timestamp: number }
  /** Balances of the wallets at that block, from their movements and from the state of the chain. */
  readonly closings: (totals: ExportEntry.Totals) => Effect.Effect<ReadonlyArray<ExportEntry.Closing>, E>
}

const writePart = Effect.fnUntraced(function* <E, E2>(
  { closing, closings: closingsOf, source }: Part<E>,
  format: ExportFormat,
  writeText: (text: string) => Effect.Effect<void, E2>,
): Effect.fn.Return<Written, E | E2> {
  const { entries, totals } = ExportEntry.stream(source)
  let count = 0
  yield* entries.pipe(
    Stream.grouped(entriesPerPiece),
    Stream.runForEach((group) => {
      count += group.length
      return writeText(group.map(format.entry).join(""))
    }),
  )
  const closings = yield* closingsOf(totals)
  yield* writeText(format.tail({ closings, blockNumber: closing.number, timestamp: closing.timestamp }))
  return { entries: count, closings }
})

/**
 * Writes the entries of several chains, one after the other; `writeText` receives the text in pieces.
 */
export const write = Effect.fnUntraced(function* <E, E2>(
  parts: ReadonlyArray<Part<E>>,
  format: ExportFormat,
  writeText: (text: string) => Effect.Effect<void, E2>,
): Effect.fn.Return<Written, E | E2> {
  const accounts = parts.flatMap(({ source: { chainId, wallets } }) => wallets.map((wallet) => ({ chainId, wallet })))
  yield* writeText(format.head(accounts))
  const written = yield* Effect.forEach(parts, (part) => writePart(part, format, writeText))
  return {
    entries: written.reduce((sum, { entries }) => sum + entries, 0),
    closings: written.flatMap(({ closings }) => closings),
  }
})

const headerOf = (connection: Calls.Budgeted, block: number) =>
  Effect.map(Discovery.headerOf(connection, block), ({ hash, number, timestamp = 0 }) => ({ number, hash, timestamp }))

/** A node of a chain. */
export interface ChainNode extends Calls.Budgeted {
  readonly chainId: number
}

/** Describes assets by what their tokens report at a block. */
const describer =
  (connection: ChainNode, block: number) =>
  (holdings: ReadonlyArray<Holding.Holding>): Effect.Effect<ReadonlyArray<ExportEntry.Asset>, Calls.CallsError> => {
    const { chainId } = connection
    const tokens = holdings.flatMap(({ asset, standard }) => (standard === "native" ? [] : [asset]))
    return Effect.map(MetadataReader.read(connection, [...new Set(tokens)], block), (metadata) =>
      holdings.map((holding) => ({
        chainId,
        holding,
        decimals: StatementFormat.decimalsOf(holding, metadata),
        symbol:
          holding.standard === "native"
            ? StatementFormat.nativeSymbol(chainId)
            : (metadata.get(holding.asset)?.symbol ?? null),
      })),
    )
  }

/** Balances of the wallets, from their movements and from the state of the chain. */
const closingsAt =
  (connection: Calls.Budgeted, block: number) =>
  (totals: ExportEntry.Totals): Effect.Effect<ReadonlyArray<ExportEntry.Closing>, Proof.ProofError> =>
    Effect.map(
      Effect.forEach([...new Set([...totals.values()].map(({ wallet }) => wallet))], (wallet) => {
        const own = [...totals.values()].filter((total) => total.wallet === wallet)
        const isComparable = Holding.comparableAmong(own.map(({ asset }) => asset.holding))
        const compared = own.filter(({ asset }) => isComparable(asset.holding))
        const reads = compared.map(({ asset: { holding } }) => ({ holding, block }))
        return Effect.map(Proof.holdingsAt(connection, wallet, reads, block), (found) =>
          compared.map((total, at) => ({ ...total, found: found[at] ?? null })),
        )
      }),
      (closings) => closings.flat(),
    )

/** Balance of a wallet at a block; 0 if the contract reports none. */
const openingsAt =
  (connection: Calls.Budgeted, block: number, end: number) =>
  (
    wallet: string,
    holdings: ReadonlyArray<Holding.Holding>,
  ): Effect.Effect<ReadonlyArray<bigint>, Proof.ProofError> => {
    const reads = holdings.map((holding) => ({ holding, block }))
    return Effect.map(Proof.holdingsAt(connection, wallet, reads, end), (amounts) =>
      amounts.map((amount) => amount ?? 0n),
    )
  }

const builtIn: Label.Label = (address) => Label.builtIn[address] ?? null

/** A block of an export, whose balances open or close the accounts. */
type BlockOf<E> = ExportEntry.Source<E>["opening"]

/** Movements of a range of blocks between two balances that a node reports. */
const partOf = <E>(
  connection: ChainNode,
  {
    blocks,
    closing,
    label,
    opening,
    wallets,
  }: Pick<ExportEntry.Source<E>, "blocks" | "label" | "opening" | "wallets"> & {
    readonly closing: BlockOf<E>
  },
): Part<E | Proof.ProofError> => ({
  source: {
    chainId: connection.chainId,
    wallets,
    label,
    blocks,
    opening,
    describe: describer(connection, closing.number),
    openings: openingsAt(connection, opening.number, closing.number),
  },
  closing,
  closings: closingsAt(connection, closing.number),
})

/** Wallets on the chain of a node. */
export interface Discoverable {
  readonly connection: NodeConnection
  readonly options: Statement.Options
}

/**
 * Starts the discovery of wallets on a chain.
 *
 * **Errors**
 * - As for `Statement.run`, also while the part is written.
 */
export const fromNode = Effect.fn("Export.fromNode")(function* ({
  connection,
  options,
}: Discoverable): Effect.fn.Return<Part<Statement.StatementError>, Statement.StatementError> {
  const found = yield* Statement.begin(connection, options)
  const { blocks } = Discovery.make(connection, found, options.onTurn)
  const { state } = found
  const closing = yield* headerOf(connection, state.closing.number)
  const opening = yield* headerOf(connection, state.opening)
  return partOf(connection, { blocks, closing, label: builtIn, opening, wallets: options.addresses })
})

/** Wallets in the index of a chain, with a node for balances and tokens. */
export interface Indexed {
  readonly reader: ChainReader
  readonly connection: ChainNode
  /** Labels of the configuration. Default: those of addresses with the same meaning on every chain. */
  readonly label?: Label.Label
  readonly options: Omit<LedgerBlocks.Options, "to" | "isOpenEnded"> & {
    /** Last block. Default: the last final one of the node or, if the index is a few blocks behind, of the index. */
    readonly at?: number | undefined
  }
}

/** Why an index cannot be exported. */
export type IndexedError = LedgerBlocks.NotIndexed | StoreError | Discovery.DiscoveryError | Proof.ProofError

/**
 * Reads the movements of wallets from an index. The node provides opening balances, names and decimals of tokens, and closing balances.
 *
 * **Errors**
 * - `NotIndexed`: the index lacks the ledgers of the wallets, or of some of the blocks.
 * - `ChainReorganized`: the last block of the node differs from that of the index, or was replaced meanwhile.
 * - `StateUnavailable`: the node lacks the state of a block whose balances are read.
 * - `StoreError`, and those of calls.
 */
export const fromIndex = Effect.fn("Export.fromIndex")(function* ({
  connection,
  label = builtIn,
  options,
  reader,
}: Indexed): Effect.fn.Return<Part<IndexedError>, IndexedError> {
  const { at, ...rest } = options
  const { number: to } = yield* Discovery.closingBlock(connection, connection.chainId, at)
  const range = yield* LedgerBlocks.rangeOf(reader, { ...rest, to, isOpenEnded: at === undefined })
  const { closing, first, wallets } = range
  const opening = yield* headerOf(connection, Math.max(0, first - 1))
  const { hash: received } = yield* headerOf(connection, closing.number)
  if (received !== closing.hash) {
    return yield* new ChainReorganized({ block: closing.number, expected: closing.hash, received })
  }
  const blocks = LedgerBlocks.blocks(reader, range)
  return partOf<IndexedError>(connection, { blocks, closing, label, opening, wallets })
})
