/** Runs `daybook dev` with the node of a test. */
import { Anvil } from "@daybook/chain"
import { Effect, Exit, Queue, References, Scope } from "effect"
import * as DevServer from "../../src/dev/DevServer.ts"
import * as LocalNode from "../../src/dev/LocalNode.ts"
import type * as Service from "../../src/Service.ts"

export const within = { everyMillis: 10 }

/** A node that can be stopped and restarted on its port. */
export const restartable = Effect.gen(function* () {
  const outer = yield* Effect.scope
  let scope = yield* Scope.fork(outer)
  const begin = (options: Anvil.Options) =>
    Effect.gen(function* () {
      scope = yield* Scope.fork(outer)
      return yield* Scope.provide(Anvil.make({ autoMine: true, ...options }), scope)
    })
  return { begin, stop: Effect.suspend(() => Scope.close(scope, Exit.void)) }
})

/** Runs the command with a node; returns a queue of the services that it starts, which fails once the command has failed. */
export const develop = Effect.fnUntraced(function* (
  url: string,
  { artifacts = [], onLine }: Partial<Pick<DevServer.Options, "artifacts" | "onLine">> = {},
) {
  const announced = yield* Queue.unbounded<DevServer.Running, Service.StartError>()
  const node = yield* LocalNode.find(url)
  if (node === null) throw new Error(`No node responds at ${url}.`)
  yield* Effect.forkScoped(
    DevServer.run(node, {
      url,
      port: 0,
      artifacts,
      onLine,
      onReady: (running) => Effect.asVoid(Queue.offer(announced, running)),
    }).pipe(
      Effect.onError((cause) => Queue.failCause(announced, cause)),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )
  return announced
})
