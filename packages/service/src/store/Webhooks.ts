/**
 * Webhooks of a database: their content as text, and the process that sends each one. Every change names the revision on which it is based,
 * so that neither a sender without its lease nor a command undoes another's write.
 *
 * Source: decision 0073.
 */
import { randomInt } from "node:crypto"
import type * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"
import type { WalletChanges, WalletSelection, WebhookWallet } from "./WebhookWallets.ts"

/** How a webhook is, by what the last attempts gave. */
export const states = ["active", "failing", "paused"] as const

/** How a webhook is. */
export type State = (typeof states)[number]

/** How many webhooks are in each state. */
export type StateCounts = Readonly<Record<State, number>>

/** What is stored of a webhook. */
export interface EncodedWebhook {
  /** Name of the API key that it belongs to; `null` for the operator. */
  readonly holder: string | null
  readonly state: State
  /** JSON text of its settings, secrets and state; secrets are encrypted. */
  readonly content: string
}

/** First revisions are below this number, which leaves room for changes. */
const maxFirstRevision = 2 ** 47

/** A webhook as it is stored. */
export interface StoredWebhook extends Pick<EncodedWebhook, "content" | "holder"> {
  readonly name: string
  /** Grows with each change of the content. */
  readonly revision: number
  /** Number of its wallets. */
  readonly wallets: number
}

/** The first revision of a webhook, at random: a webhook under the name of a removed one is not taken for that one. */
export const firstRevision = (): number => randomInt(1, maxFirstRevision)

/** What a sender looks at from time to time. */
export interface KnownWebhook extends Pick<StoredWebhook, "revision"> {
  /** No process has the lease of sending. */
  readonly isFree: boolean
}

/** The webhooks of a database. Leases end by the clock of the database. */
export interface Webhooks {
  /** All by name. */
  readonly list: Effect.Effect<ReadonlyArray<StoredWebhook>, StoreError>
  /** Those of a key, by name. */
  readonly ofHolder: (holder: string) => Effect.Effect<ReadonlyArray<StoredWebhook>, StoreError>
  /** The one of a name; `null` for none. */
  readonly find: (name: string) => Effect.Effect<StoredWebhook | null, StoreError>
  /** What senders look at from time to time, of all by name. */
  readonly overview: Effect.Effect<ReadonlyMap<string, KnownWebhook>, StoreError>
  /** How many are in each state. */
  readonly counts: Effect.Effect<StateCounts, StoreError>
  /** Wallets of one. */
  readonly walletsOf: (
    name: string,
    selection: WalletSelection,
  ) => Effect.Effect<ReadonlyArray<WebhookWallet>, StoreError>
  /** The first addresses of each of some webhooks, by name. */
  readonly firstWallets: (
    names: ReadonlyArray<string>,
    limit: number,
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>, StoreError>
  /** Names of the webhooks that have one of some wallets. */
  readonly having: (wallets: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StoreError>
  /** Adds one with its wallets; false where the name is taken. */
  readonly add: (
    name: string,
    webhook: EncodedWebhook,
    wallets: ReadonlyArray<WebhookWallet>,
  ) => Effect.Effect<boolean, StoreError>
  /** Removes one; false where there is none. */
  readonly remove: (name: string) => Effect.Effect<boolean, StoreError>
  /** Replaces state and content of a revision, and changes its wallets; false where it has another revision. */
  readonly change: (
    name: string,
    revision: number,
    webhook: Pick<EncodedWebhook, "content" | "state">,
    wallets?: WalletChanges,
  ) => Effect.Effect<boolean, StoreError>
  /** Takes or extends the lease of sending for a time; `null` while another owner has it, or where there is no such webhook. */
  readonly acquire: (name: string, owner: string, millis: number) => Effect.Effect<StoredWebhook | null, StoreError>
}

/** The columns of a row, in this order. */
export const columns = "name, holder, content, revision, wallets"

/** The columns of a row. */
export type Columns = readonly [name: string, holder: string | null, content: string, revision: number, wallets: number]

/** The webhook of a row. */
export const fromColumns = ([name, holder, content, revision, wallets]: Columns): StoredWebhook => ({
  name,
  holder,
  content,
  revision: Number(revision),
  wallets: Number(wallets),
})

/** The overview of rows. */
export const overviewOf = (
  rows: ReadonlyArray<readonly [name: string, revision: number, isFree: boolean | number]>,
): ReadonlyMap<string, KnownWebhook> =>
  new Map(rows.map(([name, revision, isFree]) => [name, { revision: Number(revision), isFree: Boolean(isFree) }]))

/** The counts of rows. A state of a later version counts as none. */
export const countsOf = (rows: ReadonlyArray<readonly [state: string, count: number]>): StateCounts => {
  const counts = new Map(rows)
  const countOf = (state: State) => Number(counts.get(state) ?? 0)
  return { active: countOf("active"), failing: countOf("failing"), paused: countOf("paused") }
}
