/**
 * The service next to a local node during development: it is restarted when the node becomes another chain or another fork, and otherwise
 * follows the node.
 *
 * Source: decision 0060.
 */
import { rmSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Service from "../Service.ts"
import * as DevConfig from "./DevConfig.ts"
import * as IndexFolder from "./IndexFolder.ts"
import * as LocalNode from "./LocalNode.ts"
import type { Running } from "./Running.ts"
import * as TransactionLog from "./TransactionLog.ts"

export type { Running } from "./Running.ts"

/** How to run. */
export interface Options {
  readonly url: string
  /** Port of the service; by default 8080 or, if that is in use, a free one. */
  readonly port?: number | undefined
  readonly artifacts: ReadonlyArray<string>
  /** Receives a line for each transaction, and for reverted blocks; without it, no lines are made. */
  readonly onLine?: ((line: string) => void) | undefined
  /** Called each time the service starts to listen. */
  readonly onReady: (running: Running) => Effect.Effect<void>
}

const usualPort = 8080

/** Interval between checks of the node's identity. */
const watchMillis = 500

const folder = Effect.acquireRelease(
  Effect.sync(() => IndexFolder.make()),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** Waits until a different node responds. */
const untilOther = Effect.fnUntraced(function* (url: string, before: string | null) {
  for (;;) {
    const node = yield* LocalNode.find(url)
    if (node !== null && LocalNode.identityOf(node) !== before) return node
    yield* Effect.sleep(watchMillis)
  }
})

/** Starts the service for a node until the scope ends. */
const start = Effect.fnUntraced(function* (
  node: LocalNode.LocalNode,
  port: number,
  artifacts: ReadonlyArray<string>,
): Effect.fn.Return<Service.Running, Service.StartError, Scope.Scope> {
  const data = yield* folder
  const config = yield* Effect.fromResult(DevConfig.make(node, { port, data, artifacts }))
  return yield* Service.run(config, { baseFolder: data, access: "local", isInline: true })
})

/**
 * Runs next to a node until interrupted. If the node stops, waits for it to return.
 *
 * **Errors**
 * - `ListenError`: the given port is in use.
 * - `InvalidConfig`, `InvalidOption`, `StoreError`: the URL of the node cannot be used, or there is no folder for the database.
 */
export const run = Effect.fn("DevServer.run")(function* (
  first: LocalNode.LocalNode,
  { artifacts, onLine, onReady, port: given, url }: Options,
): Effect.fn.Return<never, Service.StartError> {
  let port = given ?? usualPort
  let node = first
  for (;;) {
    const attempt = start(node, port, artifacts)
    const current = node
    node = yield* Effect.scoped(
      Effect.gen(function* () {
        const running = yield* given === undefined
          ? Effect.catchTag(attempt, "ListenError", () => start(current, 0, artifacts))
          : attempt
        // Sound: the role `rest` listens.
        const address = running.address!
        port = address.port
        const ready = { node: current, chain: DevConfig.nameOf(current), url: address.url }
        if (onLine !== undefined) yield* TransactionLog.start(ready, onLine, artifacts.length > 0)
        yield* onReady(ready)
        return yield* untilOther(url, LocalNode.identityOf(current))
      }),
    )
    yield* Effect.logInfo("The node serves another chain or fork; indexing it from the start")
  }
})
