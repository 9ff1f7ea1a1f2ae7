import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { addKey, daybook, daybookProcess, timeout, withConfig } from "./daybook.ts"

describe("daybook status", () => {
  it.live(
    "status: --json prints the status of each chain as one line of JSON",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()

        const ended = yield* daybookProcess(base, "status", "--json")

        expect(ended.code).toBe(1)
        expect(ended.out.trim().split("\n")).toHaveLength(1)
        expect(JSON.parse(ended.out)).toMatchObject({
          ready: false,
          chains: [{ chain: "eth", chainId: 1, state: "not_started", indexed: null, head: null, lag: null }],
        })
      }),
    timeout,
  )

  it.live(
    "status: --chain selects chains, and a name outside the configuration is refused",
    () =>
      Effect.gen(function* () {
        const node = { rpc: ["http://127.0.0.1:65535"] }
        const base = yield* withConfig({ chains: { eth: node, base: node } })

        const one = yield* daybook(base, "status", "--chain", "base")
        const unknown = yield* daybook(base, "status", "--chain", "bsc")

        expect(one.out).toMatch(/^base: .*\n$/)
        expect(one.err.trim()).toBe("daybook: Not ready: base.")
        expect(unknown).toMatchObject({
          code: 2,
          out: "",
          err: 'daybook: Invalid option "--chain": expected a chain of the configuration (eth, base), received "bsc".\n',
        })
      }),
    timeout,
  )

  it.live(
    "status: prints several chains as a table, followed by a line for each",
    () =>
      Effect.gen(function* () {
        const node = { rpc: ["http://127.0.0.1:65535"] }
        const base = yield* withConfig({ chains: { eth: node, arbitrum: node } })

        const { code, out } = yield* daybook(base, "status")

        expect(code).toBe(1)
        expect(out.split("\n").slice(0, 3)).toEqual([
          "CHAIN     STATE        INDEXED  HEAD     LAG",
          "eth       not_started  nothing  unknown",
          "arbitrum  not_started  nothing  unknown",
        ])
        expect(out.split("\n").slice(3)).toEqual([
          expect.stringMatching(/^eth: traces unknown\. /),
          expect.stringMatching(/^arbitrum: traces unknown\. /),
          "",
        ])
      }),
    timeout,
  )

  it.live.each([
    [
      ["status", "--cofnig", "x"],
      "Unrecognized flag: --cofnig in command daybook status. Did you mean --config?",
      "daybook status",
    ],
    [["statsu"], 'Unknown subcommand "statsu" for "daybook". Did you mean status?', "daybook"],
    [["verify", "--sample"], "Missing value for flag --sample. Expected: N.", "daybook verify"],
  ] as const)(
    "daybook %s: prints one line, only on standard error, and exits with 2",
    ([args, reason, command]) =>
      Effect.gen(function* () {
        const ended = yield* daybook(yield* withConfig(), ...args)

        expect(ended).toEqual({ code: 2, out: "", err: `daybook: ${reason} Run "${command} --help".\n` })
      }),
    timeout,
  )

  it.live(
    "status: reports a file of API keys in the place of a chain's file",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* addKey(base, "alice")
        copyFileSync(join(base, "data/daybook.sqlite"), join(base, "data/chain-eth.sqlite"))

        const ended = yield* daybook(base, "status")

        expect(ended.code).toBe(1)
        expect(ended.out).toMatch(/^eth: unreadable, nothing indexed, head unknown, traces unknown\. /)
        expect(ended.out).toContain("chain-eth.sqlite")
        expect(ended.out).toContain("API keys")
      }),
    timeout,
  )
})
