/** Starts the embedded chain with a number of blocks and the service on it. They run until closed. */
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"

const noOutput = Layer.succeed(Screen.Screen, Screen.make({ write: () => undefined }, {}))

export const startLocal = async (
  blocks: number,
): Promise<{ readonly local: Local.Local; readonly close: () => Promise<void> }> => {
  const scope = Scope.makeUnsafe()
  const local = await Local.start({
    blocks,
    config: { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } },
  }).pipe(Scope.provide(scope), Effect.provide([noOutput, Logger.layer([])]), Effect.runPromise)
  return { local, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
