/**
 * Layers of the REST client for tests of programs that use Effect: the real client on a fake service, or single calls provided by the test.
 */
import type { Client, Options } from "@daybook/rest/Client"
import * as RestClient from "@daybook/rest/RestClient"
import * as Layer from "effect/Layer"
import type { FakeService } from "./FakeService.ts"

/**
 * Provides the REST client on a fake service, with its decoding, retries and streams. Its waits use the clock of Effect, which a test can
 * control. An invalid option is a defect.
 *
 * **Example** (Counting the rows of a wallet)
 *
 * ```ts
 * import { RestClient } from "@daybook/rest"
 * import * as FakeRestClient from "@daybook/testkit/FakeRestClient"
 * import * as FakeService from "@daybook/testkit/FakeService"
 * import { Effect, Stream } from "effect"
 *
 * const fake = FakeService.make({ blocks: 20 })
 * const program = Effect.gen(function* () {
 *   const rest = yield* RestClient.RestClient
 *   return yield* Stream.runCount(rest.walletTransactionsStream({ address: fake.wallet }))
 * })
 * console.log(await Effect.runPromise(program.pipe(Effect.provide(FakeRestClient.layer(fake)))))
 * ```
 */
export const layer = (
  fake: Pick<FakeService, "rest">,
  options: Partial<Options> = {},
): Layer.Layer<RestClient.RestClient> => Layer.orDie(RestClient.layer({ ...fake.rest, ...options }))

const unimplemented = (): never => {
  throw new Error("Unimplemented method: with")
}

/**
 * Provides a REST client with only the given calls; any other call is a defect that names it.
 *
 * **Example** (A wallet without transactions)
 *
 * ```ts
 * import { RestClient } from "@daybook/rest"
 * import * as FakeRestClient from "@daybook/testkit/FakeRestClient"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const rest = yield* RestClient.RestClient
 *   const page = yield* rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 *   return page.result.length
 * })
 * const empty = FakeRestClient.layerMock({
 *   walletTransactions: () => Effect.succeed({ cursor: null, page: 0, page_size: 100, result: [] }),
 * })
 * console.log(await Effect.runPromise(program.pipe(Effect.provide(empty)))) // 0
 * ```
 */
export const layerMock = (calls: Partial<Client>): Layer.Layer<RestClient.RestClient> =>
  Layer.mock(RestClient.RestClient, { with: unimplemented, ...calls })
