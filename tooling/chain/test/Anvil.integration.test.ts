import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { Anvil } from "@daybook/chain"
import { Eventually, Rpc } from "@daybook/harness"

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs `program.ts`, stops it by `signal` unless it exits by itself, and returns its output. */
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

/** Waits until a URL is unreachable. */
const unreachable = (url: string) =>
  Eventually.untilEffect(Effect.isFailure(Rpc.call(url, "eth_chainId")), { what: `${url} is unreachable` })

const header = (node: Anvil.Node, tag: string) =>
  node.call<{ readonly hash: string; readonly timestamp: string }>("eth_getBlockByNumber", [tag, false])

describe("Anvil", () => {
  describe("make", () => {
    it.live("make: serves the configured chain id and its accounts on 127.0.0.1", () =>
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

    it.live("make: spaces the timestamps of blocks evenly from the configured genesis", () =>
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

    it.live("make: removes its process and folder when the scope closes", () =>
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

    it.live("make: removes its process and folder when its fiber is interrupted", () =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<Anvil.Node>()
        const user = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              const node = yield* Anvil.make()
              yield* Deferred.succeed(started, node)
              return yield* node.died
            }),
          ),
        )
        const seen = yield* Deferred.await(started)
        yield* Fiber.interrupt(user)

        expect(alive(seen.pid)).toBe(false)
        expect(existsSync(seen.folder)).toBe(false)
      }),
    )

    it.live("make: removes its process and folder when its program receives SIGINT", () =>
      Effect.gen(function* () {
        const { url, folder } = yield* runProgram([], "SIGINT")

        yield* unreachable(url)
        expect(existsSync(folder)).toBe(false)
      }),
    )

    it.live("make: removes its process and folder when its program exits without closing the scope", () =>
      Effect.gen(function* () {
        const { url, folder } = yield* runProgram(["exit"])

        yield* unreachable(url)
        expect(existsSync(folder)).toBe(false)
      }),
    )

    it.live("make: fails with the last lines of output when the process ends at the start", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.make({ extraArguments: ["--no-such-option"] }))

        expect(error._tag).toBe("AnvilFailed")
        expect(error.message).toContain("anvil ended: exit code 2")
        expect(error.message).toContain("unexpected argument '--no-such-option'")
      }),
    )

    it.live("make: fails when the executable cannot be run", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.make({ binary: "/no/such/anvil" }))

        expect(error._tag).toBe("AnvilFailed")
        expect(error.message).toContain("/no/such/anvil")
      }),
    )
  })

  describe("died", () => {
    it.live("died: fails when the process is killed", () =>
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
    it.effect("findBinary: names the platform without an executable and what to do", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Anvil.findBinary("plan9-mips"))

        expect(error._tag).toBe("AnvilMissing")
        expect(error.platform).toBe("plan9-mips")
        expect(error.message).toContain("set the option binary")
      }),
    )
  })

  describe("layer", () => {
    it.live("layer: provides the node as a service", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        expect(yield* Rpc.call(node.url, "eth_blockNumber")).toBe("0x0")
      }).pipe(Effect.provide(Layer.fresh(Anvil.layer()))),
    )
  })
})

describe("Rpc", () => {
  describe("batch", () => {
    it.live("batch: returns results in the order of the calls", () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.make({ chainId: 7 })

        const results = yield* Rpc.batch(url, [{ method: "eth_blockNumber" }, { method: "eth_chainId" }])
        expect(results).toEqual(["0x0", "0x7"])
      }),
    )
  })

  describe("call", () => {
    it.live("call: fails with the code of the error object", () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.make()

        const error = yield* Effect.flip(Rpc.call(url, "eth_noSuchMethod"))
        expect(error.method).toBe("eth_noSuchMethod")
        expect(error.code).toBe(-32601)
      }),
    )
  })
})
