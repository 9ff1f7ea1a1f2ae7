/** The service from its command line: a configuration of one chain with a key, and `daybook serve` in its own process. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import * as ChildProgram from "../ChildProgram.ts"

/** The command of this checkout, run from source. */
export const sources = join(import.meta.dirname, "../../../packages/service/src/main.ts")

/** A configuration file and a key of the service that it starts. */
export interface Configuration {
  /** File of the command that is run. */
  readonly command: string
  readonly file: string
  readonly key: string
}

/** Writes a configuration of one chain, `bench`, without a limit on requests into a folder and creates a key. */
export const configure = (
  folder: string,
  rpc: string,
  command: string = sources,
  chain: object = {},
  database = "sqlite:data",
): Configuration => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "daybook.json")
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    database,
    chains: { bench: { id: 31337, rpc: [rpc], ...chain } },
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
  }
  writeFileSync(file, JSON.stringify(config))
  const args = ["--no-warnings", command, "keys", "add", "bench", "--config", file]
  const key = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  return { command, file, key: key.trim() }
}

/** The same configuration with some fields replaced, in a separate file. */
export const change = (configuration: Configuration, name: string, fields: object): Configuration => {
  const file = join(dirname(configuration.file), `${name}.json`)
  const config = JSON.parse(readFileSync(configuration.file, "utf8")) as object
  writeFileSync(file, JSON.stringify({ ...config, ...fields }))
  return { ...configuration, file }
}

/** A service that listens at `origin`. Its standard error after that is in `errors`. */
export type ServiceProcess = ChildProgram.ChildProgram & { readonly origin: string; readonly errors: Readable }

/** Starts the service; resolves once it listens. */
export const start = async (
  { command, file }: Configuration,
  role: "all" | "serve",
  options: ReadonlyArray<string> = [],
): Promise<ServiceProcess> => {
  const args = ["--no-warnings", command, "serve", "--config", file, "--role", role, ...options]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  let text = ""
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const origin = /Listening on .*?(http:\/\/127\.0\.0\.1:\d+)/i.exec(text)?.[1]
    if (origin === undefined) continue
    child.stderr.resume()
    return { ...ChildProgram.fromProcess(child), origin, errors: child.stderr }
  }
  throw new Error(`The service ended before it listened: ${text.slice(-2000)}`)
}

/** Runs a command to completion; returns its output. */
export const run = ({ command, file }: Configuration, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, ["--no-warnings", command, ...args, "--config", file], (error, output, errors) => {
      if (error === null) resolve(output.trim())
      else reject(new Error(`daybook ${args.join(" ")} failed: ${output}${errors}`))
    })
  })

/** Waits until the chain is indexed to its head. */
export const untilReady = async (origin: string): Promise<void> => {
  for (;;) {
    const response = await fetch(`${origin}/ready?chain=bench`)
    await response.arrayBuffer()
    if (response.status === 200) return
    await sleep(50)
  }
}

/** Indexes the chain to its head and stops. */
export const index = async (configuration: Configuration): Promise<void> => {
  const service = await start(configuration, "all")
  await untilReady(service.origin)
  await service.stop()
}
