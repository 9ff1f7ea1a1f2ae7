/** Runs programs of the benchmark beside it: the service by its command line, a node that replays, a server written by hand. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"

const here = import.meta.dirname
const main = join(here, "../../packages/service/src/main.ts")
const node = (args: ReadonlyArray<string>) => ["--no-warnings", ...args]

/** A program that runs. */
export interface Program {
  readonly child: ChildProcess
  readonly stop: () => Promise<void>
}

const program = (child: ChildProcess): Program => ({
  child,
  stop: async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  },
})

/** A program that prints a line when it is ready, and that line. */
export const start = async (
  script: string,
  args: ReadonlyArray<string>,
): Promise<Program & { readonly line: string }> => {
  const child = spawn(process.execPath, node([join(here, script), ...args]), { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return { ...program(child), line: String(line).trim() }
}

/** A configuration, and a key to what it starts. */
export interface Configured {
  readonly file: string
  readonly key: string
}

/** The same with a relay that keeps no answer. */
export const withoutCache = ({ file, key }: Configured): Configured => {
  const other = join(dirname(file), "uncached.json")
  writeFileSync(other, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), relay: { cacheMebibytes: 0 } }))
  return { file: other, key }
}

/** Writes a configuration of one chain, `bench`, into a folder, and makes a key. */
export const configure = (folder: string, rpc: string): Configured => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "daybook.json")
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { bench: { id: 31337, rpc: [rpc] } },
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
  }
  writeFileSync(file, JSON.stringify(config))
  const args = node([main, "keys", "add", "bench", "--config", file])
  const stdio = ["ignore", "pipe", "ignore"] as const
  return { file, key: execFileSync(process.execPath, args, { encoding: "utf8", stdio: [...stdio] }).trim() }
}

/** Starts the service; resolves with its origin when it listens. */
export const service = async (file: string, role: "all" | "serve"): Promise<Program & { readonly origin: string }> => {
  const child = spawn(process.execPath, node([main, "serve", "--config", file, "--role", role]), {
    stdio: ["ignore", "ignore", "pipe"],
  })
  for await (const line of createInterface({ input: child.stderr! })) {
    const origin = /Listening on (http:\/\/\S+?);/.exec(line)?.[1]
    if (origin === undefined) continue
    child.stderr!.resume()
    return { ...program(child), origin }
  }
  throw new Error("the service ended before it listened")
}

/** Waits until the chain follows its head. */
export const ready = async (origin: string): Promise<void> => {
  for (;;) {
    const response = await fetch(`${origin}/ready?chain=bench`)
    await response.arrayBuffer()
    if (response.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
