import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectExact } from "../../tears/expectExact.ts"
import { contract } from "../contract.ts"
import { simulation } from "./simulation.ts"
import { dumpOf } from "./dumpOf.ts"
import { events } from "./events.ts"
import * as EmbeddedServer from "./EmbeddedServer.ts"
import { failures } from "./failures.ts"
import { nodes } from "./nodes.ts"
import { oneStatement } from "./oneStatement.ts"
import { replicaReading } from "./replicaReading.ts"
import { service } from "./service.ts"
import { unresponsive } from "./unresponsive.ts"
import { waking } from "./waking.ts"
import { webhooks } from "./webhooks.ts"
import * as TestServer from "./TestServer.ts"

const given = process.env["DAYBOOK_TEST_POSTGRES"]

let url = given ?? ""
let embedded: EmbeddedServer.EmbeddedServer | undefined

const server = () => url

beforeAll(async () => {
  if (given !== undefined) return
  embedded = await EmbeddedServer.start()
  url = embedded.url
})

afterAll(async () => {
  await TestServer.removeAll(url)
  await embedded?.stop()
})

contract(
  "PostgreSQL",
  Effect.suspend(() =>
    Effect.map(TestServer.emptied(url), (database) => ({
      connect: TestServer.connect(database.url),
      setClock: (millis) => Effect.asVoid(database.rows(`UPDATE public.test_clock SET millis = ${millis}`)),
      dump: dumpOf(database.rows),
    })),
  ),
  // A server of its own shows that the suite holds on this version; DAYBOOK_TEST_POSTGRES runs all of it on any other.
  { part: given === undefined ? 0.04 : 1 },
)

describe("Engine PostgreSQL", () => {
  failures(server)
  replicaReading(server)
  nodes(server)
  oneStatement(server)
  unresponsive(server)
  waking(server)
  webhooks(server)
  service(server)
  simulation(server)
  events(server)

  it.live(
    "page: is exact while writers die, stand still and go on without their lease",
    () => Effect.flatMap(TestServer.database(url), (database) => expectExact(database.url)),
    120_000,
  )
})
