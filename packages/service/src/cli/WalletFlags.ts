/**
 * Arguments of commands that discover wallets on a node, and the progress of a running discovery.
 */
import * as Address from "@daybook/schema/Address"
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as NodeConnection from "../discovery/NodeConnection.ts"
import type * as Discovery from "../discovery/Discovery.ts"
import type { DiscoveryState } from "../discovery/DiscoveryState.ts"
import * as DiscoveryStep from "../discovery/DiscoveryStep.ts"
import * as Throughput from "../indexer/Throughput.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import { type CommandError, invalidOption as invalid } from "./CommandError.ts"
import * as DateFlags from "./DateFlags.ts"
import * as KeptDiscovery from "./KeptDiscovery.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

/** `--rpc`: the node of a chain; may be repeated. */
export const rpcFlag = (atLeast: number) =>
  Flag.String("rpc").pipe(
    Flag.withDescription(
      "URL of an archive node, with a tracer for payments by contracts; may be repeated, once per chain",
    ),
    Flag.withMetavar("URL"),
    Flag.atLeast(atLeast),
  )

/** Addresses, the node, and limits on its use. */
export const flags = {
  addresses: Argument.String("ADDRESS").pipe(
    Argument.withDescription("Address of a wallet or contract; several share the blocks that are fetched"),
    Argument.atLeast(1),
  ),
  rpc: rpcFlag(1),
  at: Selection.blockFlag("Last block; by default the last final block", "at"),
  fromBlock: Selection.blockFlag(
    "First block, for a node without the state of older blocks; by default 0",
    "from-block",
  ),
  maxCalls: Flag.Int("max-calls").pipe(
    Flag.withDescription("Maximum number of calls to the node; by default 2,000,000"),
    Flag.withMetavar("N"),
    Flag.optional,
  ),
  perSecond: Flag.Int("per-second").pipe(
    Flag.withDescription("Maximum number of calls to the node per second; by default as many as it handles well"),
    Flag.withMetavar("N"),
    Flag.optional,
  ),
  ...KeptDiscovery.flags,
}

/** Values of the arguments. */
export interface Given extends KeptDiscovery.Given {
  readonly addresses: ReadonlyArray<string>
  readonly rpc: ReadonlyArray<string>
  readonly at: Option.Option<string>
  readonly fromBlock: Option.Option<string>
  readonly maxCalls: Option.Option<number>
  readonly perSecond: Option.Option<number>
}

/**
 * Parses addresses without duplicates.
 *
 * **Errors**
 * - `CommandError`: a text is not an address.
 */
export const parseAddresses = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>,
  name = "ADDRESS",
): Effect.fn.Return<ReadonlyArray<string>, CommandError> {
  const found = new Set<string>()
  for (const text of texts) {
    const address = Address.fromText(text)
    if (address === undefined) return yield* invalid(name, "an address of 20 bytes in hex", quote(text))
    found.add(address)
  }
  return [...found]
})

/** An integer of at least 1. */
export const parseCount = (
  given: Option.Option<number>,
  name: string,
): Effect.Effect<number | undefined, CommandError> => {
  const count = Option.getOrUndefined(given)
  return count === undefined || count >= 1
    ? Effect.succeed(count)
    : Effect.fail(invalid(`--${name}`, "a whole number of at least 1", String(count)))
}

const noteMillis = 5_000

/** Wallets and blocks of the arguments, for a number of chains. */
export const parseScope = Effect.fnUntraced(function* (
  given: Pick<Given, "addresses" | "at" | "fromBlock">,
  chains: number,
) {
  const addresses = yield* parseAddresses(given.addresses)
  const at = yield* Selection.parseBlock(given.at, "at")
  const fromBlock = yield* Selection.parseBlock(given.fromBlock, "from-block")
  if (at !== undefined && fromBlock !== undefined && fromBlock > at) {
    return yield* invalid("--from-block", `at most the block of --at, ${at}`, String(fromBlock))
  }
  if (chains > 1 && (at ?? fromBlock) !== undefined) {
    return yield* invalid(at === undefined ? "--from-block" : "--at", "one chain if a block is given", "several")
  }
  return { addresses, at, fromBlock }
})

/** Wallets on the chain of a node. */
export interface Connected {
  readonly connection: NodeConnection.NodeConnection
  readonly options: Statement.Options
  readonly kept: KeptDiscovery.KeptDiscovery
}

/** Reports the progress of a discovery every five seconds. */
const noteProgress = Effect.fnUntraced(function* (connection: NodeConnection.NodeConnection) {
  const began = yield* MonotonicClock.millis
  let noted = began
  return (state: DiscoveryState) =>
    Effect.gen(function* () {
      const now = yield* MonotonicClock.millis
      if (now - noted < noteMillis) return
      noted = now
      const { calls } = connection.usage()
      const left = DiscoveryStep.callsLeft(state)
      const millis = (left * (now - began)) / Math.max(1, calls)
      const what = state.isLocated ? `blocks up to ${state.settled} of ${state.closing.number}` : "searching"
      const chain = StatementFormat.chainName(connection.chainId)
      yield* Terminal.note(
        `${chain}, ${what}: ${calls} calls, at least ${left} left (${Throughput.formatMillis(millis)})`,
      )
    })
})

/** Connects to one node per chain. */
const connectAll = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  limits: { readonly maxCalls: number | undefined; readonly perSecond: number | undefined },
) {
  const { maxCalls, perSecond } = limits
  const connections = yield* Effect.forEach(urls, (url) =>
    NodeConnection.connect({
      node: perSecond === undefined ? { url } : { url, perSecond },
      maxCalls,
    }),
  )
  const ids = connections.map(({ chainId }) => chainId)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) {
    return yield* invalid("--rpc", "one node for each chain", `two of ${StatementFormat.chainName(twice)}`)
  }
  return connections
})

/**
 * Connects to the nodes of the arguments, and opens the saved state of interrupted searches until the scope ends. With several nodes,
 * `maxCalls` and `perSecond` apply to each.
 *
 * **Errors**
 * - `CommandError`: an argument is invalid, or two nodes belong to one chain.
 * - `InvalidOption`: a URL is not an http or https URL.
 * - `DiscoveryFileError`: the file in the folder of `--state` cannot be used.
 * - `BlockUnavailable`, `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: a node cannot be used.
 */
export const connect = Effect.fnUntraced(function* (given: Given, dates: DateFlags.Dates = DateFlags.none) {
  const { addresses, at, fromBlock } = yield* parseScope(given, given.rpc.length)
  const maxCalls = yield* parseCount(given.maxCalls, "max-calls")
  const perSecond = yield* parseCount(given.perSecond, "per-second")
  const connections = yield* connectAll(given.rpc, { maxCalls, perSecond })
  return yield* Effect.forEach(
    connections,
    Effect.fnUntraced(function* (connection) {
      const { chainId } = connection
      const dated = yield* DateFlags.blocksOf(connection, chainId, dates)
      const range = { fromBlock: fromBlock ?? dated.fromBlock, at: at ?? dated.at }
      const subject = { chainId, addresses, fromBlock: range.fromBlock ?? null, at: range.at ?? null }
      const kept = yield* KeptDiscovery.open(connection, given, subject)
      const note = yield* noteProgress(connection)
      const onTurn: Discovery.OnTurn = (state, fetched) => Effect.andThen(kept.onTurn(state, fetched), note(state))
      const connected: Connected = {
        connection,
        options: { addresses, ...range, found: kept.found, onTurn },
        kept,
      }
      return connected
    }),
  )
})

/** Formats the summary of calls sent to the node, now and by the search that was resumed. */
export const formatUsage = (
  { usage }: Pick<NodeConnection.NodeConnection, "usage">,
  millis: number,
  callsBefore = 0,
): string => {
  const { byMethod, calls, requests } = usage()
  const methods = byMethod.map(([method, count]) => `${method} ${count}`).join(", ")
  const before = callsBefore === 0 ? "" : `; ${Terminal.count(callsBefore, "call")} before the interruption`
  return `${Terminal.count(calls, "call")} in ${Terminal.count(requests, "request")}, ${(millis / 1000).toFixed(1)} s: ${methods}${before}`
}
