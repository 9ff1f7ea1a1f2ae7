/** Kills Citus nodes while an indexer follows a chain, and measures the interval without stored blocks. */
import { Anvil } from "@daybook/chain"
import { Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import type * as Campaign from "../campaign/Campaign.ts"
import { start } from "../indexer/chain.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import type * as Nodes from "./Nodes.ts"

const [upMillis, downMillis, blockMillis] = [4_000, 3_000, 250] as const
const retries = { times: 1_200, schedule: Schedule.spaced("50 millis") }

/** Milliseconds from the restart of the node to the first stored block, and milliseconds without a stored block. */
interface Recovered {
  readonly node: string
  readonly afterReturn: number
  readonly whole: number
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) / 2)]!

const seconds = (millis: number): string => (millis / 1_000).toFixed(1)

const now = Clock.currentTimeMillis

/** Kills a node after some blocks were stored, restarts it, and waits for the next stored block. */
const endOnce = Effect.fnUntraced(function* (name: string, node: Nodes.Node, stored: { last: number }) {
  const isAfter = (millis: number) =>
    Effect.retry(
      Effect.suspend(() => (stored.last > millis ? Effect.void : Effect.fail("no block is stored"))),
      retries,
    )
  yield* Effect.andThen(now, isAfter)
  yield* Effect.sleep(upMillis)
  yield* Effect.promise(node.kill)
  yield* Effect.sleep(downMillis)
  yield* Effect.promise(node.restart)
  const [returned, before] = [yield* now, stored.last]
  yield* isAfter(returned)
  return { node: name, afterReturn: stored.last - returned, whole: stored.last - before } satisfies Recovered
})

/** Kills each node a number of times; fails if the indexer does not resume within a time limit after the restart. */
export const run = Effect.fnUntraced(function* (
  { coordinator, database, workers }: Nodes.Cluster,
  { kills, maxMillis }: { readonly kills: number; readonly maxMillis: number },
  { fail, print }: Campaign.Output,
): Effect.fn.Return<void, unknown, Scope.Scope> {
  const { url } = yield* database("recovery")
  const chain = yield* Anvil.make()
  const store = yield* TestStore.open(yield* TestServer.connect(url), { ...ref, id: chain.chainId })
  const stored = { last: 0 }
  yield* start(store, [chain.url], {
    onEvent: (event) => (event._tag === "Indexed" ? Effect.map(now, (at) => void (stored.last = at)) : Effect.void),
  })
  const [from = "", to = ""] = chain.accounts
  const mine = Effect.andThen(chain.call("eth_sendTransaction", [{ from, to, value: "0x1" }]), chain.call("evm_mine"))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(mine, Effect.sleep(blockMillis))))
  const nodes = [
    ["coordinator", coordinator],
    ...workers.map((node, at) => [`worker ${at + 1}`, node] as const),
  ] as const
  const all: Array<Recovered> = []
  for (let kill = 0; kill < kills; kill++) {
    for (const [name, node] of nodes) all.push(yield* endOnce(name, node, stored))
  }
  print("| node | kills | after its restart, s | most | without a block, s | most |\n|---|--:|--:|--:|--:|--:|")
  for (const [name] of nodes) {
    const nodeKills = all.filter(({ node }) => node === name)
    const cells = (["afterReturn", "whole"] as const).flatMap((key) => {
      const millis = nodeKills.map((recovered) => recovered[key])
      return [seconds(median(millis)), seconds(Math.max(...millis))]
    })
    print(`| ${[name, nodeKills.length, ...cells].join(" | ")} |`)
  }
  const longest = Math.max(...all.map(({ afterReturn }) => afterReturn))
  if (longest > maxMillis) fail(`${seconds(longest)} s without a block after the restart of a node`)
})
