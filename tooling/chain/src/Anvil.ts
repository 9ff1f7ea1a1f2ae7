/**
 * Anvil as a scoped service: a real EVM node in its own process, for programs and tests that need a chain without a network.
 *
 * It listens on a free port of 127.0.0.1, keeps its files in a temporary folder, and ends with its scope. The same options and
 * transactions give the same blocks. It does not fork other chains.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import * as Rpc from "@daybook/harness/Rpc"

/** Default mnemonic of the node's accounts. Public: never use its keys on a real chain. */
export const mnemonic = "test test test test test test test test test test test junk"

/** How to start a node. */
export interface Options {
  /** EIP-155 chain id. Default 31337. */
  readonly chainId?: number
  /** TCP port; 0, the default, takes a free one. */
  readonly port?: number
  /** Time of block 0, in Unix seconds. Default 1767225600, the start of 2026 in UTC. */
  readonly genesisTimestamp?: number
  /** Seconds between the timestamps of two blocks. Default 12. */
  readonly blockIntervalSeconds?: number
  /** Mine a block for each transaction immediately. Default false: `evm_mine` mines. */
  readonly autoMine?: boolean
  /** Number of accounts with keys in the node. Default 10. */
  readonly accounts?: number
  /** BIP-39 phrase of the accounts. Default `mnemonic`. */
  readonly mnemonic?: string
  /** EVM hard fork. Default `prague`. */
  readonly hardfork?: string
  /** Path of the executable. Default: the one installed by `@foundry-rs/anvil` for this platform. */
  readonly binary?: string
  /** Number of old block states kept on disk, in addition to the newest few hundred in memory. Default 0. */
  readonly persistedStates?: number
  /** Number of old block states kept in memory, with none on disk. Default: the newest few hundred, and `persistedStates` on disk. */
  readonly statesInMemory?: number
  /** Additional command-line arguments, appended last. */
  readonly extraArguments?: ReadonlyArray<string>
}

/** A running node. */
export interface Node {
  /** HTTP endpoint, for example `http://127.0.0.1:40123`. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly chainId: number
  /** Process id. */
  readonly pid: number
  readonly mnemonic: string
  /** Addresses of the accounts in derivation order, lower case. */
  readonly accounts: ReadonlyArray<string>
  /** Temporary folder of the node's cache; removed when the scope closes. */
  readonly folder: string
  /** Calls one JSON-RPC method; see `Rpc.call`. */
  readonly call: <A = unknown>(method: string, params?: ReadonlyArray<unknown>) => Effect.Effect<A, Rpc.RpcFailure>
  /** Never succeeds; fails when the process ends before its scope closes. */
  readonly died: Effect.Effect<never, AnvilFailed>
}

/** There is no anvil executable for this platform: install the package's optional dependency, or set `binary`. */
export class AnvilMissing extends Schema.TaggedError<AnvilMissing>()("AnvilMissing", {
  /** Node's platform and architecture, for example `linux-x64`. */
  platform: Schema.String,
  message: Schema.String,
}) {}

/** The process ended or did not listen in time. */
export class AnvilFailed extends Schema.TaggedError<AnvilFailed>()("AnvilFailed", {
  message: Schema.String,
  /** Exit code; null when a signal ended the process or it never ran. */
  exitCode: Schema.NullOr(Schema.Number),
  /** Last lines of the output, oldest first. */
  lastLines: Schema.Array(Schema.String),
}) {}

/** The embedded chain of the surrounding program. */
export class Anvil extends Context.Service<Anvil, Node>()("@daybook/chain/Anvil") {}

const host = "127.0.0.1"
const startTimeoutMillis = 20_000
const stopTimeoutMillis = 3_000
const keptLines = 20

const packages: Readonly<Record<string, string>> = {
  "linux-x64": "anvil-linux-amd64",
  "linux-arm64": "anvil-linux-arm64",
  "darwin-x64": "anvil-darwin-amd64",
  "darwin-arm64": "anvil-darwin-arm64",
  "win32-x64": "anvil-win32-amd64",
}

/** Finds the executable installed for a platform; by default for this machine. */
export const findBinary = (
  platform: string = `${process.platform}-${process.arch}`,
): Effect.Effect<string, AnvilMissing> => {
  const name = packages[platform]
  if (name === undefined) {
    const known = Object.keys(packages).join(", ")
    const message = `No anvil executable for this platform: ${platform}. Use one of ${known}, or set the option binary.`
    return Effect.fail(new AnvilMissing({ platform, message }))
  }
  const file = `@foundry-rs/${name}/bin/anvil${platform.startsWith("win32") ? ".exe" : ""}`
  return Effect.try({
    try: () => {
      const parent = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
      return createRequire(parent).resolve(file)
    },
    catch: () =>
      new AnvilMissing({
        platform,
        message: `Package not installed: ${file}. Install with optional dependencies, or set the option binary.`,
      }),
  })
}

const commandLine = (options: Options, folder: string): ReadonlyArray<string> => [
  "--host",
  host,
  "--port",
  String(options.port ?? 0),
  "--chain-id",
  String(options.chainId ?? 31337),
  "--timestamp",
  String(options.genesisTimestamp ?? 1_767_225_600),
  "--mnemonic",
  options.mnemonic ?? mnemonic,
  "--accounts",
  String(options.accounts ?? 10),
  "--hardfork",
  options.hardfork ?? "prague",
  "--order",
  "fifo",
  "--cache-path",
  folder,
  ...(options.statesInMemory === undefined
    ? ["--max-persisted-states", String(options.persistedStates ?? 0)]
    : ["--prune-history", String(options.statesInMemory)]),
  ...(options.autoMine === true ? [] : ["--no-mining"]),
  ...(options.extraArguments ?? []),
]

interface Process {
  readonly child: ChildProcess
  readonly lines: Array<string>
  readonly ended: Promise<number | null>
}

const start = (binary: string, args: ReadonlyArray<string>): Process => {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] })
  const lines: Array<string> = []
  const keep = (stream: NodeJS.ReadableStream | null) => {
    let rest = ""
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split(/\r?\n/)
      rest = parts.pop() ?? ""
      for (const line of parts) {
        if (line.trim() === "") continue
        lines.push(line.trim())
        if (lines.length > keptLines) lines.shift()
        child.emit("line", line.trim())
      }
    })
  }
  keep(child.stdout)
  keep(child.stderr)
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => resolve(code))
    child.once("error", (cause) => {
      lines.push(cause.message)
      resolve(null)
    })
  })
  return { child, lines, ended }
}

const failed = ({ lines }: Process, exitCode: number | null, what: string) => {
  const lastLines = [...lines]
  const output = lastLines.length === 0 ? "It printed nothing." : `Last lines of its output:\n${lastLines.join("\n")}`
  return new AnvilFailed({ exitCode, lastLines, message: `${what} ${output}` })
}

const died = (process: Process): Effect.Effect<never, AnvilFailed> =>
  Effect.promise(() => process.ended).pipe(
    Effect.flatMap((code) => Effect.fail(failed(process, code, `anvil ended: exit code ${code ?? "none"}.`))),
  )

const stop = ({ child, ended }: Process): Effect.Effect<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Effect.void
  return Effect.sync(() => child.kill("SIGTERM")).pipe(
    Effect.andThen(Effect.promise(() => ended)),
    Effect.timeoutOrElse({
      duration: stopTimeoutMillis,
      orElse: () => Effect.sync(() => child.kill("SIGKILL")).pipe(Effect.andThen(Effect.promise(() => ended))),
    }),
    Effect.asVoid,
  )
}

const listening = (process: Process): Effect.Effect<number, AnvilFailed> =>
  Effect.callback<number>((resume) => {
    const read = (line: string) => {
      const port = /Listening on \S+:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resume(Effect.succeed(Number(port)))
    }
    process.child.on("line", read)
    return Effect.sync(() => process.child.off("line", read))
  }).pipe(
    Effect.raceFirst(died(process)),
    Effect.timeoutOrElse({
      duration: startTimeoutMillis,
      orElse: () => Effect.fail(failed(process, null, `anvil is not listening after ${startTimeoutMillis} ms.`)),
    }),
  )

/** Runs `cleanUp` when this process exits while the scope is open. */
const onProcessExit = (cleanUp: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => process.on("exit", cleanUp)),
    () => Effect.sync(() => process.off("exit", cleanUp)),
  )

/**
 * Starts a node and waits until it responds. Closing the scope stops the process and removes its folder.
 *
 * **Errors**
 * - `AnvilMissing`: there is no executable for this platform.
 * - `AnvilFailed`: the process ended or did not listen; the message holds the last lines of its output.
 */
export const make = Effect.fn("Anvil.make")(function* (
  options: Options = {},
): Effect.fn.Return<Node, AnvilMissing | AnvilFailed, Scope.Scope> {
  const binary = options.binary ?? (yield* findBinary())
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-anvil-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  let running: Process | undefined
  yield* onProcessExit(() => {
    running?.child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })
  const process = yield* Effect.acquireRelease(
    Effect.sync(() => (running = start(binary, commandLine(options, folder)))),
    stop,
  )
  const port = yield* listening(process)
  const url = `http://${host}:${port}`
  const call: Node["call"] = (method, params) => Rpc.call(url, method, params)
  const prepare = Effect.gen(function* () {
    yield* call("anvil_setBlockTimestampInterval", [options.blockIntervalSeconds ?? 12])
    return yield* call<ReadonlyArray<string>>("eth_accounts")
  })
  const accounts = yield* prepare.pipe(
    Effect.catch((cause) =>
      Effect.fail(failed(process, null, `anvil is listening but does not respond: ${cause.message}.`)),
    ),
  )
  return {
    url,
    host,
    port,
    chainId: options.chainId ?? 31337,
    pid: process.child.pid ?? 0,
    mnemonic: options.mnemonic ?? mnemonic,
    accounts: accounts.map((address) => address.toLowerCase()),
    folder,
    call,
    died: died(process),
  }
})

/** Provides a running node until the layer is released. */
export const layer = (options: Options = {}): Layer.Layer<Anvil, AnvilMissing | AnvilFailed> =>
  Layer.effect(Anvil, make(options))
