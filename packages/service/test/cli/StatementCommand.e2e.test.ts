/** Statements and exports by the command line, from only a node. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as server from "../node/server.ts"
import { daybook, daybookProcess, ReadsOutput, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8")

/** The command of the README, for another node and another block. */
const commandOfReadme = (url: string, at: number): ReadonlyArray<string> => {
  const [, address = ""] = /^daybook statement (0x[0-9a-f]{40}) --rpc \S+ --at \d+$/m.exec(readme) ?? []
  return ["statement", address, "--rpc", url, "--at", String(at)]
}

layer(scenario, { excludeTestServices: true })("daybook statement and daybook export", (it) => {
  it.effect("statement: the command of the README proves a wallet, for people and for programs", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const base = yield* temporaryFolder
      const command = commandOfReadme(url, lastBlock)
      const text = yield* daybookProcess(base, ...command)
      const json = yield* daybook(base, ...command, accounts.bob, "--json")
      const lines = json.out.trim().split("\n")

      expect(text.code).toBe(0)
      expect(text.out).toMatch(
        /^0x70997970c51812dc3a010c7d01b50e0d17dc79c8 on chain 31337, blocks 0 to \d+, \d+ transactions$/m,
      )
      expect(text.out).toMatch(/^proved: (\d+) of \1 sent transactions, \d+ balances compared, 0 differences$/m)
      expect(text.err).toMatch(/^\d+ calls in \d+ requests, /m)
      expect(json.code).toBe(0)
      expect(lines).toHaveLength(2)
      expect(JSON.parse(lines[1]!)).toMatchObject({
        address: accounts.bob,
        chain: "chain 31337",
        block_number: lastBlock,
        proved: true,
        differences: [],
      })
    }),
  )

  it.effect("statement: exits with code 1 if a balance is not the sum of the movements", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const node = yield* server.start(
        {
          eth_getBalance: (params) => (Number(params[1]) < 11 ? forward("eth_getBalance", params) : { result: "0x1" }),
        },
        forward,
      )
      const args = ["statement", accounts.ivan, "--rpc", node.url, "--at", String(lastBlock), "--json"]
      const { code, err, out } = yield* daybook(yield* temporaryFolder, ...args)

      expect(code).toBe(1)
      expect(JSON.parse(out)).toMatchObject({ proved: false })
      expect(JSON.parse(out).differences[0]).toMatchObject({ asset: "native", first_block: 11, found: "1" })
      expect(err).toContain(`Not proved: ${accounts.ivan}. See the differences.`)
    }),
  )

  it.effect("export: exits with code 1 if a balance is not proved, unless that is allowed, with the same output", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const node = yield* server.start(
        {
          eth_getBalance: (params) => (Number(params[1]) < 11 ? forward("eth_getBalance", params) : { result: "0x1" }),
        },
        forward,
      )
      const args = ["export", accounts.ivan, "--rpc", node.url, "--at", String(lastBlock), "--format", "beancount"]
      const refused = yield* daybook(yield* temporaryFolder, ...args, "--output", "out.beancount")
      const strict = yield* daybookProcess(yield* temporaryFolder, ...args)
      const allowed = yield* daybookProcess(yield* temporaryFolder, ...args, "--allow-unproved")

      expect([refused.code, strict.code, allowed.code]).toEqual([1, 1, 0])
      expect(strict.out).toContain("; not proved: the chain has 0.000000000000000001\n")
      expect(allowed.out).toBe(strict.out)
      expect(strict.err).toContain("Not proved: 1 balance. The export is complete;")
      for (const { err } of [strict, allowed]) expect(err).toMatch(/ \d+ of \d+ balances proved$/m)
    }),
  )

  it.effect.each([["export", "--format", "csv"], ["statement"]] as const)(
    "%s: a closed output pipe is an error on one line",
    ([command, ...more]) =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const args = [command, accounts.alice, ...more, "--rpc", url, "--at", String(lastBlock)]
        const { code, err } = yield* daybookProcess(yield* temporaryFolder, ...args).pipe(
          Effect.provideService(ReadsOutput, false),
        )

        expect(code).toBe(1)
        expect(err.split("\n").filter((line) => line.startsWith("daybook: "))).toEqual([
          expect.stringMatching(/^daybook: Cannot write standard output: .*EPIPE.*\.$/),
        ])
        expect(err).not.toMatch(/^\s+at /m)
      }),
  )

  it.effect("export: writes one line per movement to a file, and names an invalid address", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const base = yield* temporaryFolder
      const args = ["--rpc", url, "--at", String(lastBlock), "--format"]
      const csv = yield* daybook(base, "export", accounts.alice, ...args, "csv", "--output", "out.csv")
      const bounded = ["csv", "--max-calls", "60", "--output", "out.csv"]
      const whole = readFileSync(join(base, "out.csv"), "utf8")
      const failed = yield* daybook(base, "export", accounts.alice, ...args, ...bounded)
      const invalid = yield* daybook(base, "export", "0x12", ...args, "csv")
      const lines = readFileSync(join(base, "out.csv"), "utf8").trim().split("\r\n")
      const [names, ...rows] = lines.map((line) => line.split(","))
      const at = (name: string) => names!.indexOf(name)
      const native = rows.filter((row) => row[at("asset")] === "native")
      const sum = native.reduce((total, row) => total + BigInt(row[at("amount_in_smallest_unit")]!), 0n)
      const node = yield* Anvil.Anvil
      const balance = yield* node.call<string>("eth_getBalance", [accounts.alice, `0x${lastBlock.toString(16)}`])

      expect([failed.code, readFileSync(join(base, "out.csv"), "utf8") === whole]).toEqual([1, true])
      expect(readdirSync(base).filter((name) => name.startsWith("out.csv"))).toEqual(["out.csv"])
      expect(csv.code).toBe(0)
      expect(csv.err).toMatch(/^(\d+) movements; (\d+) of \2 balances proved$/m)
      expect(csv.err).toContain(`${rows.length} movements; `)
      expect(sum).toBe(BigInt(balance))
      expect(invalid).toMatchObject({ code: 2, out: "" })
      expect(invalid.err).toContain(
        'Invalid option "ADDRESS": expected an address of 20 bytes in hex, received "0x12".',
      )
    }),
  )

  it.effect("export: writes wallets of several chains to one file, whose sums equal the balances on each chain", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const other = yield* Anvil.make({ chainId: 8_453, persistedStates: 200 })
      const { accounts } = yield* Scenario.Scenario
      const [from, to] = [accounts.alice, accounts.bob]
      yield* other.call("eth_sendTransaction", [{ from, to, value: "0x7", gas: "0x5208" }])
      // The last final block of anvil is 64 blocks below the newest.
      for (const one of [node, other]) yield* one.call("anvil_mine", ["0x60"])
      const args = ["export", from, to, "--rpc", node.url, "--rpc", other.url, "--format", "ndjson"]
      const { code, err, out } = yield* daybookProcess(yield* temporaryFolder, ...args)
      const rows = out
        .trim()
        .split("\n")
        .map((line): Readonly<Record<string, string>> => JSON.parse(line))
      const sumOf = (chainId: number, wallet: string) =>
        rows
          .filter(
            (row) => Number(row["chain_id"]) === chainId && row["address"] === wallet && row["asset"] === "native",
          )
          .reduce((sum, row) => sum + BigInt(row["amount"]!), 0n)
      const balanceOf = (of: Anvil.Node, wallet: string) =>
        Effect.map(of.call<string>("eth_getBalance", [wallet, "finalized"]), BigInt)

      expect(code).toBe(0)
      expect(err).toMatch(/^(\d+) movements; (\d+) of \2 balances proved$/m)
      for (const wallet of [from, to]) {
        expect(sumOf(31_337, wallet)).toBe(yield* balanceOf(node, wallet))
        expect(sumOf(8_453, wallet)).toBe(yield* balanceOf(other, wallet))
      }
      expect(sumOf(8_453, to)).not.toBe(sumOf(31_337, to))
    }).pipe(Effect.scoped),
  )

  it.effect("export: bounds blocks by dates, including the last, and rejects a date together with a block", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      yield* node.call("anvil_mine", ["0x60"])
      const times = yield* Effect.forEach(
        Array.from({ length: lastBlock + 1 }, (_, number) => number),
        (number) =>
          Effect.map(
            node.call<{ readonly timestamp: string }>("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]),
            ({ timestamp }) => Number(timestamp),
          ),
      )
      const [from, to] = [times[6]!, times[lastBlock - 4]!]
      const textOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "")
      const args = ["export", accounts.alice, "--rpc", node.url, "--format", "csv"]
      const dated = yield* daybookProcess(
        yield* temporaryFolder,
        ...args,
        "--from-date",
        textOf(from),
        "--to-date",
        textOf(to),
      )
      const first = String(times.findIndex((time) => time >= from))
      const last = String(times.findLastIndex((time) => time <= to))
      const blocks = yield* daybookProcess(yield* temporaryFolder, ...args, "--from-block", first, "--at", last)
      const both = yield* daybook(yield* temporaryFolder, ...args, "--from-date", textOf(from), "--from-block", "1")
      const none = yield* daybook(yield* temporaryFolder, ...args, "--from-date", "2024-13-01")
      const indexed = ["export", accounts.alice, "--chain", "eth", "--format", "csv", "--max-calls", "1"]
      const bounded = yield* daybook(yield* temporaryFolder, ...indexed)
      const reversed = yield* daybook(
        yield* temporaryFolder,
        ...args,
        "--from-date",
        "2024-01-02",
        "--to-date",
        "2024-01-01",
      )
      const future = yield* daybook(yield* temporaryFolder, ...args, "--from-date", "2999-01-01")
      const past = yield* daybook(yield* temporaryFolder, ...args, "--to-date", "1999-12-31")

      expect([dated.code, blocks.code]).toEqual([0, 0])
      expect(dated.out).toBe(blocks.out)
      expect(dated.out.split("\r\n").length).toBeGreaterThan(3)
      expect([both, none, reversed, future, past, bounded].map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
      expect(bounded.err).toContain(
        'Invalid option "--max-calls": expected this option only with --rpc, received it with --config or --chain.',
      )
      expect(both.err).toContain(
        'Invalid option "--from-date": expected either --from-date or --from-block, received both.',
      )
      expect(none.err).toContain('expected a date such as 2024-01-31 or 2024-01-31T12:00:00Z, received "2024-13-01".')
      expect(reversed.err).toContain(
        'Invalid option "--to-date": expected 2024-01-02 or a later date, received 2024-01-01.',
      )
      expect(future.err).toContain(
        'Invalid option "--from-date": expected dates with a final block of the chain between them, received none.',
      )
      expect(past.err).toContain(
        'Invalid option "--to-date": expected dates with a final block of the chain between them, received none.',
      )
    }),
  )

  it.effect("export: rejects two nodes of one chain, a block for several chains, and an invalid URL", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts } = yield* Scenario.Scenario
      const args = ["export", accounts.alice, "--rpc", url, "--rpc", url, "--format", "csv"]
      const twice = yield* daybook(yield* temporaryFolder, ...args)
      const block = yield* daybook(yield* temporaryFolder, ...args, "--at", "5")
      const address = yield* daybook(yield* temporaryFolder, "statement", accounts.alice, "--rpc", "127.0.0.1:8545")

      expect(twice).toMatchObject({ code: 2, out: "" })
      expect(twice.err).toContain(
        'Invalid option "--rpc": expected one node for each chain, received two of chain 31337.',
      )
      expect(block).toMatchObject({ code: 2, out: "" })
      expect(block.err).toContain('Invalid option "--at": expected one chain if a block is given, received several.')
      expect(address.err).toContain('Invalid option "--rpc": expected an http or https URL')
    }),
  )
})
