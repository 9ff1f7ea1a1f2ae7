/**
 * `daybook status`: prints the indexed range of each chain and the state of its indexer.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as Throughput from "../indexer/Throughput.ts"
import * as IndexedChain from "../query/IndexedChain.ts"
import * as Status from "../server/monitoring/Status.ts"
import * as Engine from "../store/Engine.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Terminal from "./Terminal.ts"
import * as TextTable from "./TextTable.ts"

const formatGaps = (gaps: Status.Status["gaps"]): string => {
  const found = Object.entries(gaps ?? {}).filter(([, count]) => count > 0)
  return found.length === 0 ? "" : ` Gaps: ${found.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`
}

const formatLedgers = ({ blocksWithoutLedgers }: Status.Status): string =>
  blocksWithoutLedgers === undefined ? "" : ` Blocks without derived ledgers: ${blocksWithoutLedgers}.`

const formatNodes = ({ nodes }: Status.Status): string =>
  nodes === undefined ? "" : ` Distributed over ${nodes} Citus ${nodes === 1 ? "node" : "nodes"}.`

/** Blocks left below the first one, with the estimated time. */
const formatPrepend = ({ prepend }: Status.Status): string => {
  if (prepend === undefined) return ""
  const { blocks, blocksPerSecond, etaMillis, issue, to } = prepend
  const speed = blocksPerSecond === undefined ? "" : `, ${blocksPerSecond} blocks per second`
  const eta = etaMillis === undefined ? "" : `, ${Throughput.formatMillis(etaMillis)} left`
  const obstacle = issue === undefined ? "" : ` They cannot be indexed at present: ${issue}`
  return ` Blocks below the first one to index: ${blocks}, down to block ${to}${speed}${eta}.${obstacle}`
}

/** Source of internal transactions in words; if the node has no tracer, the configuration is not the reason. */
const formatTraces = (traces: Status.Status["traces"], setting: "auto" | "off"): string =>
  traces === "off" && setting === "auto" ? "none (the node has no tracer)" : (traces ?? "unknown")

const rangeOf = ({ indexed }: Status.Status): string =>
  indexed === null ? "nothing indexed" : `indexed ${indexed.from} to ${indexed.to}`

/** Speed, remaining blocks, and findings. */
const formatRest = (status: Status.Status, setting: "auto" | "off"): string => {
  const { gaps, lacking, message, traces, unchecked } = status
  const notes = (status.notes ?? []).map((note) => ` ${note}`).join("")
  const limits = lacking === undefined ? "" : ` The node: ${lacking}.`
  const skipped = unchecked === undefined ? "" : ` Not checked: ${unchecked}.`
  return `traces ${formatTraces(traces, setting)}. ${message}${formatPrepend(status)}${limits}${skipped}${notes}${formatGaps(gaps)}${formatLedgers(status)}${formatNodes(status)}`.trim()
}

const formatSpeed = ({ blocksPerSecond, etaMillis }: Status.Status): string => {
  const speed = blocksPerSecond === undefined ? "" : `, ${blocksPerSecond} blocks per second`
  return `${speed}${etaMillis === undefined ? "" : `, ${Throughput.formatMillis(etaMillis)} left`}`
}

/** Formats a chain as one line. */
const format = (status: Status.Status, setting: "auto" | "off"): string => {
  const { chain, head, lag, state } = status
  const node = head === null ? "head unknown" : `head ${head}${lag === null ? "" : `, lag ${lag}`}`
  return `${chain}: ${state}, ${rangeOf(status)}, ${node}${formatSpeed(status)}, ${formatRest(status, setting)}`
}

const heading = ["CHAIN", "STATE", "INDEXED", "HEAD", "LAG"]

const columnsOf = ({ chain, head, indexed, lag, state }: Status.Status): ReadonlyArray<string> => [
  chain,
  state,
  indexed === null ? "nothing" : `${indexed.from} to ${indexed.to}`,
  head === null ? "unknown" : String(head),
  lag === null ? "" : String(lag),
]

/** Formats one chain as a line, several as a table with a line for each below it. */
const formatAll = (
  statuses: ReadonlyArray<Status.Status>,
  settings: ReadonlyArray<"auto" | "off">,
): ReadonlyArray<string> =>
  statuses.length === 1
    ? statuses.map((found, at) => format(found, settings[at] ?? "auto"))
    : [
        ...TextTable.format([heading, ...statuses.map(columnsOf)]),
        ...statuses.map((found, at) => {
          const speed = formatSpeed(found).replace(/^, /, "")
          return `${found.chain}: ${speed === "" ? "" : `${speed}, `}${formatRest(found, settings[at] ?? "auto")}`
        }),
      ]

/** Status of a chain, including what would prevent this user's indexer from writing to it. */
const readStatus = Effect.fnUntraced(function* (chain: IndexedChain.IndexedChain) {
  const found = yield* Status.read(chain)
  const issue = Status.isAtRest(found) ? yield* chain.writeIssue : null
  return issue === null ? found : { ...found, message: `${found.message} ${issue}` }
})

const watchMillis = 1_000

/** Prints each line that differs from the previous one, until interrupted. */
const printChanges = Effect.fnUntraced(function* <E>(read: Effect.Effect<ReadonlyArray<string>, E>) {
  Shutdown.complete()
  let before: ReadonlyArray<string> = []
  for (;;) {
    const lines = yield* read
    yield* Effect.forEach(
      lines.filter((line, at) => line !== before[at]),
      Terminal.print,
    )
    before = lines
    yield* Effect.sleep(watchMillis)
  }
})

/** `daybook status`. */
export const status = Command.make(
  "status",
  {
    config: Selection.configFlag,
    chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all"),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription('Print one line of JSON: {"ready", "chains"}, with each chain as in /ready'),
      Flag.withDefault(false),
    ),
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Print changes every second until stopped"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ chain: names, config: path, json, watch }) {
    const file = yield* ConfigFile.read(path)
    const chains = yield* Selection.select(yield* Effect.fromResult(ServedChain.fromChains(file.config.chains)), names)
    const database = yield* Engine.fromUrl(file.config.database, file.baseFolder)
    /** Lines of all chains, and the chains that are not ready. */
    const read = Effect.gen(function* () {
      const statuses = yield* Effect.forEach(chains, (chain) => readStatus(IndexedChain.fromDatabase(database)(chain)))
      const notReady = statuses.filter(({ ready }) => !ready).map(({ chain }) => chain)
      const lines = json
        ? [JSON.stringify({ ready: notReady.length === 0, chains: statuses })]
        : formatAll(
            statuses,
            chains.map(({ config }) => config.traces),
          )
      return { lines, notReady }
    })
    if (watch) return yield* printChanges(Effect.map(read, ({ lines }) => lines))
    const { lines, notReady } = yield* read
    yield* Effect.forEach(lines, Terminal.print)
    if (notReady.length > 0) return yield* new CommandError({ message: `Not ready: ${notReady.join(", ")}.` })
  }, Effect.scoped),
)
