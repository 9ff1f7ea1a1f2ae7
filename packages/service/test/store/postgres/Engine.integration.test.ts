import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectExact } from "../../consistency/expectExact.ts"
import { engine, serverOfFile } from "./engine.ts"
import { events } from "./events.ts"
import { service } from "./service.ts"
import { simulation } from "./simulation.ts"
import * as TestServer from "./TestServer.ts"

const server = serverOfFile()

engine(server)

describe("Service on PostgreSQL", () => {
  service(server)
  simulation(server)
  events(server)

  it.live(
    "page: is exact while writers die, pause and continue without their lease",
    () => Effect.flatMap(TestServer.database(server()), (database) => expectExact(database.url)),
    120_000,
  )
})
