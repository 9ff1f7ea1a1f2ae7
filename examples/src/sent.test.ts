/** Tests a program without a network, a chain or a database: against a fake service, including failing requests. */
import { createRestClient } from "@daybook/rest/promise"
import { FakeService } from "@daybook/testkit"
import { expect, it } from "vitest"
import { sentTo } from "./sent.ts"

/** The amounts that a fake's wallet sent, computed from the blocks of its chain. */
const expectedOf = ({ blocks, wallet }: FakeService.FakeService): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { from, succeeded, to, value } of blocks().flatMap(({ transactions }) => transactions))
    if (from === wallet && succeeded && value > 0n) sums.set(to, (sums.get(to) ?? 0n) + value)
  return sums
}

it("adds up what the wallet sent, by recipient, over all pages", async () => {
  const fake = FakeService.make({ seed: 7 })

  expect(await sentTo(createRestClient(fake.rest), "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")).toEqual(
    expectedOf(fake),
  )
  expect(fake.received.length).toBeGreaterThan(1)
})

it("adds up the same if the service rejects a request and interrupts a response", async () => {
  const fake = FakeService.make({ faults: [{ status: 429, retryAfterSeconds: 0 }, { cutAfterBytes: 500 }] })
  const rest = createRestClient({ ...fake.rest, retry: { base: 1 } })

  expect(await sentTo(rest, fake.wallet)).toEqual(expectedOf(fake))
})

it("fails without a repeated request if the key is invalid", async () => {
  const fake = FakeService.make({ apiKey: "right" })
  const rest = createRestClient({ ...fake.rest, apiKey: "wrong" })

  await expect(sentTo(rest, fake.wallet)).rejects.toMatchObject({ _tag: "Unauthorized" })
  expect(fake.received).toHaveLength(1)
})
