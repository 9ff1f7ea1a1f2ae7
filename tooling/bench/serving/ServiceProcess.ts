/** The service by its command line: a configuration of one chain with a key, and `daybook serve` in a process of its own. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import * as ChildProgram from "../ChildProgram.ts"

/** The root folder of this checkout. */
export const checkout = join(import.meta.dirname, "../../..")

/** A configuration file and a key of the service that it starts. */
export interface Configuration {
  /** The checkout whose service is started. */
  readonly root: string
  readonly file: string
  readonly key: string
}

const daybook = (root: string, args: ReadonlyArray<string>) => [
  "--no-warnings",
  join(root, "packages/service/src/main.ts"),
  ...args,
]

/** Writes a configuration of one chain, `bench`, without a limit on requests into a folder and creates a key. */
export const configure = (folder: string, rpc: string, root: string = checkout): Configuration => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "daybook.json")
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { bench: { id: 31337, rpc: [rpc] } },
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
  }
  writeFileSync(file, JSON.stringify(config))
  const args = daybook(root, ["keys", "add", "bench", "--config", file])
  const key = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  return { root, file, key: key.trim() }
}

/** The same configuration with some fields replaced, in a file of its own. */
export const change = (configuration: Configuration, name: string, fields: object): Configuration => {
  const file = join(dirname(configuration.file), `${name}.json`)
  const config = JSON.parse(readFileSync(configuration.file, "utf8")) as object
  writeFileSync(file, JSON.stringify({ ...config, ...fields }))
  return { ...configuration, file }
}

/** A service that listens at `origin`. */
export type ServiceProcess = ChildProgram.ChildProgram & { readonly origin: string }

/** Starts the service; resolves when it listens. */
export const start = async (
  { file, root }: Configuration,
  role: "all" | "serve",
  options: ReadonlyArray<string> = [],
): Promise<ServiceProcess> => {
  const own = daybook(root, ["serve", "--config", file, "--role", role, ...options])
  const child = spawn(process.execPath, own, { stdio: ["ignore", "ignore", "pipe"] })
  const lines: Array<string> = []
  for await (const line of createInterface({ input: child.stderr })) {
    const origin = /Listening on .*?(http:\/\/127\.0\.0\.1:\d+)/i.exec(line)?.[1]
    if (origin !== undefined) {
      child.stderr.resume()
      return { ...ChildProgram.fromProcess(child), origin }
    }
    lines.push(line)
  }
  throw new Error(`The service ended before it listened: ${lines.slice(-5).join("\n")}`)
}

/** Runs a command to its end; its output. */
export const run = ({ file, root }: Configuration, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, daybook(root, [...args, "--config", file]), (error, output, errors) => {
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
