/**
 * Finds and changes webhooks for callers: a key has its own webhooks, and a key of an operator all of them.
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

/** What a change makes of a webhook: its content, what the change gives, and what it does to the wallets. */
export type Change<A> = readonly [webhook: Webhook.Webhook, given: A, wallets?: WalletChanges | undefined]

/** What access depends on. */
export interface Options {
  readonly webhooks: Webhooks
  readonly chains: ReadonlyArray<Pick<ServedChain, "key" | "name">>
}

/** Why a request is not answered. */
export type Failure = StoreError | ErrorResponse.ErrorResponse

/** Times that a change is made again where a sender was quicker. */
const maxAttempts = 10

/** Decodes a stored webhook. */
export const decoded = ({ content, name: id, revision, wallets }: StoredWebhook): Effect.Effect<Found, StoreError> =>
  Effect.map(Webhook.decode(content), (webhook) => ({ id, revision, webhook, wallets }))

/** 503: others changed the webhook at the same time. */
export const changedMeanwhile = ErrorResponse.unavailable("The webhook was changed meanwhile. Retry later.")

const isOwn = ({ grant }: Caller, { holder }: StoredWebhook): boolean =>
  grant.operator || (holder !== null && holder === grant.name)

/** What callers find and change in a database. */
export const make = ({ chains, webhooks }: Options) => {
  /** Why a key may not use a webhook of a chain; one that is not served now is known by its name alone. */
  const chainIssue = ({ grant }: Caller, { chain: name }: Webhook.Webhook): string | undefined =>
    KeyScope.chainIssue(grant, chains.find((chain) => chain.name === name) ?? { key: name, name })

  /**
   * The webhook of an id, which the message does not repeat: it may be a key that was sent in its place. A key that was narrowed to other
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

  /** Changes a webhook, again where the service changed it meanwhile; gives what the change gives too. */
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

  /** One that another version wrote is left out, and named in the log: it can be removed by its id. */
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
