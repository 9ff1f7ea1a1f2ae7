/** Signed statements of a service over an indexed chain, checked with its node. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SignedStatement from "@daybook/schema/SignedStatement"
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Config from "../../../src/config/Config.ts"
import * as Service from "../../../src/Service.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { daybook, timeout } from "../../cli/daybook.ts"
import { caughtUp, start } from "../../indexer/chain.ts"
import * as TestStore from "../../store/TestStore.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import { request } from "../service.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

/** An index of the chain from a block, and requests to a service over it. */
const indexed = Effect.fnUntraced(function* (fromBlock: number, isSigning = true) {
  const node = yield* Anvil.Anvil
  const { lastBlock: head } = yield* Scenario.Scenario
  const base = yield* temporaryFolder
  const chains = { dev: { id: node.chainId, rpc: [node.url], fromBlock } }
  const signing = isSigning ? { signingKey: "signing-key.pem" } : {}
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains, ...signing }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  const { out: publicKey } = yield* daybook(base, "signing-key", "make")
  yield* Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* Engine.fromUrl("sqlite:data", base)
      const store = yield* TestStore.open(engine, { name: "dev", id: node.chainId })
      const indexer = yield* start(store, [node.url], { fromBlock, finalityBlocks: 2 })
      yield* indexer.until(caughtUp(head))
      yield* indexer.stop
      yield* store.finalize(head - 2)
    }),
  )
  const ask = Effect.fnUntraced(function* (wallet: string, query = "") {
    const decoded = yield* Effect.fromResult(Config.decode(config))
    const { address, keys } = yield* Service.run(decoded, { roles: ["rest"], baseFolder: base })
    const key = Redacted.value((yield* keys.add({ name: `${wallet}${query}`, operator: false, empty: null }))!)
    const url = `${address!.url}/api/v2.2/${wallet}/statement/signed?chain=dev${query}`
    return yield* request(url, { headers: { "x-api-key": key } })
  }, Effect.scoped)
  const verify = (text: string, ...more: ReadonlyArray<string>) => {
    writeFileSync(join(base, "statement.json"), text)
    return daybook(base, "verify-statement", "statement.json", "--rpc", node.url, ...more)
  }
  return { base, head, publicKey: publicKey.trim(), ask, verify }
})

layer(scenario, { excludeTestServices: true })("signed statements", (it) => {
  it.effect("a compared wallet's statement is verified with the node, with the movements that a search finds", () =>
    Effect.gen(function* () {
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      for (const [fromBlock, wallet] of [
        [0, accounts.alice],
        [9, accounts.bob],
      ] as const) {
        const { ask, base, publicKey, verify } = yield* indexed(fromBlock)
        const at = ["--chain", "dev", "--at", String(lastBlock - 3)]
        const reconciled = yield* daybook(base, "reconcile", wallet, contracts.multisend, ...at)
        const { status, text: body } = yield* ask(wallet)
        const verified = yield* verify(body, "--public-key", publicKey, "--address", wallet, "--rows")
        const statement = Schema.decodeUnknownSync(SignedStatement.SignedStatement)(JSON.parse(body))

        expect([reconciled.code, status, verified.err, verified.code]).toEqual([0, 200, "", 0])
        expect(statement.header).toMatchObject({ source: "index", from_block: BigInt(fromBlock) })
        expect(statement.header.closing_block.number).toBe(BigInt(lastBlock - 3))
        expect(statement.statements[0]).toMatchObject({ proved: true, by_state_root: ["native", "nonce"] })
        expect(SignedStatement.toText(statement)).toBe(body)

        const { text: ofContract } = yield* ask(contracts.multisend)
        const [balances, rows] = [yield* verify(ofContract), yield* verify(ofContract, "--rows")]

        expect([balances.code, rows.code]).toEqual([0, 1])
        expect(rows.err).toContain(
          "An index also has movements that cancel out within a block, which a search does not find.",
        )
      }
    }),
  )

  it.effect("a part of the index is reported as not compared, with balances equal to the chain's", () =>
    Effect.gen(function* () {
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { ask, base, verify } = yield* indexed(0)
      yield* daybook(base, "reconcile", accounts.alice, "--chain", "dev", "--at", String(lastBlock - 3))
      const { text: body, status } = yield* ask(accounts.alice, "&from_block=5&to_block=11")
      const verified = yield* verify(body, "--rows")

      expect([status, verified.code]).toEqual([200, 1])
      expect(verified.err).toContain(`Not proved: ${accounts.alice}. What is stated is on the chain`)
      expect(verified.out).toContain("the movements were found again")
    }),
  )

  it.effect(
    "nothing is signed without a key, at a block that is not final, or before the opening balances are known",
    () =>
      Effect.gen(function* () {
        const { accounts } = yield* Scenario.Scenario
        const { ask, head } = yield* indexed(0)
        const unsigned = yield* (yield* indexed(0, false)).ask(accounts.alice)
        const notFinal = yield* ask(accounts.alice, `&to_block=${head}`)
        const unknown = yield* ask(accounts.alice)

        expect([unsigned.status, JSON.parse(unsigned.text).message]).toEqual([
          404,
          "Statements not signed: this service has no signingKey. Use the operation statement.",
        ])
        expect([notFinal.status, JSON.parse(notFinal.text).message]).toEqual([
          400,
          `Invalid query parameter "to_block": expected a final block, up to ${head - 2}, received ${head}.`,
        ])
        expect(unknown.status).toBe(503)
        expect(JSON.parse(unknown.text).message).toContain("Opening balance not known yet: native.")
      }),
  )
})
