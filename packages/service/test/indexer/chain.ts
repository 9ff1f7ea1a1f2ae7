/** Runs an indexer in this process with an embedded node and a store in a temporary folder. */

import { Effect, Fiber, Queue, References } from "effect"
import type { Scope } from "effect"
import type { Anvil } from "@daybook/chain"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import type { IndexerEvent } from "../../src/indexer/IndexerEvent.ts"
import * as Node from "../../src/node/Node.ts"
import { Engine } from "../../src/store/Engine.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"

/** A store in a separate folder, opened for writing. */
export const openStore: Effect.Effect<TestStore.TestStore, StoreError, Scope.Scope> = Effect.flatMap(
  temporaryFolder,
  (path) => TestStore.inFolder(path),
)

export const decoder = KnownSignatures.decoder()

export interface Running {
  readonly store: TestStore.TestStore
  /** Waits for an event and discards earlier ones. */
  readonly until: (matches: (event: IndexerEvent) => boolean) => Effect.Effect<IndexerEvent>
  readonly stop: Effect.Effect<void>
}

/** Starts an indexer on a store; the end of the scope stops it. */
export const start = Effect.fnUntraced(function* (
  store: TestStore.TestStore,
  urls: ReadonlyArray<string>,
  options: Partial<ChainIndexer.Options> & { readonly chainId?: number; readonly traces?: "auto" | "off" } = {},
) {
  const { chainId = store.ref.id, traces = "auto", ...rest } = options
  const node = yield* Node.make({ urls, chainId, traces })
  const events = yield* Queue.unbounded<IndexerEvent>()
  const fiber = yield* Effect.forkScoped(
    ChainIndexer.run(node, {
      chain: store.ref.name,
      chainId: store.ref.id,
      owner: "test",
      decoder,
      pollMillis: 20,
      onEvent: (event) => Effect.asVoid(Queue.offer(events, event)),
      ...rest,
    }).pipe(Effect.provideService(Engine, store.database), Effect.provideService(References.MinimumLogLevel, "None")),
  )
  const until: Running["until"] = Effect.fnUntraced(function* (matches) {
    for (;;) {
      const event = yield* Queue.take(events)
      if (matches(event)) return event
    }
  })
  return { store, until, stop: Effect.asVoid(Fiber.interrupt(fiber)) } satisfies Running
})

/** Matches the event that the indexer has reached the head with this number. */
export const caughtUp =
  (head: number) =>
  (event: IndexerEvent): boolean =>
    event._tag === "Synced" && event.head === head

/** Numbers and hashes of the node's blocks, from the first to the head. */
export const chainOf = Effect.fnUntraced(function* (node: Anvil.Node, last: number) {
  return yield* Effect.forEach(Array.from({ length: last + 1 }), (_, number) =>
    node
      .call<{ readonly hash: string }>("eth_getBlockByNumber", [`0x${number.toString(16)}`, false])
      .pipe(Effect.map(({ hash }) => ({ number, hash }))),
  )
})
