/**
 * A served chain with its index, as the server reads it.
 */
import type * as Effect from "effect/Effect"
import type { ServedChain } from "../config/ServedChain.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { Database } from "../store/Database.ts"
import type { DiskUse, ReportedStatus } from "../store/StatusBoard.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as RecentChanges from "./RecentChanges.ts"

/** A served chain with its index. */
export interface IndexedChain extends ServedChain {
  readonly reader: ChainReader
  /** What changed, read once for all that wait for it. */
  readonly recent: RecentChanges.RecentChanges
  /** Status of the chain's indexer; `null` when none has written one. */
  readonly status: Effect.Effect<ReportedStatus | null, StoreError>
  /** What the index takes on disk; `null` while there is none. */
  readonly diskUse: Effect.Effect<DiskUse | null, StoreError>
  /** Why this process cannot write the index; `null` where nothing prevents it. */
  readonly writeIssue: Effect.Effect<string | null>
}

/** Opens the index of a chain for reading; the chain need not exist yet. */
export const fromDatabase =
  (database: Database) =>
  <C extends ServedChain>(chain: C): C & IndexedChain => {
    const { reader } = database.chain(chain)
    return {
      ...chain,
      reader,
      recent: RecentChanges.make(reader),
      status: database.status.read(chain),
      diskUse: database.status.diskUse(chain),
      writeIssue: database.status.writeIssue(chain),
    }
  }
