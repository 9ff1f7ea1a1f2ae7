import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import { expect } from "vitest"
import { Limits } from "../../../src/config/Limits.ts"
import * as MonotonicClock from "../../../src/supervision/MonotonicClock.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as PageResponse from "../../../src/server/rest/PageResponse.ts"

const limits = Schema.decodeUnknownSync(Limits)({})

describe("PageResponse", () => {
  it.live("make: a page takes turns of the holder of its key, even if the request began as its address's", () =>
    Effect.gen(function* () {
      const turns = Turns.make(yield* MonotonicClock.reader)
      const holders: Array<string> = []
      const recorded: Turns.Turns = {
        ...turns,
        run: (work) =>
          Effect.withFiber((fiber) => {
            holders.push(fiber.getRef(Turns.Holder))
            return turns.run(work)
          }),
      }
      const send = PageResponse.make(Bounds.make(limits, recorded))
      const read = recorded.run(Effect.fail("no page"))
      const sent = send({ name: "form", operator: false, empty: null }, read).pipe(
        Effect.provideService(HttpServerRequest, fromWeb(new Request("http://localhost/v2/api"))),
        Effect.provideService(Turns.Holder, "\n7"),
      )

      expect(yield* Effect.flip(sent)).toBe("no page")
      expect(holders).toEqual(["form", "form"])
    }),
  )
})
