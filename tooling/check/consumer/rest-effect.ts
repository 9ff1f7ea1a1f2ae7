import * as RestClient from "@daybook/rest/RestClient"
import type { WalletPage } from "@daybook/schema"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { address, apiKey, baseUrl, chain } from "./service.ts"

const program = Effect.gen(function* () {
  const rest = yield* RestClient.RestClient
  const page = yield* rest.walletTransactions({ address, chain, limit: 5 })
  const value: bigint | undefined = page.result[0]?.value
  const all = yield* rest.walletTransactionsStream({ address, chain, limit: 5 }).pipe(Stream.take(8), Stream.runCollect)
  return { page, value, all: [...all] }
})

const { all, page, value } = await Effect.runPromise(
  program.pipe(Effect.provide(RestClient.layer({ baseUrl, apiKey: Redacted.make(apiKey) }))),
)
const pages: ReadonlyArray<WalletPage.WalletPage> = [page]
if (typeof value !== "bigint" || pages.length !== 1) throw new Error("Transaction missing.")
if (all.length !== 8 || all[0]?.hash !== page.result[0]?.hash) throw new Error("The stream differs from the page.")

const refused = await Effect.runPromise(
  program.pipe(
    Effect.provide(RestClient.layer({ baseUrl, apiKey: Redacted.make("not-a-key") })),
    Effect.map(() => "accepted" as const),
    Effect.catchTag("Unauthorized", (error) => Effect.succeed(error._tag)),
  ),
)
if (refused !== "Unauthorized") throw new Error("An invalid key was accepted.")
console.log(`${all.length} transactions`)
