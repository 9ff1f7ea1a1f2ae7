/** A vitest test of a program with the fake service: without a network, a chain or a database. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"
import { FakeService } from "@daybook/testkit"
import { expect, it } from "vitest"

it("both clients see the same chain, after a rejected request", async () => {
  const fake = FakeService.make({ faults: [{ status: 429, retryAfterSeconds: 0 }] })
  const page = await createRestClient(fake.rest).walletTransactions({ address: fake.wallet, limit: 1 })
  const receipt = await createRpcClient(fake.rpc).eth_getTransactionReceipt(page.result[0].hash)

  expect(receipt.blockHash).toBe(page.result[0].block_hash)
  expect(fake.received).toHaveLength(3)
})
