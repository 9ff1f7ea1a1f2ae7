/**
 * The handlers of the operations on webhooks. A key sees and changes its own webhooks, and a key of an operator all of them. What a
 * request makes the service do is bounded: webhooks and addresses of a key, the look-up of a name, and one row of the database.
 *
 * Source: decision 0073.
 */
import { hash, randomBytes } from "node:crypto"
import type * as WebhookOperation from "@daybook/schema/WebhookOperation"
import * as Resource from "@daybook/schema/Webhook"
import { quote } from "@daybook/schema/Issue"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { Config } from "../../config/Config.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import * as WebhookRequest from "../../push/WebhookRequest.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { StoredWebhook, Webhooks } from "../../store/Webhooks.ts"
import type { Caller } from "../admission/Authentication.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as Response from "../http/Response.ts"
import * as JsonBody from "../rest/JsonBody.ts"
import * as OperationError from "../rest/OperationError.ts"
import type * as OperationRoute from "../rest/OperationRoute.ts"
import * as EventSteps from "../rest/EventSteps.ts"

/** What the handlers need. */
export interface Options extends JsonBody.Options {
  readonly chains: ReadonlyArray<IndexedChain>
  readonly settings: NonNullable<Config["webhooks"]>
  readonly webhooks: Webhooks
  /** Default: that of the platform. */
  readonly resolve?: WebhookRequest.Resolve | undefined
}

type Handlers = {
  readonly [N in WebhookOperation.Name]: OperationRoute.ChainlessHandler<WebhookOperation.All[N]>
}

type Failing<A> = Effect.Effect<A, ErrorResponse.ErrorResponse>

const { invalid } = JsonBody

/** A webhook of a request. */
interface Found {
  readonly stored: StoredWebhook
  readonly webhook: Webhook.Webhook
}

/** Who a webhook belongs to that a caller makes; `null` for the operator, whose pages and programs may need no key. */
const holderOf = ({ grant }: Caller): string | null => (grant.name === "" ? null : grant.name)

/** The id of a webhook of a key with a name, so that a request that is sent again finds it. */
const idOf = (holder: string | null, name: string): string =>
  `wh_${hash("sha256", JSON.stringify([holder, name]), "base64url").slice(0, 24)}`

const timeOf = (millis: number): string => new Date(millis).toISOString()

const deliveryOf = ({ at, attempt, events, message, millis, reason, result, status }: Webhook.Attempt) => ({
  message,
  at: timeOf(at),
  attempt,
  events,
  result,
  status,
  reason,
  milliseconds: millis,
})

/** A webhook as its owner sees it: without its secrets. */
const viewOf = ({ stored, webhook }: Found, nowMillis: number): Resource.WebhookWire => {
  const { addresses, attempts, chain, created, delivered, finality, log, publicKey, types, url } = webhook
  const previous = Webhook.previousAt(webhook, nowMillis)
  const last = log.at(-1)
  const waits = attempts.failures > 0 && attempts.paused === null
  return {
    id: stored.name,
    name: webhook.name ?? stored.name,
    source: webhook.holder === null ? "operator" : "key",
    url,
    chain,
    addresses,
    types,
    finality,
    state: Webhook.stateOf(webhook),
    pause_reason: attempts.paused,
    public_key: publicKey,
    previous_until: previous.length === 0 ? null : timeOf(Math.max(...previous.map(({ until }) => until))),
    created_at: timeOf(created),
    delivered,
    failures: attempts.failures,
    next_attempt_at: waits ? timeOf(attempts.nextAt) : null,
    last: last === undefined ? null : deliveryOf(last),
  }
}

const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: 'Retry later, or use "types": ["wallet.transaction"].',
  whenNotIndexed: 'Use "types": ["wallet.transaction"].',
  parameter: "types",
}

/** Bytes of the rows of a step, of which none is taken here. */
const noBytes = 1

/** Times that a change is made again where a sender was quicker. */
const maxAttempts = 10
/** Look-ups of names at the same time. */
const maxLookups = 2
const daySeconds = 86_400
const maxKeepSeconds = 30 * daySeconds

/** What is read and changed of the webhooks of a database. */
const access = ({ webhooks }: Pick<Options, "webhooks">) => {
  const fromStore = <A, R>(effect: Effect.Effect<A, StoreError | ErrorResponse.ErrorResponse, R>) =>
    Effect.catchTag(effect, "StoreError", ErrorResponse.fromStore)

  const isOwn = ({ grant }: Caller, { holder }: StoredWebhook): boolean =>
    grant.operator || (holder !== null && holder === grant.name)

  const decoded = (stored: StoredWebhook) =>
    Effect.map(Webhook.decode(stored.content), (webhook): Found => ({ stored, webhook }))

  const find = Effect.fnUntraced(function* (
    caller: Caller,
    id: string,
  ): Effect.fn.Return<Found, StoreError | ErrorResponse.ErrorResponse> {
    const stored = yield* webhooks.find(id)
    if (stored === null || !isOwn(caller, stored)) {
      // The id is not repeated: it may be a key that was sent in its place.
      return yield* ErrorResponse.notOffered(
        "No webhook of this API key has this id. GET /api/v2.2/webhooks lists them.",
      )
    }
    return yield* decoded(stored)
  })

  /** Changes a webhook, again where the service changed it meanwhile. */
  const change = Effect.fnUntraced(function* <A>(
    caller: Caller,
    id: string,
    make: (webhook: Webhook.Webhook) => Effect.Effect<readonly [Webhook.Webhook, A], ErrorResponse.ErrorResponse>,
  ): Effect.fn.Return<readonly [Found, A], StoreError | ErrorResponse.ErrorResponse> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { stored, webhook } = yield* find(caller, id)
      const [next, given] = yield* make(webhook)
      const isStored = yield* webhooks.change(id, stored.revision, Webhook.encode(next))
      if (isStored) return [{ stored, webhook: next }, given]
    }
    return yield* ErrorResponse.unavailable("The webhook was changed meanwhile. Retry later.")
  })

  const listed = Effect.fnUntraced(function* ({ grant }: Caller): Effect.fn.Return<ReadonlyArray<Found>, StoreError> {
    const stored = yield* grant.operator ? webhooks.list : webhooks.ofHolder(grant.name)
    return yield* Effect.forEach(stored, decoded)
  })

  return { fromStore, find, change, listed, decoded }
}

/** Where the rows of wallets begin, as positions by wallet. */
const positions = ({ bounds, chains }: Options) => {
  const placeOf = (text: string, selection: string) =>
    Effect.catchTag(
      Effect.fromResult(EventSteps.readBeginning(text, selection, "request body")),
      "InvalidParameter",
      ErrorResponse.badRequest,
    )

  const chainOf = (name: string): Failing<IndexedChain> => {
    const chain = chains.find((one) => one.name === name)
    return chain === undefined
      ? ErrorResponse.unavailable("The chain of the webhook is not served now. Retry later.")
      : Effect.succeed(chain)
  }

  /** The position of a wallet at a place; a place that is none of it is refused. */
  const ofWallet = Effect.fnUntraced(function* (
    chain: IndexedChain,
    settings: Pick<Webhook.Webhook, "finality" | "types">,
    wallet: string,
    from: string,
  ): Effect.fn.Return<EventPosition.EventPosition, ErrorResponse.ErrorResponse> {
    const subscription = Webhook.subscriptionOf(settings, chain, wallet, noBytes)
    const beginning = yield* placeOf(from, Events.selectionText(subscription))
    if (beginning._tag === "After") return beginning.position
    const started = bounds.turns.run(Events.start(subscription, beginning))
    return (yield* OperationError.answer(started, wording)).position
  })

  const all = Effect.fnUntraced(function* (
    chain: IndexedChain,
    settings: Pick<Webhook.Webhook, "finality" | "types">,
    wallets: ReadonlyArray<string>,
    from: string,
  ): Effect.fn.Return<Readonly<Record<string, string>>, ErrorResponse.ErrorResponse> {
    if (EventPosition.isText(from) && wallets.length > 1) {
      return yield* invalid("from", "a block number, a date or now, as there are several wallets", "a cursor")
    }
    const entries = yield* Effect.forEach(wallets, (wallet) =>
      Effect.map(ofWallet(chain, settings, wallet, from), (position) => {
        const subscription = Webhook.subscriptionOf(settings, chain, wallet, noBytes)
        return [wallet, EventPosition.format(position, Events.selectionText(subscription))] as const
      }),
    )
    return Object.fromEntries(entries)
  })

  return { all, chainOf, ofWallet }
}

/** Makes the handlers. */
export const make = (options: Options): Handlers => {
  const { settings, webhooks } = options
  const { change, decoded, find, fromStore, listed } = access(options)
  const places = positions(options)
  const chainOf = ChainRegistry.finderWithDefault(options.chains)
  // One at a time, so that together they stay within the bounds.
  const permit = Semaphore.makeUnsafe(1)
  const lookups = Semaphore.makeUnsafe(maxLookups)
  const read = {
    settings: JsonBody.reader(options, Resource.Settings),
    replay: JsonBody.reader(options, Resource.Replay),
    rotation: JsonBody.reader(options, Resource.Rotation, true),
    addresses: JsonBody.reader(options, Resource.AddressChange),
  }

  const respond = (value: object, headers: Response.Headers) => Response.json(JSON.stringify(value), { headers })

  const respondWith = (found: Found, headers: Response.Headers, more: object = {}) =>
    Effect.map(Clock.currentTimeMillis, (now) => respond({ ...viewOf(found, now), ...more }, headers))

  /** Refuses a webhook or addresses beyond what a key may have. */
  const checkRoom = Effect.fnUntraced(function* (
    holder: string | null,
    more: { readonly webhooks: number; readonly addresses: number },
  ): Effect.fn.Return<void, StoreError | ErrorResponse.ErrorResponse> {
    const { active, failing, paused } = yield* webhooks.counts
    if (active + failing + paused + more.webhooks > settings.total) {
      return yield* invalid("", `at most ${settings.total} webhooks on this server (webhooks.total)`, "one more")
    }
    if (holder === null) return
    const own = yield* Effect.forEach(yield* webhooks.ofHolder(holder), decoded)
    if (own.length + more.webhooks > settings.perKey) {
      const expected = `at most ${settings.perKey} webhooks of a key (webhooks.perKey)`
      return yield* invalid("", expected, `one more beside ${own.length}; remove some`)
    }
    const sum = own.reduce((addresses, { webhook }) => addresses + webhook.addresses.length, 0)
    if (sum + more.addresses <= settings.addressesPerKey) return
    const expected = `at most ${settings.addressesPerKey} addresses in the webhooks of a key (webhooks.addressesPerKey)`
    return yield* invalid("addresses", expected, `${more.addresses} more beside ${sum}`)
  })

  const checkCount = (path: string, addresses: ReadonlyArray<string>) =>
    addresses.length >= 1 && addresses.length <= Resource.maxAddresses
      ? Effect.void
      : invalid(path, `1 to ${Resource.maxAddresses} addresses`, `${addresses.length}`)

  const checkUrl = Effect.fnUntraced(function* (url: string): Effect.fn.Return<void, ErrorResponse.ErrorResponse> {
    const issue = yield* lookups.withPermit(WebhookRequest.check(url, { ...settings, resolve: options.resolve }))
    // The URL may hold a token, and is not repeated.
    if (issue !== null) return yield* invalid("url", issue, "another one")
  })

  /** The webhook that the same request has made before; refuses another one of the name. */
  const repeated = Effect.fnUntraced(function* (
    stored: StoredWebhook,
    request: string,
  ): Effect.fn.Return<Found, StoreError | ErrorResponse.ErrorResponse> {
    const found = yield* decoded(stored)
    if (found.webhook.request === request) return found
    return yield* invalid("name", "a name that no other webhook of the key has", quote(found.webhook.name ?? ""))
  })

  const create = Effect.fnUntraced(function* (
    caller: Caller,
    body: Resource.Settings,
  ): Effect.fn.Return<readonly [Found, secret: string | null], StoreError | ErrorResponse.ErrorResponse> {
    const { finality = "head", from = "now", name = `wh ${randomBytes(6).toString("hex")}`, url } = body
    const addresses = [...new Set(body.addresses)]
    const types = body.types === undefined || body.types.length === 0 ? WalletEvent.rowTypes : [...new Set(body.types)]
    const chain = yield* Effect.catch(Effect.fromResult(chainOf(body.chain)), ({ code, issue }) =>
      ErrorResponse.badRequest(InvalidParameter.fromIssue(issue, "request body", code)),
    )
    const forbidden = KeyScope.chainIssue(caller.grant, chain)
    if (forbidden !== undefined) return yield* ErrorResponse.forbidden(forbidden)
    const holder = holderOf(caller)
    const id = idOf(holder, name)
    const request = hash("sha256", JSON.stringify([url, chain.id, addresses, types, finality, from]), "base64url")
    const existing = yield* webhooks.find(id)
    if (existing !== null) return [yield* repeated(existing, request), null]
    yield* checkCount("addresses", addresses)
    yield* checkUrl(url)
    yield* checkRoom(holder, { webhooks: 1, addresses: addresses.length })
    const [webhook, { secret }] = yield* Webhook.make(settings.key, {
      ...{ holder, name, request, url, addresses, types, finality },
      chain: chain.name,
      from: "now",
      positions: yield* places.all(chain, { finality, types }, addresses, from),
    })
    if (yield* webhooks.add(id, Webhook.encode(webhook))) {
      return [{ stored: { name: id, holder, content: "", revision: 1 }, webhook }, secret]
    }
    const other = yield* webhooks.find(id)
    if (other === null) return yield* ErrorResponse.unavailable("The webhook was changed meanwhile. Retry later.")
    return [yield* repeated(other, request), null]
  })

  /** Changes a webhook without a body. */
  const changing =
    (make: (webhook: Webhook.Webhook) => Webhook.Webhook) =>
    ({ caller, params }: { readonly caller: Caller; readonly params: typeof Resource.Path.Type }) =>
      fromStore(
        Effect.flatMap(
          change(caller, params.webhook, (webhook) => Effect.succeed([make(webhook), undefined])),
          ([found]) => respondWith(found, caller.headers),
        ),
      )

  /** The webhook that begins again at a place. */
  const replayed = Effect.fnUntraced(function* (
    webhook: Webhook.Webhook,
    from: string,
  ): Effect.fn.Return<Webhook.Webhook, ErrorResponse.ErrorResponse> {
    const chain = yield* places.chainOf(webhook.chain)
    if (!EventPosition.isText(from)) {
      const { next } = yield* places.ofWallet(chain, webhook, webhook.addresses[0] ?? "", from)
      return Webhook.replayed(webhook, next)
    }
    const owner = webhook.addresses.find((wallet) => {
      const subscription = Webhook.subscriptionOf(webhook, chain, wallet, noBytes)
      return Result.isSuccess(EventPosition.parse(from, Events.selectionText(subscription)))
    })
    if (owner === undefined) return yield* invalid("from", "the cursor of an event of this webhook", "another text")
    return Webhook.replayedAfter(webhook, owner, from)
  })

  const changedAddresses = Effect.fnUntraced(function* (
    webhook: Webhook.Webhook,
    { add = [], from = "now", remove = [] }: Resource.AddressChange,
  ): Effect.fn.Return<Webhook.Webhook, StoreError | ErrorResponse.ErrorResponse> {
    const both = add.find((wallet) => remove.includes(wallet))
    if (both !== undefined) return yield* invalid("remove", "wallets that are not added", quote(both))
    const kept = Webhook.without(webhook, new Set(remove))
    const added = [...new Set(add)].filter((wallet) => !kept.addresses.includes(wallet))
    const addresses = [...kept.addresses, ...added]
    yield* checkCount(add.length > 0 ? "add" : "remove", addresses)
    const more = addresses.length - webhook.addresses.length
    if (more > 0) yield* checkRoom(webhook.holder, { webhooks: 0, addresses: more })
    const chain = yield* places.chainOf(webhook.chain)
    const positions = { ...kept.positions, ...(yield* places.all(chain, webhook, added, from)) }
    return { ...kept, addresses, positions }
  })

  return {
    listWebhooks: ({ caller }) =>
      fromStore(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const found = yield* listed(caller)
          return respond({ result: found.map((one) => viewOf(one, now)) }, caller.headers)
        }),
      ),
    getWebhook: ({ caller, params }) =>
      fromStore(Effect.flatMap(find(caller, params.webhook), (found) => respondWith(found, caller.headers))),
    createWebhook: Effect.fnUntraced(function* ({ caller }) {
      const { headers, value } = yield* read.settings(caller)
      const [found, secret] = yield* permit.withPermit(fromStore(create(caller, value)))
      return yield* respondWith(found, headers, { secret })
    }),
    removeWebhook: ({ caller, params }) =>
      fromStore(
        Effect.gen(function* () {
          const id = params.webhook
          const removed = yield* Effect.matchEffect(find(caller, id), {
            onSuccess: () => webhooks.remove(id),
            onFailure: (error) =>
              error._tag === "ErrorResponse" && error.error._tag === "NotFound"
                ? Effect.succeed(false)
                : Effect.fail(error),
          })
          return respond({ removed }, caller.headers)
        }),
      ),
    pauseWebhook: changing((webhook) => Webhook.paused(webhook, "Its owner paused it.")),
    resumeWebhook: changing(Webhook.resumed),
    testWebhook: ({ caller, params }) =>
      fromStore(
        Effect.map(
          change(caller, params.webhook, (webhook) => {
            // A request that is sent again before the test is sent makes no second one.
            const message = webhook.test ?? Webhook.newId()
            return Effect.succeed([{ ...webhook, test: message }, message])
          }),
          ([{ stored }, message]) => respond({ id: stored.name, message }, caller.headers),
        ),
      ),
    replayWebhook: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.replay(caller)
      const changed = change(caller, params.webhook, (webhook) =>
        Effect.map(replayed(webhook, value.from), (next) => [next, undefined] as const),
      )
      const [found] = yield* fromStore(changed)
      return yield* respondWith(found, headers)
    }),
    rotateWebhook: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.rotation(caller)
      const { keep_seconds: keepSeconds = daySeconds } = value
      if (keepSeconds > maxKeepSeconds) {
        return yield* invalid("keep_seconds", `at most ${maxKeepSeconds}`, `${keepSeconds}`)
      }
      const nowMillis = yield* Clock.currentTimeMillis
      const until = nowMillis + keepSeconds * 1_000
      const changed = change(caller, params.webhook, (webhook) =>
        Effect.succeed(Webhook.rotate(settings.key, webhook, { nowMillis, until })),
      )
      const [found, { secret }] = yield* fromStore(changed)
      return yield* respondWith(found, headers, { secret })
    }),
    changeWebhookAddresses: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.addresses(caller)
      const changed = change(caller, params.webhook, (webhook) =>
        fromStore(Effect.map(changedAddresses(webhook, value), (next) => [next, undefined] as const)),
      )
      const [found] = yield* permit.withPermit(fromStore(changed))
      return yield* respondWith(found, headers)
    }),
    webhookDeliveries: ({ caller, params, query }) =>
      fromStore(
        Effect.map(find(caller, params.webhook), ({ webhook }) => {
          const selected = webhook.log.filter(({ result }) => query.result !== "failed" || result !== "delivered")
          return respond({ result: selected.map(deliveryOf).toReversed() }, caller.headers)
        }),
      ),
  }
}
