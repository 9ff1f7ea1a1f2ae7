/**
 * Runs the service as a process with a small heap, and measures the effect of an attack on its memory, its event loop and the latency of
 * `/health`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { addKey, main } from "../cli/daybook.ts"
import * as Client from "./Client.ts"
import * as Probe from "./Probe.ts"

/** Options to start the service. */
export interface Options {
  /** Configuration in addition to `listen`. */
  readonly config: Readonly<Record<string, unknown>>
  /** Database URL. Default: a folder of SQLite files. */
  readonly database?: string
  readonly role: string
  /** Fills the folder of the database before the service starts. */
  readonly prepare?: (folder: string) => Promise<void>
  /** URLs of modules that each thread loads before the service. */
  readonly imports?: ReadonlyArray<string>
  /** Bound of the JavaScript heap, in MiB. Default 1024. */
  readonly heapMebibytes?: number
}

/** Measurements since the previous measurement. */
export interface Measured {
  /** Highest resident memory of the process, in MiB. */
  readonly peakMebibytes: number
  /** Longest turn of the event loop, in milliseconds of CPU time. */
  readonly turnMillis: number
  /** 99th percentile of the latency of `/health`, in milliseconds. */
  readonly healthP99Millis: number
  /** Number of requests to `/health`. */
  readonly healthCount: number
  /** Failed requests to `/health`. */
  readonly failures: ReadonlyArray<string>
}

export interface AttackedService {
  readonly url: string
  readonly folder: string
  readonly pid: number
  /** Sends a message to the process, for a module of `imports`. */
  readonly notify: (message: object) => void
  readonly key: (name: string) => Promise<string>
  /** Runs the code paths of every attack once, so that their compilation is not measured. */
  readonly warmUp: () => Promise<void>
  readonly measure: () => Promise<Measured>
  /** Exit code or signal of the process; undefined while it runs. */
  readonly ended: () => string | undefined
  readonly output: () => string
  readonly stop: () => Promise<void>
}

/** Waits until the service has printed its URL. */
const listening = async (child: ChildProcess, output: () => string): Promise<string> => {
  for (;;) {
    const url = /Listening on (https?:\S+?);/.exec(output())?.[1]
    if (url !== undefined) return url
    if (child.exitCode !== null) throw new Error(`The service ended: ${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const peakOf = (pid: number): number => {
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  // Writing 5 resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  return Number(kibibytes) / 1024
}

const everyMillis = 20

const reply = async (target: { once: (event: "message", listener: (value: unknown) => void) => unknown }) =>
  await new Promise<unknown>((resolve) => target.once("message", resolve))

export const start = async (options: Options): Promise<AttackedService> => {
  const { config, database = "sqlite:data", heapMebibytes = 1024, imports = [], prepare, role } = options
  const folder = mkdtempSync(join(tmpdir(), "daybook-attack-"))
  const listen = { host: "127.0.0.1", port: 0 }
  writeFileSync(join(folder, "daybook.json"), JSON.stringify({ listen, database, ...config }))
  await prepare?.(join(folder, "data"))
  const loaded = [new URL("./loop.ts", import.meta.url).href, ...imports].flatMap((url) => ["--import", url])
  const flags = [`--max-old-space-size=${heapMebibytes}`, ...loaded]
  const child = spawn(process.execPath, [...flags, main, "serve", "--config", "daybook.json", "--role", role], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  let output = ""
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr!.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const url = await listening(child, () => output)
  const probe = Probe.start({ urls: [`${url}/health`], everyMillis })

  const ended = () =>
    child.exitCode === null && child.signalCode === null
      ? undefined
      : `exit ${child.exitCode ?? child.signalCode}: ${output.slice(-300)}`

  const measure = async (): Promise<Measured> => {
    const { failures, millis } = await probe.read()
    if (ended() !== undefined) {
      return { peakMebibytes: NaN, turnMillis: Infinity, healthP99Millis: Infinity, healthCount: 0, failures }
    }
    const loop = reply(child)
    child.send("read")
    const { longestMillis } = (await loop) as { longestMillis: number }
    const healthP99Millis = Client.percentile(millis, 0.99)
    return {
      peakMebibytes: peakOf(child.pid!),
      turnMillis: longestMillis,
      healthP99Millis,
      healthCount: millis.length,
      failures,
    }
  }

  const service: AttackedService = {
    url,
    folder,
    pid: child.pid!,
    notify: (message) => void child.send(message),
    key: async (name) => await Effect.runPromise(addKey(folder, name, database)),
    warmUp: async () => {
      const key = await service.key("warm-up")
      const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" })
      for (let turn = 0; turn < 20; turn++) {
        await Client.page(service, key, `0x${"0".repeat(40)}`)
        await Client.relay(service, key, call)
      }
      const ping = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "chains", arguments: {} },
      })
      const headers = { "x-api-key": key, "content-type": "application/json" }
      await Client.send(`${url}/mcp`, { method: "POST", headers, body: ping })
      await measure()
    },
    measure,
    ended,
    output: () => output,
    stop: async () => {
      await probe.stop()
      if (ended() === undefined) {
        const closed = once(child, "close")
        child.kill("SIGTERM")
        await closed
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return service
}
