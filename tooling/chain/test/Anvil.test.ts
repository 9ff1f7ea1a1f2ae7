import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { Anvil } from "@daybook/chain"
import { Rpc } from "@daybook/testkit"

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs `program.ts`, ends it by `signal` unless it ends by itself, and returns what it printed. */
const runProgram = (args: ReadonlyArray<string>, signal?: NodeJS.Signals) =>
  Effect.promise(async () => {
    const file = fileURLToPath(new URL("program.ts", import.meta.url))
    const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] })
    const [line] = await once(child.stdout, "data")
    const ended = once(child, "exit")
    if (signal !== undefined) child.kill(signal)
    await ended
    const [url, folder] = JSON.parse(String(line)) as [string, string]
    return { url, folder }
  })

/** Waits until nothing answers at a URL; a killed process may take a moment. */
const silent = (url: string) =>
  Effect.flip(Rpc.call(url, "eth_chainId")).pipe(Effect.retry({ times: 200, schedule: Schedule.spaced("10 millis") }))

const header = (node: Anvil.Node, tag: string) =>
  node.call<{ readonly hash: string; readonly timestamp: string }>("eth_getBlockByNumber", [tag, false])

describe("Anvil", () => {
  describe("make", () => {
    it.live("serves the chain id it was given, with its accounts, on 127.0.0.1", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ chainId: 11_155_111, accounts: 3 })

        expect(yield* node.call("eth_chainId")).toBe("0xaa36a7")
        expect(node.chainId).toBe(11_155_111)
        expect(node.url).toBe(`http://127.0.0.1:${node.port}`)
        expect(node.accounts).toEqual([
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
        ])
      }),
    )

    it.live("spaces the timestamps of blocks evenly from the given genesis", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ genesisTimestamp: 1_800_000_000, blockIntervalSeconds: 5 })
        yield* node.call("evm_mine")
        yield* node.call("evm_mine")

        const timestamps = yield* Effect.forEach(["0x0", "0x1", "0x2"], (tag) => header(node, tag))
        expect(timestamps.map(({ timestamp }) => Number(timestamp))).toEqual([
          1_800_000_000, 1_800_000_005, 1_800_000_010,
        ])
      }),
    )

    it.live("leaves no process and no folder behind its scope", () =>
      Effect.gen(function* () {
        const seen = yield* Effect.scoped(
          Effect.gen(function* () {
            const node = yield* Anvil.make()
            expect(alive(node.pid)).toBe(true)
            expect(existsSync(node.folder)).toBe(true)
            return node
          }),
        )

        expect(alive(seen.pid)).toBe(false)
        expect(existsSync(seen.folder)).toBe(false)
        expect((yield* Effect.flip(seen.call("eth_chainId")))._tag).toBe("RpcFailure")
      }),
    )

    it.live("leaves nothing behind when its user is interrupted", () =>
      Effect.gen(function* () {
        let seen: Anvil.Node | undefined
        const user = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              seen = yield* Anvil.make()
              return yield* seen.died
            }),
          ),
        )
        while (seen === undefined) yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(user)

        expect(alive(seen.pid)).toBe(false)
        expect(existsSync(seen.folder)).toBe(false)
      }),
    )

    it.live("leaves nothing behind when its program gets Ctrl-C", () =>
      Effect.gen(function* () {
        const { url, folder } = yield* runProgram([], "SIGINT")

        yield* silent(url)
        expect(existsSync(folder)).toBe(false)
      }),
    )

    it.live("leaves nothing behind when its program exits without closing its scope", () =>
      Effect.gen(function* () {
        const { url, folder } = yield* runProgram(["exit"])

        yield* silent(url)
        expect(existsSync(folder)).toBe(false)
      }),
    )

    it.live("fails with the last lines when the process ends at its start", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.make({ extraArguments: ["--no-such-option"] }))

        expect(error._tag).toBe("AnvilFailed")
        expect(error.message).toContain("anvil ended with exit code 2")
        expect(error.message).toContain("unexpected argument '--no-such-option'")
      }),
    )

    it.live("fails when the executable cannot be run", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.make({ binary: "/no/such/anvil" }))

        expect(error._tag).toBe("AnvilFailed")
        expect(error.message).toContain("/no/such/anvil")
      }),
    )
  })

  describe("died", () => {
    it.live("fails when the node is killed under its user", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        process.kill(node.pid, "SIGKILL")

        const error = yield* Effect.flip(node.died)
        expect(error.message).toContain("anvil ended")
        expect(error.exitCode).toBe(null)
      }),
    )
  })

  describe("findBinary", () => {
    it.effect("names the platform that has no build and what to do", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.findBinary("plan9-mips"))

        expect(error._tag).toBe("AnvilMissing")
        expect(error.platform).toBe("plan9-mips")
        expect(error.message).toContain("Give the path of an anvil as binary")
      }),
    )
  })

  describe("layer", () => {
    it.live("provides the node as a service", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        expect(yield* Rpc.call(node.url, "eth_blockNumber")).toBe("0x0")
      }).pipe(Effect.provide(Layer.fresh(Anvil.layer()))),
    )
  })
})

describe("Rpc", () => {
  describe("batch", () => {
    it.live("returns results in the order of the calls", () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.make({ chainId: 7 })

        const results = yield* Rpc.batch(url, [{ method: "eth_blockNumber" }, { method: "eth_chainId" }])
        expect(results).toEqual(["0x0", "0x7"])
      }),
    )
  })

  describe("call", () => {
    it.live("fails with the code of the node's error object", () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.make()

        const error = yield* Effect.flip(Rpc.call(url, "eth_noSuchMethod"))
        expect(error.method).toBe("eth_noSuchMethod")
        expect(error.code).toBe(-32601)
      }),
    )
  })
})
