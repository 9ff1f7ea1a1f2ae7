import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { UserOperationClient } from "../src/index.ts"
import { sendPage, wallet } from "./history.ts"
import { script, type Server } from "@daybook/harness/ScriptedServer"

const query = { address: wallet }
const token = "0x00000000000000000000000000000000000000dd"
const hash = (digits: string) => `0x${digits.padStart(64, "0")}`

const optionsOf = ({ url }: Pick<Server, "url">) => ({ baseUrl: url, apiKey: "key-1", retry: { base: 1, cap: 5 } })
const clientOf = (server: Server) => UserOperationClient.make(optionsOf(server))

const operation = (block: number, at: number, more: object = {}) => ({
  user_operation_hash: hash(`a${block}${at}`),
  sender: wallet,
  paymaster: null,
  bundler: token,
  factory: null,
  nonce: String(2n ** 64n + BigInt(at)),
  success: true,
  revert_reason: null,
  post_operation_revert_reason: null,
  prefund_too_low: false,
  actual_gas_cost: "1000",
  actual_gas_used: "10",
  entry_point: "0x0000000071727de22e5e9d8baf0edac6f37da032",
  entry_point_version: "0.7",
  log_index: String(at),
  transaction_hash: hash(String(block)),
  transaction_index: "0",
  block_number: String(block),
  block_hash: hash(`b${block}`),
  block_timestamp: new Date(1_600_000_000_000 + block * 12_000).toISOString(),
  roles: ["operation_sender"],
  ...more,
})

/** Two operations of one transaction, and one of another. */
const operations = [
  operation(2, 7),
  operation(2, 3, { success: false, revert_reason: "0xdeadbeef", paymaster: token }),
  operation(1, 0, { entry_point: token, entry_point_version: null }),
]

/** All rows of an iteration. */
const collect = async <A>(rows: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const row of rows) found.push(row)
  return found
}

describe("userOperations", () => {
  it.live("userOperations: sends the query in the form of the interface and returns typed values", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage(operations))
      const rest = yield* clientOf(server)
      const { result } = yield* rest.userOperations({ ...query, chain: 1, role: "operation_sender", limit: 3 })

      expect(server.seen[0]?.url).toBe(`/api/v2.2/${wallet}/user_operations?chain=eth&role=operation_sender&limit=3`)
      expect(result[1]).toMatchObject({
        nonce: 2n ** 64n + 3n,
        success: false,
        revert_reason: "0xdeadbeef",
        paymaster: token,
        actual_gas_cost: 1_000n,
        log_index: 3,
      })
      expect(result.map((row) => row.entry_point_version)).toEqual(["0.7", "0.7", null])
    }),
  )

  it.live("userOperations: names an invalid role before a request is made", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage(operations))
      const rest = yield* clientOf(server)
      const refused = yield* Effect.result(rest.userOperations({ ...query, role: "factory" as "bundler" }))

      expect(Result.isFailure(refused) && refused.failure).toMatchObject({
        _tag: "BadRequest",
        parameter: "role",
      })
      expect(server.seen).toEqual([])
    }),
  )

  it.live(
    "userOperationsStream: returns each operation of a transaction once, with repeated rows, in both clients",
    () =>
      Effect.gen(function* () {
        const pages = () =>
          script(sendPage(operations.slice(0, 2), "a"), sendPage(operations.slice(1), "b"), sendPage([], null))
        const rest = yield* clientOf(yield* pages())
        const found = yield* Stream.runCollect(rest.userOperationsStream(query))
        const client = UserOperationClient.createUserOperationClient(optionsOf(yield* pages()))
        const promised = yield* Effect.promise(() => collect(client.userOperationsStream(query)))

        expect(found.map(({ block_number, log_index }) => [block_number, log_index])).toEqual([
          [2n, 7],
          [2n, 3],
          [1n, 0],
        ])
        expect(promised).toEqual(found)
      }),
  )
})
