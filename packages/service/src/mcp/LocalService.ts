/**
 * A service in this process, on a free port of this machine and with its own key, for tools that run where the database is. It serves and
 * relays but does not index. Only this process knows the key, which expires with it.
 */
import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { ConfigFile } from "../config/ConfigFile.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Service from "../Service.ts"

/** Where a service is, and a key for it. */
export interface Access {
  readonly url: string
  readonly key: Redacted.Redacted<string>
}

/** A key left behind by a killed process expires by itself. */
const keyMillis = 30 * 24 * 60 * 60 * 1000

/** Serves the database of a configuration until the scope ends. */
export const make = Effect.fn("LocalService.make")(function* ({
  baseFolder,
  config,
}: ConfigFile): Effect.fn.Return<Access, Service.StartError | StoreError, Scope.Scope> {
  // Everything that sends or listens besides the tools is left to `daybook serve`.
  const { monitoring: _, tls: __, webhooks: ___, ...rest } = config
  const { address, keys } = yield* Service.run(
    { ...rest, listen: { host: "127.0.0.1", port: 0 }, explorer: "keyed" },
    { baseFolder, roles: ["rest", "relay"], access: "keyed" },
  )
  const name = `mcp-${randomUUID()}`
  const now = yield* Clock.currentTimeMillis
  const key = yield* Effect.acquireRelease(
    keys.add({ name, operator: false, empty: null, expires: now + keyMillis }),
    () => Effect.ignore(keys.revoke(name)),
  )
  // Sound: a service with these roles listens, and the name of the key is new.
  return { url: address!.url, key: key! }
})
