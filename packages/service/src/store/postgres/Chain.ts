/**
 * The schema of a chain with its statements, and the chain within an open session.
 */
import type * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import * as ChainSlug from "../rows/ChainSlug.ts"
import type { StoreError } from "../StoreError.ts"
import * as DistributedStatements from "./DistributedStatements.ts"
import { quoted } from "./Migrations.ts"
import type { Session } from "./Pool.ts"
import * as Statements from "./Statements.ts"

/** A chain of a database. */
export interface Chain {
  readonly ref: ChainRef
  /** Name of its schema. */
  readonly schema: string
  /** Name for messages. */
  readonly name: string
  readonly sql: Statements.Statements
  /** Statements of snapshots if its tables are distributed over nodes. */
  readonly distributed: ReturnType<typeof DistributedStatements.make>
  /** True if `sql` contains the distributed statements. */
  readonly isDistributed: boolean
}

/** A chain as seen by one session. */
export interface At {
  readonly chain: Chain
  readonly session: Session
}

/** Runs reads of a chain in one transaction, with a limit of `statementMillis` for each statement. */
export type Reading = <A, E, R>(
  read: (at: At) => Effect.Effect<A, E, R>,
  statementMillis?: number,
) => Effect.Effect<A, E | StoreError, R>

/** The chain of a reference; `database` names the database in messages. */
export const make = (ref: ChainRef, database: string): Chain => {
  const schema = `daybook_${ChainSlug.make(ref.name, "_")}`
  return {
    ref,
    schema,
    name: `${schema} of ${database}`,
    sql: Statements.make(quoted(schema)),
    distributed: DistributedStatements.make(quoted(schema)),
    isDistributed: false,
  }
}
