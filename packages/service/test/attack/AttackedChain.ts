/** A chain on a real node for attacks on indexers, and functions that wait for its index. */
import { Anvil } from "@daybook/chain"
import { Effect, Exit, Scope } from "effect"
import * as Client from "./Client.ts"

export interface AttackedChain {
  readonly url: string
  readonly node: Anvil.Node
  readonly call: <A>(method: string, params?: ReadonlyArray<unknown>) => Promise<A>
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly account: string
  readonly close: () => Promise<void>
}

export const start = async (options?: Anvil.Options): Promise<AttackedChain> => {
  const scope = Effect.runSync(Scope.make())
  const node = await Effect.runPromise(Anvil.make(options).pipe(Scope.provide(scope)))
  return {
    url: node.url,
    node,
    account: node.accounts[0]!,
    call: async <A>(method: string, params: ReadonlyArray<unknown> = []) =>
      await Effect.runPromise(node.call<A>(method, params)),
    run: async (effect) => await Effect.runPromise(effect),
    close: async () => await Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** Status of the attacked chain in `/ready`. */
export interface Status {
  readonly state: string
  readonly message: string | null
  readonly indexed: { readonly from: number; readonly to: number } | null
  readonly gaps?: Readonly<Record<string, number>>
}

/** Reads the status of the attacked chain. */
export const status = async (url: string): Promise<Status> =>
  JSON.parse((await Client.send(`${url}/ready?chain=attack`)).text) as Status

/** Waits until the index has reached a block; returns the last status. */
export const indexed = async (
  url: string,
  head: number,
  seconds: number,
): Promise<{ readonly reached: boolean; readonly last: Status }> => {
  for (let turn = 0; ; turn++) {
    const last = await status(url)
    const reached = (last.indexed?.to ?? -1) >= head
    if (reached || turn >= seconds * 4) return { reached, last }
    await Client.sleep(250)
  }
}
