/**
 * Writes the movements of wallets in a format, as a stream of text: what is held in memory does not grow with the movements.
 *
 * Source: decision 0047.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "../discovery/Connection.ts"
import type * as Calls from "../discovery/Calls.ts"
import * as Discovery from "../discovery/Discovery.ts"
import type * as Holding from "../proof/Holding.ts"
import * as Proof from "../proof/Proof.ts"
import * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import * as TokenMetadata from "../token/TokenMetadata.ts"
import * as Beancount from "./Beancount.ts"
import * as Csv from "./Csv.ts"
import * as ExportEntry from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"
import * as Hledger from "./Hledger.ts"
import * as Ndjson from "./Ndjson.ts"

/** The formats by name. */
export const formats = {
  csv: Csv.make,
  ndjson: Ndjson.make,
  beancount: Beancount.make,
  hledger: Hledger.make,
} satisfies Readonly<Record<string, () => ExportFormat>>

export type FormatName = keyof typeof formats

/** What an export has written. */
export interface Written {
  readonly entries: number
  readonly closings: ReadonlyArray<ExportEntry.Closing>
}

/** Entries of one piece of text. */
const entriesPerPiece = 256

/** What an export writes of one chain. */
export interface Part<E> {
  readonly source: ExportEntry.Source<E>
  /** The block of the closing balances. */
  readonly closing: { readonly number: number; readonly timestamp: number }
  /** What the wallets hold at that block, by their movements and by the state of the chain. */
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

const headerOf = (connection: Connection, block: number) =>
  Effect.map(Discovery.headerOf(connection, block), ({ hash, number, timestamp = 0 }) => ({ number, hash, timestamp }))

/** Describes assets by what their tokens return of themselves at a block. */
const describer =
  (connection: Connection, block: number) =>
  (holdings: ReadonlyArray<Holding.Holding>): Effect.Effect<ReadonlyArray<ExportEntry.Asset>, Calls.CallsError> => {
    const { chainId } = connection
    const tokens = holdings.flatMap(({ asset, standard }) => (standard === "native" ? [] : [asset]))
    return Effect.map(TokenMetadata.read(connection, [...new Set(tokens)], block), (metadata) =>
      holdings.map((holding) => ({
        ...{ chainId, holding, decimals: StatementFormat.decimalsOf(holding, metadata) },
        symbol:
          holding.standard === "native"
            ? StatementFormat.nativeSymbol(chainId)
            : (metadata.get(holding.asset)?.symbol ?? null),
      })),
    )
  }

/** What the wallets hold by their movements, and by the state of the chain. */
const closingsAt =
  (connection: Connection, block: number) =>
  (totals: ExportEntry.Totals): Effect.Effect<ReadonlyArray<ExportEntry.Closing>, Proof.ProofError> =>
    Effect.map(
      Effect.forEach([...new Set([...totals.values()].map(({ wallet }) => wallet))], (wallet) => {
        const own = [...totals.values()].filter((total) => total.wallet === wallet)
        const reads = own.map(({ asset: { holding } }) => ({ holding, block }))
        return Effect.map(Proof.holdingsAt(connection, wallet, reads, block), (found) =>
          own.map((total, at) => ({ ...total, found: found[at] ?? null })),
        )
      }),
      (closings) => closings.flat(),
    )

/** Wallets on the chain of a node. */
export interface Discoverable {
  readonly connection: Connection
  readonly options: Statement.Options
}

/** Begins the discovery of wallets on one chain. */
const discover = Effect.fnUntraced(function* ({
  connection,
  options,
}: Discoverable): Effect.fn.Return<Part<Statement.StatementError>, Statement.StatementError> {
  const state = yield* Statement.begin(connection, options)
  const discovery = Discovery.make(connection, state, options.onTurn)
  const closing = yield* headerOf(connection, state.closing.number)
  const source: ExportEntry.Source<Statement.StatementError> = {
    ...{ chainId: connection.chainId, wallets: options.addresses, blocks: discovery.blocks },
    opening: yield* headerOf(connection, state.opening),
    describe: describer(connection, closing.number),
    openings: (wallet, holdings) =>
      Effect.map(
        Proof.holdingsAt(
          connection,
          wallet,
          holdings.map((holding) => ({ holding, block: state.opening })),
          closing.number,
        ),
        (amounts) => amounts.map((amount) => amount ?? 0n),
      ),
  }
  return { source, closing, closings: closingsAt(connection, closing.number) }
})

/**
 * Discovers the movements of wallets on one or more chains and writes them. The last block of each chain is read before anything is
 * written.
 *
 * **Errors**
 * - As `Statement.run`, and those of `writeText`.
 */
export const run = Effect.fn("Export.run")(function* <E>(
  chains: ReadonlyArray<Discoverable>,
  format: FormatName,
  writeText: (text: string) => Effect.Effect<void, E>,
): Effect.fn.Return<Written, Statement.StatementError | E> {
  return yield* write(yield* Effect.forEach(chains, discover), formats[format](), writeText)
})
