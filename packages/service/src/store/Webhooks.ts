/**
 * The webhooks of a database: their content as text, and which process sends for one. Every change names the revision that it was made
 * of, so that neither a sender without its lease nor a command undoes what another one wrote.
 *
 * Source: decision 0073.
 */
import type * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** A webhook as it is stored. */
export interface StoredWebhook {
  readonly name: string
  /** JSON text of its settings, secrets and state; secrets are encrypted. */
  readonly content: string
  /** Grows with each change of the content. */
  readonly revision: number
}

/** The webhooks of a database. Leases end by the clock of the database. */
export interface Webhooks {
  /** All by name. */
  readonly list: Effect.Effect<ReadonlyArray<StoredWebhook>, StoreError>
  /** Adds one; false where the name is taken. */
  readonly add: (name: string, content: string) => Effect.Effect<boolean, StoreError>
  /** Removes one; false where there is none. */
  readonly remove: (name: string) => Effect.Effect<boolean, StoreError>
  /** Replaces the content of a revision; false where it has another one. */
  readonly change: (name: string, revision: number, content: string) => Effect.Effect<boolean, StoreError>
  /** Takes or extends the lease of sending for a time; `null` while another owner has it, or where there is no such webhook. */
  readonly acquire: (name: string, owner: string, millis: number) => Effect.Effect<StoredWebhook | null, StoreError>
}

/** The columns of a row. */
export type Columns = readonly [name: string, content: string, revision: number]

/** The webhook of a row. */
export const fromColumns = ([name, content, revision]: Columns): StoredWebhook => ({
  name,
  content,
  revision: Number(revision),
})
