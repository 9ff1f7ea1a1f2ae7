/** Processes that are killed while clients read, and how each is restarted. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Cluster from "./Cluster.ts"
import type { Member } from "./Member.ts"

/** A process to kill. */
export interface Kill {
  readonly name: string
  readonly end: Effect.Effect<void>
  /** Restarts the process after a delay; succeeds once it runs. */
  readonly restore: Effect.Effect<void, unknown>
}

const attempts = 5

/** Runs a statement; a busy machine may need several attempts to connect. */
const rowsOf = <Row extends object>(url: string, sql: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.flatMap((client) => client.unsafe<Row>(sql).unprepared),
    Effect.provide(Reactivity.layer),
    Effect.scoped,
    Effect.retry({ times: attempts }),
    Effect.orDie,
  )

/** Owner of the chain's lease. */
const ownerOf = (url: string): Effect.Effect<string | null> =>
  Effect.map(
    rowsOf<{ readonly lease_owner: string | null }>(url, "SELECT lease_owner FROM daybook_eth.indexer"),
    ([row]) => row?.lease_owner ?? null,
  )

const killed = (member: Member) => Effect.promise(() => member.end("SIGKILL"))

const started = (member: Member) => Effect.sync(member.start)

/** Stops a process of the service as a service manager does, and restarts it with the current configuration. */
const restarted = (member: Member) =>
  Effect.andThen(
    Effect.promise(() => member.end("SIGTERM")),
    started(member),
  )

/** All kills of a cluster, in order. The first indexer holds the lease. */
export const fromCluster = (cluster: Cluster.Cluster): ReadonlyArray<Kill> => {
  const { databases, indexers, logOf, node, primary, proxy, replica, servers, urlOf } = cluster
  const ofServer = (server: Member): Kill => ({
    name: server.name,
    end: killed(server),
    restore: Effect.andThen(started(server), Cluster.untilOk(`${urlOf(server)}/ready`, `${server.name} is ready`)),
  })
  const ofLeader = (leader: Member): Kill => {
    let owner: string | null = null
    return {
      name: `${leader.name}, which leads`,
      end: Effect.gen(function* () {
        owner = yield* ownerOf(databases.primary)
        yield* killed(leader)
      }),
      restore: Effect.gen(function* () {
        // Restarted only once the other indexer holds the lease, so that the owner is known.
        let next = owner
        while (next === owner || next === null) {
          yield* Effect.sleep(50)
          next = yield* ownerOf(databases.primary)
        }
        yield* started(leader)
      }),
    }
  }
  const ofDatabase = (member: Member): Kill => ({
    name: member === primary ? "PostgreSQL, the primary" : "PostgreSQL, the replica",
    end: killed(member),
    restore: Cluster.startDatabase(member, () => logOf(member.name)),
  })
  return [
    ...servers.map(ofServer),
    ofLeader(indexers[0]),
    ofLeader(indexers[1]),
    { name: "index 2, which waits", end: killed(indexers[1]), restore: started(indexers[1]) },
    ofDatabase(replica),
    ofDatabase(primary),
    {
      name: "HAProxy",
      end: killed(proxy),
      restore: Effect.andThen(started(proxy), Cluster.untilOk(`${cluster.url}/ready`, "HAProxy has a server")),
    },
    {
      name: "the node (suspended)",
      end: Effect.sync(() => void process.kill(node.pid, "SIGSTOP")),
      restore: Effect.sync(() => void process.kill(node.pid, "SIGCONT")),
    },
    {
      name: "the primary, permanently: the replica is promoted",
      end: killed(primary),
      restore: Effect.gen(function* () {
        yield* rowsOf(databases.replica, "SELECT pg_promote(true, 60)")
        cluster.lead("replica")
        for (const server of servers) {
          yield* restarted(server)
          yield* Cluster.untilOk(`${urlOf(server)}/ready`, `${server.name} is ready`)
        }
        for (const member of indexers) yield* restarted(member)
      }),
    },
  ]
}
