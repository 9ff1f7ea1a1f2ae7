/**
 * A served chain with its index, as read by the server.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../config/ServedChain.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { Database } from "../store/Database.ts"
import type { AppliedSettings, DiskUse, ReportedStatus } from "../store/StatusBoard.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as RecentChanges from "./RecentChanges.ts"

/** A served chain with its index. */
export interface IndexedChain extends ServedChain {
  readonly reader: ChainReader
  /** Recent changes, read once for all who wait for them. */
  readonly recent: RecentChanges.RecentChanges
  /** Status of the chain's indexer; `null` when none has written one. */
  readonly status: Effect.Effect<ReportedStatus | null, StoreError>
  /** Settings with which the blocks up to a head were indexed; none if the indexer has recorded none. */
  readonly settingsTo: (head: number) => Effect.Effect<AppliedSettings, StoreError>
  /** Highest block up to a number with a transaction without its trace, in the state with that serial; `null` for none. */
  readonly lastUntraced: (serial: number, to: number) => Effect.Effect<number | null, StoreError>
  /** Disk usage of the index; `null` if there is none. */
  readonly diskUse: Effect.Effect<DiskUse | null, StoreError>
  /** Why this process cannot write the index; `null` if it can. */
  readonly writeIssue: Effect.Effect<string | null>
}

/** A stored block only changes its settings if it was replaced. */
const settingsMillis = 60_000

/** Reads the settings of a status once for all pages with the same head, and again for a later head. */
export const settingsFrom = <E>(
  status: Effect.Effect<Pick<ReportedStatus, "settings"> | null, E>,
): ((head: number) => Effect.Effect<AppliedSettings, E>) => {
  let known: { readonly head: number; readonly until: number; readonly settings: AppliedSettings } | undefined
  return Effect.fnUntraced(function* (head) {
    const now = yield* Clock.currentTimeMillis
    if (known !== undefined && head <= known.head && now < known.until) return known.settings
    const settings = (yield* status)?.settings ?? []
    known = { head, until: now + settingsMillis, settings }
    return settings
  })
}

/** Reads the highest block once for all pages of a state, and separately for a page that ends below it. */
export const untracedFrom = <E>(
  read: (to: number) => Effect.Effect<number | null, E>,
): ((serial: number, to: number) => Effect.Effect<number | null, E>) => {
  let known: { readonly serial: number; readonly highest: number | null } | undefined
  return Effect.fnUntraced(function* (serial, to) {
    if (known?.serial !== serial) known = { serial, highest: yield* read(Number.MAX_SAFE_INTEGER) }
    const { highest } = known
    return highest === null || highest <= to ? highest : yield* read(to)
  })
}

/** Opens the index of a chain for reading; the index need not exist yet. */
export const fromDatabase =
  (database: Database) =>
  <C extends ServedChain>(chain: C): C & IndexedChain => {
    const { reader } = database.chain(chain)
    const status = database.status.read(chain)
    return {
      ...chain,
      reader,
      recent: RecentChanges.make(reader),
      status,
      settingsTo: settingsFrom(status),
      lastUntraced: untracedFrom(reader.lastTraceGap),
      diskUse: database.status.diskUse(chain),
      writeIssue: database.status.writeIssue(chain),
    }
  }
