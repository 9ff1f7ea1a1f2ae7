/**
 * Saves the discoveries of a command to files while they run, and resumes interrupted ones. Discoveries also work without a file: an
 * unusable file in the default folder is only reported, one in a named folder fails the command.
 *
 * Source: decision 0056.
 */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import type { NodeConnection } from "../discovery/NodeConnection.ts"
import * as Discovery from "../discovery/Discovery.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import * as DiscoveryFile from "../discovery/DiscoveryFile.ts"
import type { DiscoveryState } from "../discovery/DiscoveryState.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import * as Terminal from "./Terminal.ts"

/** Whether to save a search, and in which folder. */
export const flags = {
  state: Flag.String("state").pipe(
    Flag.withDescription(
      "Folder that stores a search until it is complete, so that the same command continues it; by default daybook in $XDG_STATE_HOME",
    ),
    Flag.withMetavar("FOLDER"),
    Flag.optional,
  ),
  keep: Flag.Boolean("keep").pipe(
    Flag.withDescription(
      "Store the search until it is complete, which is the default; --no-keep neither stores nor continues it",
    ),
    Flag.withDefault(true),
  ),
}

/** Values of the flags. */
export interface Given {
  readonly state: Option.Option<string>
  readonly keep: boolean
}

/** A discovery that is, or could be, saved. */
export interface KeptDiscovery {
  /** Result of an earlier command; `undefined` for none. */
  readonly found: Discovery.Found | undefined
  /** Number of calls made by earlier commands. */
  readonly callsBefore: number
  readonly onTurn: Discovery.OnTurn
  /** Marks the discovery as complete. */
  readonly finish: Effect.Effect<void>
  /** Reports that running the same command resumes it. */
  readonly noteInterruption: Effect.Effect<void>
}

/** Folder for program state. Source: XDG Base Directory Specification. */
const usualFolder = (): string => {
  const { XDG_STATE_HOME: folder = "" } = process.env
  return join(isAbsolute(folder) ? folder : join(homedir(), ".local", "state"), "daybook")
}

/** Inverse of the maximum share of a command's time that is spent on writing. */
const dutyFactor = 10

const unkept: KeptDiscovery = {
  found: undefined,
  callsBefore: 0,
  onTurn: () => Effect.void,
  finish: Effect.void,
  noteInterruption: Effect.void,
}

/** Why a saved discovery does not match this command; `null` if it does. */
const issueOf = Effect.fnUntraced(function* (
  connection: NodeConnection,
  { details, state }: DiscoveryFile.StoredDiscovery,
) {
  const { closing } = state
  if (details.ledgerRevision !== WalletLedger.revision) return "another version of daybook"
  if (details.hasTraces !== connection.hasTraces)
    return `a node that ${details.hasTraces ? "traces" : "does not trace"}`
  const { hash } = yield* Discovery.headerOf(connection, closing.number)
  return hash === closing.hash ? null : `block ${closing.number} before a reorg`
})

/** The saved state of the same discovery, after comparing it with the node. */
const continued = Effect.fnUntraced(function* (
  connection: NodeConnection,
  { clear, kept, path }: DiscoveryFile.DiscoveryFile,
) {
  if (kept === null) return null
  const chain = StatementFormat.chainName(connection.chainId)
  const issue = yield* issueOf(connection, kept)
  if (issue !== null) {
    yield* Terminal.note(`${chain}: the search starts over: the stored one is from ${issue}`)
    yield* clear
    return null
  }
  const { closing, isLocated, settled } = kept.state
  const where = isLocated ? `at block ${settled} of ${closing.number}` : `up to block ${closing.number}`
  const calls = Terminal.count(kept.details.calls, "call")
  yield* Terminal.note(`${chain}: continues the search ${where} after ${calls}; to start over, remove ${path}`)
  return kept
})

/** Writes after each turn, unless that would take too much time; the remainder is written when the scope ends. */
const writer = Effect.fnUntraced(function* (
  connection: NodeConnection,
  file: DiscoveryFile.DiscoveryFile,
  callsBefore: number,
) {
  let fetched: Array<DiscoveredBlock> = []
  let unwritten: DiscoveryState | null = null
  let nextMillis = 0
  let [isWritten, isFailed] = [false, false]
  const write = Effect.gen(function* () {
    const state = unwritten
    if (state === null || isFailed) return
    const began = yield* MonotonicClock.millis
    const details = {
      hasTraces: connection.hasTraces,
      ledgerRevision: WalletLedger.revision,
      calls: callsBefore + connection.usage().calls,
    }
    const outcome = yield* Effect.result(file.write(state, fetched, details))
    if (outcome._tag === "Failure") {
      isFailed = true
      return yield* Terminal.note(outcome.failure.message)
    }
    const now = yield* MonotonicClock.millis
    fetched = []
    unwritten = null
    isWritten = true
    nextMillis = now + dutyFactor * (now - began)
  })
  yield* Effect.addFinalizer(() => write)
  const onTurn: Discovery.OnTurn = (state, blocks) =>
    Effect.gen(function* () {
      if (isFailed) return
      unwritten = state
      fetched.push(...blocks)
      if ((yield* MonotonicClock.millis) >= nextMillis) yield* write
    })
  return { onTurn, isWritten: Effect.map(write, () => isWritten) }
})

/** Opens the file of a discovery until the scope ends, and removes abandoned files. */
const openFile = Effect.fnUntraced(function* (
  connection: NodeConnection,
  folder: string,
  subject: DiscoveryFile.Subject,
) {
  const removed = yield* DiscoveryFile.removeOld(folder, subject)
  if (removed > 0)
    yield* Terminal.note(`Removed from ${folder}: ${Terminal.count(removed, "search")} older than 30 days.`)
  const path = DiscoveryFile.pathOf(folder, subject)
  const file = yield* DiscoveryFile.open(path, subject)
  const kept = yield* continued(connection, file)
  const callsBefore = kept?.details.calls ?? 0
  const { isWritten, onTurn } = yield* writer(connection, file, callsBefore)
  const chain = StatementFormat.chainName(connection.chainId)
  const made: KeptDiscovery = {
    found: kept ?? undefined,
    callsBefore,
    onTurn,
    finish: file.removeAtEnd,
    noteInterruption: Effect.flatMap(isWritten, (isKept) =>
      isKept || kept !== null
        ? Terminal.note(`${chain}: the same command continues the search, which is stored in ${path}`)
        : file.removeAtEnd,
    ),
  }
  return made
})

/**
 * Opens the saved state of a discovery until the scope ends, unless saving is disabled.
 *
 * **Errors**
 * - `DiscoveryFileError`: the file in the named folder cannot be used.
 * - `BlockUnavailable`, and those of calls: the saved state cannot be compared with the node.
 */
export const open = (connection: NodeConnection, { keep, state }: Given, subject: DiscoveryFile.Subject) => {
  if (!keep) return Effect.succeed(unkept)
  const opened = openFile(connection, Option.getOrElse(state, usualFolder), subject)
  if (Option.isSome(state)) return opened
  return Effect.catchTag(opened, "DiscoveryFileError", ({ message }) =>
    Effect.as(Terminal.note(`${message} The search is not stored.`), unkept),
  )
}

/** Runs the work of discoveries. Their saved state is removed on success; otherwise a way to resume is reported. */
export const during = <A, E, R>(
  all: ReadonlyArray<KeptDiscovery>,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.onExit(work, (exit) =>
    Effect.forEach(all, ({ finish, noteInterruption }) => (Exit.isSuccess(exit) ? finish : noteInterruption), {
      discard: true,
    }),
  )
