/** The clients with the responses of the previous version of the service. */
import { createRestClient } from "@daybook/rest/promise"
import { describe, expect, it } from "@effect/vitest"
import * as Recorder from "../src/Recorder.ts"
import { outcomeOf, read } from "./previousService.ts"

const previous = read()
const { address, missing, outcome, recording } = previous

describe("the previous service", () => {
  it("is read by the clients of this version with the same requests and results as when it was recorded", async () => {
    const { fetch } = Recorder.replay(recording)

    expect(recording.rest.length).toBeGreaterThan(15)
    expect(await outcomeOf({ address, apiKey: "key", baseUrl: "http://previous.test", fetch })).toEqual(outcome)
  })

  it("responds to an unknown operation so that the client names the path", async () => {
    const fetch = async () => Response.json(missing.body, { status: missing.status })
    const rest = createRestClient({ baseUrl: "http://previous.test", apiKey: "key", fetch })

    await expect(rest.proveWallet({ address })).rejects.toMatchObject({ _tag: "NotFound", isRetryable: false })
  })
})
