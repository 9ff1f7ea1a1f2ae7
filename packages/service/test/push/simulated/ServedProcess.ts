/**
 * A process of a simulated service: it serves lists, event streams and WebSocket subscriptions with the handlers of the service, and
 * sends webhooks. It can be killed between any two statements, or pause until its lease has expired.
 */
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Context, Effect, Layer, Result, type Scope } from "effect"
import { SchemaParser } from "effect"
import * as ChainRegistry from "../../../src/config/ChainRegistry.ts"
import type { Config } from "../../../src/config/Config.ts"
import type { ServedChain } from "../../../src/config/ServedChain.ts"
import * as NameLookups from "../../../src/push/NameLookups.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as RecentChanges from "../../../src/query/RecentChanges.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as FairShares from "../../../src/server/admission/FairShares.ts"
import type * as Turns from "../../../src/server/admission/Turns.ts"
import * as ChainContracts from "../../../src/server/chain/ChainContracts.ts"
import type { RelayedChain } from "../../../src/server/relay/RelayChains.ts"
import type * as RelaySocket from "../../../src/server/relay/RelaySocket.ts"
import { WalletStreams } from "../../../src/server/relay/WalletStreams.ts"
import * as EventSteps from "../../../src/server/rest/EventSteps.ts"
import * as OperationRoute from "../../../src/server/rest/OperationRoute.ts"
import * as PageResponse from "../../../src/server/rest/PageResponse.ts"
import * as WalletEvents from "../../../src/server/rest/WalletEvents.ts"
import * as WalletMovements from "../../../src/server/rest/WalletMovements.ts"
import * as WalletSubscriptions from "../../../src/server/rest/WalletSubscriptions.ts"
import * as WalletTransactions from "../../../src/server/rest/WalletTransactions.ts"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import type { KeyGrant } from "../../../src/store/ApiKeys.ts"
import * as ChangeWait from "../../../src/store/ChangeWait.ts"
import type { Database } from "../../../src/store/Database.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import * as HookReceiver from "../HookReceiver.ts"

/** Dependencies of a process. */
export interface Options {
  readonly config: Config
  readonly chain: ServedChain
  readonly database: Database
  /** Waits for the next change of the chain. */
  readonly changed: Effect.Effect<void>
  /** Duration for which the sender pauses before a write; 0 for none. */
  readonly stallMillis: () => number
}

export interface ServedProcess {
  /** Handlers of GET operations. */
  readonly handlers: ReadonlyArray<Handler>
  readonly sockets: Omit<RelaySocket.Options, "bounds"> & Pick<RelaySocket.Options, "bounds">
  readonly chain: RelayedChain
  readonly grant: KeyGrant
  /** Sends webhooks until it is interrupted. */
  readonly send: Effect.Effect<void>
}

/** An operation with its handler, which decodes path and query as its route does. */
export interface Handler {
  readonly path: RegExp
  readonly answer: (
    address: string,
    query: Readonly<Record<string, string>>,
  ) => ReturnType<OperationRoute.Handler<never>>
}

const decoder = KnownSignatures.decoder()
const grant: KeyGrant = { name: "receiver", operator: false, empty: null }

/** Interval at which a waiting reader polls without a notification. */
const lookMillis = 30_000

const handlerOf = <O extends RestOperation.RestOperation>(
  operation: O,
  handle: OperationRoute.Handler<O, IndexedChain.IndexedChain>,
  chainOf: OperationRoute.ChainOf<IndexedChain.IndexedChain>,
): Handler => {
  const decodeQuery = SchemaParser.decodeUnknownResult(operation.query)
  const pattern = operation.path.replace(":address", "(0x[0-9a-f]+)").replaceAll(/[.]/g, "[.]")
  return {
    path: new RegExp(`${pattern}$`),
    answer: (address, given) => {
      const query = Result.getOrThrow(decodeQuery(given))
      const resolved = Result.getOrThrow(OperationRoute.resolve(chainOf, query as never))
      return handle({ params: { address }, query, caller: { grant, headers: {} }, ...resolved })
    },
  }
}

/** Webhooks of a database whose sender may pause before a write. */
const stalling = (webhooks: Webhooks, { stallMillis }: Options): Webhooks => {
  const stalled = Effect.suspend(() => {
    const millis = stallMillis()
    return millis === 0 ? Effect.void : Effect.sleep(millis)
  })
  return { ...webhooks, change: (...values) => Effect.andThen(stalled, webhooks.change(...values)) }
}

/** Index of the chain, whose readers are notified by the simulation. */
const indexedOf = ({ chain, changed, database }: Options): IndexedChain.IndexedChain => {
  const indexed = IndexedChain.fromDatabase(database)(chain)
  const newest = indexed.reader.snapshot((snapshot) =>
    Effect.map(snapshot.changes(null, 0), ({ newest: { change } }) => change),
  )
  const awaitChange = ChangeWait.make(newest, { everyMillis: lookMillis, next: Effect.succeed(changed) })
  const reader = { ...indexed.reader, awaitChange }
  return { ...indexed, reader, recent: RecentChanges.make(reader) }
}

/** Computation takes no virtual time. */
const atOnce: Turns.Turns = {
  run: (work) => work,
  enter: (work) => work(),
  resume: (work) => work(),
  shares: FairShares.make(),
}

/** Creates a process on an open database. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<ServedProcess, never, Scope.Scope> {
  const { config, database } = options
  const chain = indexedOf(options)
  const bounds = Bounds.make(config.limits, atOnce)
  const contracts = ChainContracts.make(database.contracts, decoder)
  const send = PageResponse.make(bounds)
  const open = EventSteps.make({ bounds, config, contracts, decoder })
  const chainOf = ChainRegistry.finderWithDefault([chain])
  const services = Layer.mergeAll(
    Layer.succeed(Bounds.Bounds, bounds),
    Layer.succeed(ChainContracts.ChainContracts, contracts),
  )
  const streams = yield* Layer.build(Layer.provide(WalletSubscriptions.layer(config), services))
  const { movements, walletTransactions } = RestOperation.all
  const relayed = chain as RelayedChain
  return {
    chain: relayed,
    grant,
    handlers: [
      handlerOf(walletTransactions, WalletTransactions.make({ config, contracts, decoder, send }), chainOf),
      handlerOf(movements, WalletMovements.make({ config, contracts, send }), chainOf),
      handlerOf(RestOperation.walletEvents, WalletEvents.make(open), chainOf),
    ],
    sockets: {
      admit: () => Effect.succeed({ grant, chain: relayed }),
      bounds,
      streams: Context.get(streams, WalletStreams),
      // Sound: no rate limit is reached, and only wallet subscriptions are served.
      authentication: {
        burstOf: () => Infinity,
        take: () => Effect.succeed({ isAllowed: true, headers: {} }),
      } as never,
      answering: undefined as never,
    },
    send: WebhookSender.run({
      settings: HookReceiver.settings,
      config,
      chains: [chain],
      contracts,
      decoder,
      webhooks: stalling(database.webhooks, options),
      keys: database.apiKeys,
      lookups: NameLookups.make(),
    }),
  }
})
