/**
 * Replaces a Citus node by a standby that lacks its last writes, and later restores the node. Until then, no page may be read from it
 * and nothing may be written.
 */
import { Effect, Schedule, type Scope } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import type * as Campaign from "../campaign/Campaign.ts"
import * as Walker from "../replicas/Walker.ts"
import * as World from "../replicas/World.ts"
import { pagesOf } from "../store/pages.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Nodes from "./Nodes.ts"

const [firstSteps, lostSteps, laterSteps] = [20, 8, 10] as const
const reads = 40
const retries = { times: 200, schedule: Schedule.spaced("50 millis") }
const lackingWrites = "Database node without the last writes"

/** Changes the address of a node in the coordinator. */
const changeAddress = (url: string, from: string, to: string) =>
  TestServer.rowsOf(
    url,
    `SELECT citus_update_node(nodeid, '127.0.0.1', ${Nodes.portOf(to)}) FROM pg_dist_node
     WHERE nodeport = ${Nodes.portOf(from)}`,
  )

/** Runs the test on a cluster with standbys. */
export const run = Effect.fnUntraced(function* (
  { database, workers }: Nodes.Cluster,
  { fail, print }: Campaign.Output,
): Effect.fn.Return<void, unknown, Scope.Scope> {
  const { url } = yield* database("lost")
  const [{ hold, kill, restart, standby, url: nodeUrl }] = workers as readonly [Nodes.Node, ...Array<Nodes.Node>]
  const opened = yield* Engine.fromUrl(url, "/nowhere")
  const store = yield* TestStore.open(opened, ref)
  const world = World.make(1)
  const pages = pagesOf(opened)
  const tally = Walker.tally()
  const walk = Walker.walk({ world, tally, limit: 7, first: pages, rest: pages, pauseMillis: 0, maxPages: 5 })
  const steps = (count: number) => Effect.replicateEffect(world.step(store), count, { discard: true })

  yield* steps(firstSteps)
  hold()
  yield* steps(lostSteps)
  yield* walk
  const readBefore = tally.pages
  // The standby takes over the address of the node.
  yield* TestServer.rowsOf(url, `SELECT citus_remove_node('127.0.0.1', ${Nodes.portOf(standby!.url)}) IS NULL`)
  yield* Effect.promise(kill)
  yield* TestServer.rowsOf(standby!.url, "SELECT pg_promote(true, 60)")
  yield* changeAddress(url, nodeUrl, standby!.url)

  yield* Effect.replicateEffect(walk, reads, { discard: true })
  const refused = [...tally.unavailable.values()].reduce((sum, count) => sum + count, 0)
  const readMeanwhile = tally.pages - readBefore
  // Connections to a killed node fail once, which leaves the outcome of the write unknown.
  const written = yield* Effect.andThen(world.resume(store), world.step(store)).pipe(
    Effect.as("written"),
    Effect.catch((error) => {
      const { message } = error as Error
      return message.startsWith(lackingWrites) ? Effect.succeed("refused") : Effect.fail(error)
    }),
    Effect.retry(retries),
  )
  if (written !== "refused") fail("a write of a node without the last writes was accepted")
  if (refused === 0) fail("no page was rejected")

  yield* Effect.promise(standby!.stop)
  yield* Effect.promise(restart)
  yield* changeAddress(url, standby!.url, nodeUrl)
  yield* Effect.retry(Effect.andThen(world.resume(store), world.step(store)), retries)
  yield* steps(laterSteps)
  const before = tally.pages
  yield* walk
  if (tally.pages === before) fail("no page was read from the restored node")
  Walker.report({ ...tally, unavailable: new Map() }, fail)
  for (const message of tally.unavailable.keys()) if (!message.startsWith("Index changing")) fail(`refused: ${message}`)
  print(
    `a node without ${lostSteps} writes: ${refused} pages rejected, ${readMeanwhile} read, ${tally.torn} torn, a write ${written}; restored: ${tally.pages - before} pages read`,
  )
})
