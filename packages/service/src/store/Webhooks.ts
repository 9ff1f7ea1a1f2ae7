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

/** State of a webhook, according to its last attempts. */
const states = ["active", "failing", "paused"] as const

/** State of a webhook. */
export type State = (typeof states)[number]

/** Number of webhooks in each state. */
export type StateCounts = Readonly<Record<State, number>>

/** Stored form of a webhook. */
export interface EncodedWebhook {
  /** Name of the API key to which it belongs; `null` for the operator. */
  readonly holder: string | null
  readonly state: State
  /** JSON text of its settings, secrets and state; secrets are encrypted. */
  readonly content: string
}

/** First revisions are below this number, which leaves room for changes. */
const maxFirstRevision = 2 ** 47

/** A stored webhook. */
export interface StoredWebhook extends Pick<EncodedWebhook, "content" | "holder"> {
  readonly name: string
  /** Increases with each change of the content. */
  readonly revision: number
  /** Number of its wallets. */
  readonly wallets: number
}

/** Random first revision of a webhook, so that a webhook with the name of a removed one is not mistaken for it. */
export const firstRevision = (): number => randomInt(1, maxFirstRevision)

/** What a sender polls. */
export interface KnownWebhook extends Pick<StoredWebhook, "revision"> {
  /** True if no process holds the lease for sending. */
  readonly isFree: boolean
}

/** Webhooks of a database. Leases expire by the database's clock. */
export interface Webhooks {
  /** All webhooks, by name. */
  readonly list: Effect.Effect<ReadonlyArray<StoredWebhook>, StoreError>
  /** Webhooks of a key, by name. */
  readonly ofHolder: (holder: string) => Effect.Effect<ReadonlyArray<StoredWebhook>, StoreError>
  /** The webhook with a name; `null` if there is none. */
  readonly find: (name: string) => Effect.Effect<StoredWebhook | null, StoreError>
  /** What senders poll: all webhooks, by name. */
  readonly overview: Effect.Effect<ReadonlyMap<string, KnownWebhook>, StoreError>
  /** Number of webhooks in each state. */
  readonly counts: Effect.Effect<StateCounts, StoreError>
  /** Wallets of a webhook. */
  readonly walletsOf: (
    name: string,
    selection: WalletSelection,
  ) => Effect.Effect<ReadonlyArray<WebhookWallet>, StoreError>
  /** The first addresses of each given webhook, by name. */
  readonly firstWallets: (
    names: ReadonlyArray<string>,
    limit: number,
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>, StoreError>
  /** Names of the webhooks that have one of the given wallets. */
  readonly having: (wallets: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StoreError>
  /** Adds a webhook with its wallets; false if the name is taken. */
  readonly add: (
    name: string,
    webhook: EncodedWebhook,
    wallets: ReadonlyArray<WebhookWallet>,
  ) => Effect.Effect<boolean, StoreError>
  /** Removes a webhook; false if there is none. */
  readonly remove: (name: string) => Effect.Effect<boolean, StoreError>
  /** Replaces the state and content of a revision, and changes its wallets; false if the webhook has another revision. */
  readonly change: (
    name: string,
    revision: number,
    webhook: Pick<EncodedWebhook, "content" | "state">,
    wallets?: WalletChanges,
  ) => Effect.Effect<boolean, StoreError>
  /** Takes or extends the lease for sending for a duration; `null` if another owner holds it, or if there is no such webhook. */
  readonly acquire: (name: string, owner: string, millis: number) => Effect.Effect<StoredWebhook | null, StoreError>
}

/** Columns of a row, in this order. */
export const columns = "name, holder, content, revision, wallets"

/** Columns of a row. */
export type Columns = readonly [name: string, holder: string | null, content: string, revision: number, wallets: number]

/** Webhook of a row. */
export const fromColumns = ([name, holder, content, revision, wallets]: Columns): StoredWebhook => ({
  name,
  holder,
  content,
  revision: Number(revision),
  wallets: Number(wallets),
})

/** Overview from rows. */
export const overviewOf = (
  rows: ReadonlyArray<readonly [name: string, revision: number, isFree: boolean | number]>,
): ReadonlyMap<string, KnownWebhook> =>
  new Map(rows.map(([name, revision, isFree]) => [name, { revision: Number(revision), isFree: Boolean(isFree) }]))

/** Counts from rows. A state of a later version is not counted. */
export const countsOf = (rows: ReadonlyArray<readonly [state: string, count: number]>): StateCounts => {
  const counts = new Map(rows)
  const countOf = (state: State) => Number(counts.get(state) ?? 0)
  return { active: countOf("active"), failing: countOf("failing"), paused: countOf("paused") }
}
