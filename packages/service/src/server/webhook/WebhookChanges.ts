/**
 * Creates webhooks from requests, and applies requests to them.
 *
 * Source: decision 0073.
 */
import { hash, randomBytes } from "node:crypto"
import { quote } from "@daybook/schema/Issue"
import type * as Resource from "@daybook/schema/Webhook"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Webhook from "../../push/Webhook.ts"
import * as WebhookPosition from "../../push/WebhookPosition.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as ApiKeys from "../../store/ApiKeys.ts"
import type { Webhooks } from "../../store/Webhooks.ts"
import type { WebhookWallet } from "../../store/WebhookWallets.ts"
import type { Caller } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import { invalid } from "../rest/JsonBody.ts"
import * as WebhookAccess from "./WebhookAccess.ts"
import * as WebhookBounds from "./WebhookBounds.ts"
import * as WebhookStarts from "./WebhookStarts.ts"

/** Dependencies of changes. */
export interface Options extends WebhookBounds.Options {
  readonly bounds: Bounds["Service"]
  readonly chains: ReadonlyArray<IndexedChain>
}

/** Owner of a webhook created by a caller; `null` for the operator, whose pages and programs may need no key. */
const holderOf = ({ grant }: Caller): string | null => (grant.name === "" ? null : grant.name)

/** Id of a key's webhook with a name, so that a repeated request finds it. */
const idOf = (holder: string | null, name: string): string =>
  `wh_${hash("sha256", JSON.stringify([holder, name]), "base64url").slice(0, 24)}`

const randomName = (): string => `wh ${randomBytes(6).toString("hex")}`

/** Settings of a request with defaults applied. */
const settingsOf = (body: Resource.Settings) => {
  const { finality = "head", from = "now", name = randomName(), types = [], url } = body
  return {
    url,
    name,
    from,
    finality,
    addresses: [...new Set(body.addresses)],
    types: types.length === 0 ? WalletEvent.rowTypes : [...new Set(types)],
  }
}

/** A created webhook, and its secret if this request created it. */
type Created = readonly [WebhookAccess.Found, secret: string | null]

/** What a change of wallets shares with other changes. */
interface AddressChanges {
  readonly access: ReturnType<typeof WebhookAccess.make>
  readonly starts: ReturnType<typeof WebhookStarts.make>
  readonly bounds: ReturnType<typeof WebhookBounds.make>
  readonly permit: Semaphore.Semaphore
  readonly webhooks: Pick<Webhooks, "walletsOf">
}

/** Changes the wallets of a webhook. The positions of added wallets are read once, before changes take turns. */
const addressChanger = ({ access, bounds, permit, starts, webhooks }: AddressChanges) => {
  /** Those wallets of a change that the webhook has. */
  const knownOf = (id: string, { add = [], remove = [] }: Resource.AddressChange) =>
    Effect.map(
      webhooks.walletsOf(id, { among: [...add, ...remove] }),
      (rows) => new Set(rows.map(({ wallet }) => wallet)),
    )

  return Effect.fnUntraced(function* (
    caller: Caller,
    id: string,
    body: Resource.AddressChange,
  ): Effect.fn.Return<WebhookAccess.Found, WebhookAccess.Failure> {
    const { from = "now" } = body
    const [add, remove] = [new Set<string>(body.add), new Set<string>(body.remove)]
    const { webhook: before } = yield* access.find(caller, id)
    const both = [...add].find((wallet) => remove.has(wallet))
    if (both !== undefined) return yield* invalid("remove", "wallets that are not also added", quote(both))
    const chain = yield* starts.chainOf(before)
    const known = yield* knownOf(id, body)
    const positions = yield* starts.ofWallets(
      chain,
      before,
      [...add].filter((wallet) => !known.has(wallet)),
      from,
    )
    const withWallets = Effect.fnUntraced(function* ({
      wallets,
      webhook,
    }: WebhookAccess.Found): Effect.fn.Return<WebhookAccess.Change<undefined>, WebhookAccess.Failure> {
      const present = yield* knownOf(id, body)
      const added = [...add].filter((wallet) => !present.has(wallet))
      const removed = [...remove].filter((wallet) => present.has(wallet))
      // Another request removed a wallet of the webhook, or created another webhook with its name.
      const isOther = webhook.publicKey !== before.publicKey || added.some((wallet) => !positions.has(wallet))
      if (isOther) return yield* WebhookAccess.changedMeanwhile
      const more = added.length - removed.length
      yield* bounds.checkCount(add.size > 0 ? "add" : "remove", wallets + more, more)
      if (more > 0) yield* bounds.checkRoom(webhook.holder, { webhooks: 0, addresses: more })
      const begun = added.map((wallet) => WebhookPosition.ownWallet(wallet, positions.get(wallet)!))
      return [Webhook.without(webhook, remove), undefined, { add: begun, remove: removed }]
    })
    const [found] = yield* permit.withPermit(access.change(caller, id, withWallets))
    return found
  })
}

/** What a replay shares with other changes. */
interface Replays extends Pick<AddressChanges, "access" | "starts" | "webhooks"> {
  readonly turns: Bounds["Service"]["turns"]
}

/** Number of wallets changed by one statement of a replay. */
const replayedAtOnce = 1_000
const replayRetrySeconds = 1

/** Replays rows of a webhook: one replay per key at a time, which changes its wallets in parts with other requests in between. */
const replayer = ({ access, starts, turns, webhooks }: Replays) => {
  const replaying = new Set<string>()

  /** Fails if another request created a webhook with the same name meanwhile. */
  const checkSame = (before: WebhookAccess.Found, { webhook }: WebhookAccess.Found) =>
    webhook.publicKey === before.webhook.publicKey ? Effect.void : WebhookAccess.changedMeanwhile

  const afterCursor = Effect.fnUntraced(function* (
    caller: Caller,
    before: WebhookAccess.Found,
    cursor: string,
  ): Effect.fn.Return<WebhookAccess.Found, WebhookAccess.Failure> {
    const chain = yield* starts.chainOf(before.webhook)
    const owner = yield* starts.ownerOf(chain, before, cursor)
    if (owner === undefined) return yield* invalid("from", "the cursor of an event of this webhook", "other text")
    const [wallet, position] = owner
    const [found] = yield* access.change(
      caller,
      before.id,
      Effect.fnUntraced(function* (found) {
        yield* checkSame(before, found)
        const [row] = yield* webhooks.walletsOf(found.id, { among: [wallet] })
        if (row === undefined) return yield* WebhookAccess.changedMeanwhile
        const [webhook, changes] = Webhook.replayedAfter(found.webhook, row, position)
        return [webhook, undefined, changes]
      }),
    )
    return found
  })

  const fromStart = Effect.fnUntraced(function* (
    caller: Caller,
    before: WebhookAccess.Found,
    from: string,
  ): Effect.fn.Return<WebhookAccess.Found, WebhookAccess.Failure> {
    const { id } = before
    const chain = yield* starts.chainOf(before.webhook)
    const first = yield* webhooks.walletsOf(id, { limit: 1 })
    const wallets = first.map(({ wallet }) => wallet)
    const [position] = (yield* starts.ofWallets(chain, before.webhook, wallets, from)).values()
    for (let after: string | undefined; ;) {
      const rows: ReadonlyArray<WebhookWallet> = yield* webhooks.walletsOf(id, { after, limit: replayedAtOnce })
      const to = rows.length < replayedAtOnce ? undefined : rows.at(-1)?.wallet
      const part = access.change(caller, id, (found) =>
        Effect.map(checkSame(before, found), () => {
          if (position === undefined) return [Webhook.resumed(found.webhook), undefined]
          const [webhook, changes] = Webhook.replayed(found.webhook, position.next, { after, to })
          return [webhook, undefined, changes]
        }),
      )
      const [found] = yield* turns.run(part)
      if (to === undefined) return found
      after = to
    }
  })

  return Effect.fnUntraced(function* (
    caller: Caller,
    id: string,
    from: string,
  ): Effect.fn.Return<WebhookAccess.Found, WebhookAccess.Failure> {
    const before = yield* access.find(caller, id)
    const holder = ApiKeys.holderOf(caller.grant)
    if (replaying.has(holder)) {
      const headers = { ...caller.headers, "retry-after": String(replayRetrySeconds) }
      return yield* ErrorResponse.rateLimited("Another replay of this API key is still running. Retry later.", headers)
    }
    const replay = EventPosition.isText(from) ? afterCursor : fromStart
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => replaying.add(holder)),
      () => replay(caller, before, from),
      () => Effect.sync(() => replaying.delete(holder)),
    )
  })
}

/** Makes the changes. */
export const make = (options: Options) => {
  const { settings, webhooks } = options
  const bounds = WebhookBounds.make(options)
  const access = WebhookAccess.make(options)
  const starts = WebhookStarts.make(options)
  // Changes are serialised, so that together they stay within the limits.
  const permit = Semaphore.makeUnsafe(1)
  const find = ChainRegistry.finderWithDefault(options.chains)

  const chainOf = Effect.fnUntraced(function* (
    { grant }: Caller,
    name: string | undefined,
  ): Effect.fn.Return<IndexedChain, ErrorResponse.ErrorResponse> {
    const chain = yield* Effect.fromResult(find(name)).pipe(
      Effect.catch(({ code, issue }) =>
        ErrorResponse.badRequest(InvalidParameter.fromIssue(issue, "request body", code)),
      ),
    )
    const issue = KeyScope.chainIssue(grant, chain)
    return issue === undefined ? chain : yield* ErrorResponse.forbidden(issue)
  })

  /** The webhook with an id, if the same request created it; `null` for none. Rejects a different request with the same name. */
  const repeated = Effect.fnUntraced(function* (
    id: string,
    request: string,
  ): Effect.fn.Return<WebhookAccess.Found | null, WebhookAccess.Failure> {
    const stored = yield* webhooks.find(id)
    if (stored === null) return null
    const found = yield* WebhookAccess.decoded(stored)
    if (found.webhook.request === request) return found
    return yield* invalid("name", "a name that no other webhook of the key has", quote(found.webhook.name ?? ""))
  })

  /** Stores a webhook and returns its secret; `null` if the same request stored it concurrently. */
  const add = Effect.fnUntraced(function* (
    id: string,
    own: Webhook.Settings & { readonly holder: string | null; readonly request: string },
    wallets: ReadonlyArray<WebhookWallet>,
  ): Effect.fn.Return<Created, WebhookAccess.Failure> {
    const { length } = wallets
    yield* bounds.checkRoom(own.holder, { webhooks: 1, addresses: length })
    const [webhook, { secret }] = yield* Webhook.make(settings.key, own)
    const isAdded = yield* webhooks.add(id, Webhook.encode(webhook), wallets)
    if (isAdded) return [{ id, revision: 1, webhook, wallets: length }, secret]
    const other = yield* repeated(id, own.request)
    return other === null ? yield* WebhookAccess.changedMeanwhile : [other, null]
  })

  /** Creates a webhook and returns its secret; `null` if the same request created it before. */
  const create = Effect.fnUntraced(function* (
    caller: Caller,
    body: Resource.Settings,
  ): Effect.fn.Return<Created, WebhookAccess.Failure> {
    const chain = yield* chainOf(caller, body.chain)
    const { addresses, finality, from, name, types, url } = settingsOf(body)
    const holder = holderOf(caller)
    const id = idOf(holder, name)
    const request = hash("sha256", JSON.stringify([url, chain.id, addresses, types, finality, from]), "base64url")
    const before = yield* repeated(id, request)
    if (before !== null) return [before, null]
    yield* bounds.checkCount("addresses", addresses.length)
    yield* bounds.checkUrl(caller, url)
    const positions = yield* starts.ofWallets(chain, { finality, types }, addresses, from)
    const own = { holder, name, request, url, chain: chain.name, types, finality, from: "now" } as const
    const wallets = [...positions].map(([wallet, position]) => WebhookPosition.ownWallet(wallet, position))
    return yield* permit.withPermit(add(id, own, wallets))
  })

  const changeAddresses = addressChanger({ access, bounds, permit, starts, webhooks })
  const replay = replayer({ access, starts, webhooks, turns: options.bounds.turns })
  return { changeAddresses, create, replay }
}
