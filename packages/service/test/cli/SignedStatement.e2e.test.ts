/** Signed statements by the command line, checked against nodes of real chains. */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { canonicalJson } from "@daybook/schema/SignedStatement"
import * as SigningKey from "../../src/signed/SigningKey.ts"
import * as server from "../node/server.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { daybook, daybookProcess, timeout } from "./daybook.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

/** A folder with a key, and the file of a signed statement of wallets. */
const signed = Effect.fnUntraced(function* (url: string, wallets: ReadonlyArray<string>, at: number) {
  const base = yield* temporaryFolder
  const made = yield* daybook(base, "signing-key", "make")
  const args = ["statement", ...wallets, "--rpc", url, "--at", String(at), "--signed", "--no-keep"]
  const { code, err, out } = yield* daybook(base, ...args)
  writeFileSync(join(base, "statement.json"), out)
  return { base, publicKey: made.out.trim(), code, err, text: out }
})

layer(scenario, { excludeTestServices: true })("daybook statement --signed and daybook verify-statement", (it) => {
  it.effect(
    "verify-statement: verifies a correct statement and its movements on an archive node, without an index",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
        const wallets = [accounts.alice, accounts.bob, contracts.multisend]
        const { base, code, publicKey, text } = yield* signed(url, wallets, lastBlock)
        const key = ["--public-key", publicKey]
        const verified = yield* daybookProcess(
          base,
          "verify-statement",
          "statement.json",
          "--rpc",
          url,
          ...key,
          "--rows",
        )
        const shown = yield* daybook(base, "signing-key", "show")
        const pem = readFileSync(join(base, "signing-key.pem"), "utf8")
        const secret = pem.split("\n")[1]!

        expect([code, verified.err, verified.code]).toEqual([0, "", 0])
        expect(verified.out).toMatch(
          new RegExp(
            `^${accounts.alice}: \\d+ balances equal to the chain; ETH and transaction count verified against the state root$`,
            "m",
          ),
        )
        expect(verified.out).toContain("the movements were found again\n")
        expect(verified.out.trim().split("\n").at(-1)).toBe("verified")
        expect(shown.out.trim()).toBe(publicKey)
        expect(JSON.parse(text).signature.public_key).toBe(publicKey)
        for (const output of [text, verified.out, shown.out, shown.err]) expect(output).not.toContain(secret)
      }),
  )

  it.effect(
    "verify-statement: rejects, with the reason, a statement with a changed byte, of another chain, or lacking a wallet",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const other = yield* Anvil.make({ chainId: 8_453 })
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const { base, text } = yield* signed(url, [accounts.alice, accounts.bob], lastBlock)
        const verify = (file: string, node: string, ...more: ReadonlyArray<string>) => {
          writeFileSync(join(base, "other.json"), file)
          return daybook(base, "verify-statement", "other.json", "--rpc", node, ...more)
        }
        const { header, signature, statements } = JSON.parse(text)
        const [first] = statements
        const balance: string = first.closing[0].balance
        const changed = text.replace(
          `"balance":"${balance}"`,
          `"balance":"${balance.slice(0, -1)}${(Number(balance.at(-1)) + 1) % 10}"`,
        )
        const byByte = yield* verify(changed, url)
        const byChain = yield* verify(text, other.url)
        const byWallet = yield* verify(`${JSON.stringify({ header, signature, statements: [first] })}\n`, url)
        const byExpected = yield* verify(text, url, "--address", accounts.carol)
        const byKey = yield* verify(text, url, "--public-key", `0x${"11".repeat(32)}`)

        expect([byByte, byChain, byWallet, byExpected, byKey].map(({ code, out }) => [code, out])).toEqual(
          Array.from({ length: 5 }, () => [1, ""]),
        )
        expect(byByte.err).toContain(`Statement refused: the part of ${accounts.alice} was changed: its SHA-256 is `)
        expect(byChain.err).toContain(
          "Statement refused: it belongs to another chain: its chain id is 31337, but the node has 8453.",
        )
        expect(byWallet.err).toContain(
          `Statement refused: wallet missing: the header names ${accounts.bob}, but the file has no part for it.`,
        )
        expect(byExpected.err).toContain(`Statement refused: wallet missing: ${accounts.carol} is not in the file.`)
        expect(byKey.err).toContain("Statement refused: it is signed by another key: expected 0x1111")
      }).pipe(Effect.scoped),
  )

  it.effect(
    "verify-statement: shows each text on one line with every character visible, and accepts movements by other rules",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts } = yield* Scenario.Scenario
        const { base, text } = yield* signed(url, [accounts.bob], 1)
        const key = yield* SigningKey.read(join(base, "signing-key.pem"))
        const verify = (changes: object, ...more: ReadonlyArray<string>) => {
          const wire = JSON.parse(text)
          wire.statements[0].rows.sha256 = `0x${"11".repeat(32)}`
          const sha256 = `0x${createHash("sha256").update(canonicalJson(wire.statements[0])).digest("hex")}`
          Object.assign(wire.header, { ...changes, wallets: [{ address: accounts.bob, sha256 }] })
          wire.signature.value = key.sign(canonicalJson(wire.header))
          writeFileSync(join(base, "statement.json"), `${canonicalJson(wire)}\n`)
          return daybook(base, "verify-statement", "statement.json", "--rpc", url, ...more)
        }
        const shown = yield* verify({ made_by: "none\u001b[2J\nverified" })
        const same = yield* verify({}, "--rows")
        const earlier = yield* verify({ ledger_revision: "3" }, "--rows")

        expect(shown.out).toContain(" with none[U+001B][2J verified at ")
        expect(same.err).toContain(`Statement refused: the movements of ${accounts.bob} differ: `)
        expect(earlier.err).toMatch(
          /Movements not confirmed: .* follows revision 3 of the rules .* of daybook follows revision \d+\./,
        )
      }),
  )

  it.effect("verify-statement: rejects a statement of a reorged block, with the reason", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make({ persistedStates: 200 })
      const [from, to] = [node.accounts[0]!, node.accounts[1]!]
      const pay = (value: string) => node.call("eth_sendTransaction", [{ from, to, value, gas: "0x5208" }])
      yield* pay("0x7")
      yield* node.call("evm_mine", [])
      const snapshot = yield* node.call("evm_snapshot", [])
      yield* pay("0x9")
      yield* node.call("evm_mine", [])
      const { base, code } = yield* signed(node.url, [from], 2)
      const before = yield* daybook(base, "verify-statement", "statement.json", "--rpc", node.url)
      yield* node.call("evm_revert", [snapshot])
      yield* pay("0x8")
      yield* node.call("evm_mine", [])
      const after = yield* daybook(base, "verify-statement", "statement.json", "--rpc", node.url)

      expect([code, before.code, after.code]).toEqual([0, 0, 1])
      expect(after.err).toMatch(
        /Statement refused: block 2 was replaced by a reorg, or never was: the statement has 0x[0-9a-f]{64}, the chain 0x[0-9a-f]{64}\./,
      )
    }).pipe(Effect.scoped),
  )

  it.effect(
    "verify-statement: detects a node that lies about balances by the state root, and trusts a node without proofs",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const forward = server.forward(url)
        const lie: server.Response = async (params) => {
          const reply = await forward("eth_getBalance", params)
          if (params[0] !== accounts.bob || typeof reply !== "object" || !("result" in reply)) return reply
          return { result: `0x${(BigInt(String(reply.result)) + 5n).toString(16)}` }
        }
        const lying = yield* server.start({ eth_getBalance: lie }, forward)
        const without = yield* server.start({ eth_getBalance: lie, eth_getProof: server.missing }, forward)
        const false_ = yield* signed(without.url, [accounts.bob], lastBlock)
        const trusted = yield* daybook(false_.base, "verify-statement", "statement.json", "--rpc", without.url)
        const found = yield* daybook(false_.base, "verify-statement", "statement.json", "--rpc", url)
        const right = yield* signed(url, [accounts.bob], lastBlock)
        const contradicted = yield* daybook(right.base, "verify-statement", "statement.json", "--rpc", lying.url)

        expect([false_.code, trusted.code, found.code, contradicted.code]).toEqual([0, 0, 1, 1])
        expect(trusted.out).toMatch(/the node was trusted for ETH too: 127\.0\.0\.1:\d+ has no eth_getProof$/m)
        expect(found.err).toMatch(
          /Statement refused: ether of 0x[0-9a-f]{40} at block 0: the statement has 10000\.000000000000000005, the node has 10000\./,
        )
        expect(contradicted.err).toContain("Statement refused: ")
      }),
  )
})
