/**
 * Finds and changes webhooks for callers: a key can access its own webhooks, and an operator key all of them.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as Webhook from "../../push/Webhook.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { StoredWebhook, Webhooks } from "../../store/Webhooks.ts"
import * as WebhookWallets from "../../store/WebhookWallets.ts"
import type { WalletChanges } from "../../store/WebhookWallets.ts"
import type { Caller } from "../admission/Authentication.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"

/** A webhook with its id and its revision. */
export interface Found {
  readonly id: string
  readonly revision: number
  readonly webhook: Webhook.Webhook
  /** Number of its wallets. */
  readonly wallets: number
}

/** Effect of a change on a webhook: its content, the result of the change, and the effect on its wallets. */
export type Change<A> = readonly [webhook: Webhook.Webhook, given: A, wallets?: WalletChanges | undefined]

/** Dependencies of access. */
export interface Options {
  readonly webhooks: Webhooks
  readonly chains: ReadonlyArray<Pick<ServedChain, "key" | "name">>
}

/** Why a request fails. */
export type Failure = StoreError | ErrorResponse.ErrorResponse

/** Maximum number of attempts for a change when a sender is faster. */
const maxAttempts = 10

/** Decodes a stored webhook. */
export const decoded = ({ content, name: id, revision, wallets }: StoredWebhook): Effect.Effect<Found, StoreError> =>
  Effect.map(Webhook.decode(content), (webhook) => ({ id, revision, webhook, wallets }))

/** 503: others changed the webhook at the same time. */
export const changedMeanwhile = ErrorResponse.unavailable("The webhook was changed in the meantime. Retry later.")

const isOwn = ({ grant }: Caller, { holder }: StoredWebhook): boolean =>
  grant.operator || (holder !== null && holder === grant.name)

/** Makes the functions with which callers find and change webhooks of a database. */
export const make = ({ chains, webhooks }: Options) => {
  /** Why a key may not use a webhook of a chain; a chain that is not served at present is only known by its name. */
  const chainIssue = ({ grant }: Caller, { chain: name }: Webhook.Webhook): string | undefined =>
    KeyScope.chainIssue(grant, chains.find((chain) => chain.name === name) ?? { key: name, name })

  /**
   * Finds a webhook by id. The message does not repeat the id, which may be a key sent in its place. A key that was restricted to other
   * chains since may only remove it.
   */
  const find = Effect.fnUntraced(function* (caller: Caller, id: string): Effect.fn.Return<Found, Failure> {
    const stored = yield* webhooks.find(id)
    if (stored !== null && isOwn(caller, stored)) {
      const found = yield* decoded(stored)
      const issue = chainIssue(caller, found.webhook)
      return issue === undefined ? found : yield* ErrorResponse.forbidden(issue)
    }
    const advice = "GET /api/v2.2/webhooks lists them."
    return yield* ErrorResponse.notOffered(`No webhook of this API key has this id. ${advice}`)
  })

  /** Changes a webhook, retrying if the service changed it meanwhile; also returns the result of the change. */
  const change = Effect.fnUntraced(function* <A>(
    caller: Caller,
    id: string,
    make: (found: Found) => Effect.Effect<Change<A>, Failure>,
  ): Effect.fn.Return<readonly [Found, A], Failure> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = yield* find(caller, id)
      const { revision } = found
      const [webhook, given, changes] = yield* make(found)
      const isStored = yield* webhooks.change(id, revision, Webhook.encode(webhook), changes)
      if (!isStored) continue
      const isResized = changes !== undefined && WebhookWallets.isResized(changes)
      const wallets = isResized ? ((yield* webhooks.find(id))?.wallets ?? 0) : found.wallets
      return [{ id, revision: revision + 1, webhook, wallets }, given]
    }
    return yield* changedMeanwhile
  })

  /** A webhook written by another version is skipped and logged by id, so that it can be removed. */
  const list = Effect.fnUntraced(function* ({ grant }: Caller): Effect.fn.Return<ReadonlyArray<Found>, StoreError> {
    const stored = yield* grant.operator ? webhooks.list : webhooks.ofHolder(grant.name)
    const found = yield* Effect.forEach(stored, (one) =>
      Effect.matchEffect(decoded(one), {
        onFailure: ({ message }) => Effect.as(Effect.logWarning(`Webhook ${one.name}: ${message}`), []),
        onSuccess: (own) => Effect.succeed([own]),
      }),
    )
    return found.flat()
  })

  const remove = Effect.fnUntraced(function* (caller: Caller, id: string): Effect.fn.Return<boolean, StoreError> {
    const stored = yield* webhooks.find(id)
    return stored !== null && isOwn(caller, stored) && (yield* webhooks.remove(id))
  })

  return { find, change, list, remove }
}
