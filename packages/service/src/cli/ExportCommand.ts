/**
 * `daybook export`: writes the movements of wallets as CSV, NDJSON, or books for beancount and hledger, from archive nodes alone or from
 * the indexes of a configuration.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Calls from "../node/Calls.ts"
import * as Label from "../label/Label.ts"
import * as Export from "../export/Export.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as Node from "../node/Node.ts"
import type * as Statement from "../statement/Statement.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as DateFlags from "./DateFlags.ts"
import * as ExportOutput from "./ExportOutput.ts"
import * as KeptDiscovery from "./KeptDiscovery.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

// Sound: the keys of the table are its names.
const formatNames = Object.keys(Export.formats) as ReadonlyArray<Export.FormatName>

/** The index of a configuration to read from, instead of nodes. */
interface GivenIndex {
  readonly config: Option.Option<string>
  readonly chain: ReadonlyArray<string>
}

/** Opens the indexes of the configuration and connects to the nodes of their chains. */
const openIndexes = Effect.fnUntraced(function* (
  { chain, config }: GivenIndex,
  given: WalletFlags.Given,
  dates: DateFlags.Dates,
) {
  const { database, jobs } = yield* Selection.open(
    Option.getOrElse(config, () => "daybook.json"),
    chain,
  )
  const { addresses: wallets, at, fromBlock } = yield* WalletFlags.parseScope(given, jobs.length)
  return yield* Effect.forEach(
    jobs,
    Effect.fnUntraced(function* ({ chain: name, chainId, config: { labels, rpc } }) {
      const { fetch, usage } = Calls.counting(globalThis.fetch)
      const node = yield* Node.make({ urls: rpc, chainId, where: `chains.${name}.rpc`, fetch })
      const connection = { node, usage, maxCalls: Number.POSITIVE_INFINITY, chainId }
      const dated = yield* DateFlags.blocksOf(connection, chainId, dates)
      const options = { chain: name, wallets, at: at ?? dated.at, fromBlock: fromBlock ?? dated.fromBlock }
      // The configuration was decoded, so its labels are valid.
      const label = Result.getOrThrow(Label.make(labels))
      const indexed: Export.Indexed = {
        reader: database.chain({ name, id: chainId }).reader,
        connection,
        label,
        options,
      }
      return indexed
    }),
  )
})

/** Reports how much is proved; fails unless everything is, or unproved balances are allowed. */
const judge = Effect.fnUntraced(function* ({ closings, entries }: Export.Written, isAllowed: boolean) {
  const proved = closings.filter(Export.isProved).length
  yield* Terminal.note(`${Terminal.count(entries, "movement")}; ${proved} of ${closings.length} balances proved`)
  if (proved === closings.length || isAllowed) return
  const message = `Not proved: ${Terminal.count(closings.length - proved, "balance")}. The export is complete; "daybook statement" reports the differences.`
  return yield* new CommandError({ message })
})

/** Rejects search options, which only apply to an export from nodes. */
const checkSearchOptions = ({ maxCalls, perSecond, state }: Parameters<typeof WalletFlags.connect>[0]) => {
  const given = [
    ["--max-calls", Option.isSome(maxCalls)],
    ["--per-second", Option.isSome(perSecond)],
    ["--state", Option.isSome(state)],
  ] as const
  const [name] = given.find(([, isGiven]) => isGiven) ?? []
  return name === undefined
    ? Effect.void
    : Effect.fail(invalidOption(name, "this option only with --rpc", "it with --config or --chain"))
}

/** `daybook export`: exits with code 0 only if every balance is proved, or with `--allow-unproved`. */
export const exportMovements = Command.make(
  "export",
  {
    ...WalletFlags.flags,
    ...DateFlags.flags,
    rpc: WalletFlags.rpcFlag(0),
    config: Flag.String("config").pipe(
      Flag.withDescription(
        "Configuration file whose indexes are read instead of --rpc; by default daybook.json with --chain",
      ),
      Flag.withMetavar("FILE"),
      Flag.optional,
    ),
    chain: Selection.chainFlag("Chain of the configuration whose index is read; may be repeated; by default all"),
    format: Flag.Literals("format", formatNames).pipe(Flag.withDescription("Format of the movements")),
    allowUnproved: Flag.Boolean("allow-unproved").pipe(
      Flag.withDescription("Exit with code 0 even if the movements do not add up to the balances on the chain"),
      Flag.withDefault(false),
    ),
    output: Flag.String("output").pipe(
      Flag.withDescription("File to write; by default standard output"),
      Flag.withMetavar("FILE"),
      Flag.optional,
    ),
  },
  Effect.fn(
    function* ({ allowUnproved, chain, config, format, fromDate, output, toDate, ...given }) {
      const began = yield* MonotonicClock.millis
      const isIndexed = Option.isSome(config) || chain.length > 0
      if (isIndexed === given.rpc.length > 0) {
        return yield* invalidOption("--rpc", "either --rpc, or --config or --chain", isIndexed ? "both" : "none")
      }
      if (isIndexed) yield* checkSearchOptions(given)
      if (Option.isSome(output)) yield* ExportOutput.check(output.value)
      const dates = yield* DateFlags.parse({ ...given, fromDate, toDate })
      const indexes = isIndexed ? yield* openIndexes({ chain, config }, given, dates) : []
      const chains = isIndexed ? [] : yield* WalletFlags.connect(given, dates)
      const work = Effect.gen(function* () {
        const parts: ReadonlyArray<Export.Part<Export.IndexedError | Statement.StatementError>> = [
          ...(yield* Effect.forEach(indexes, Export.fromIndex)),
          ...(yield* Effect.forEach(chains, Export.fromNode)),
        ]
        const write = (to: ExportOutput.Write) => Export.write(parts, Export.formats[format](), to)
        return yield* Option.isSome(output)
          ? ExportOutput.toFile(output.value, write)
          : Effect.flatMap(ExportOutput.standardOutput, write)
      })
      const all = chains.map(({ kept }) => kept)
      const written = yield* KeptDiscovery.during(all, work)
      const millis = (yield* MonotonicClock.millis) - began
      for (const { connection } of indexes) yield* Terminal.note(WalletFlags.formatUsage(connection, millis))
      for (const { connection, kept } of chains) {
        yield* Terminal.note(WalletFlags.formatUsage(connection, millis, kept.callsBefore))
      }
      yield* judge(written, allowUnproved)
    },
    Effect.scoped,
    Selection.adviseFinalBlock,
  ),
)
