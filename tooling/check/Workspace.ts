/**
 * The repository for the checks: its root, its packages and their sources. The list of packages is explicit, because the other checks
 * derive their rules from it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"

/** The root folder of the repository. */
export const root = dirname(dirname(import.meta.dirname))

/** Folders of the published packages, in dependency order. */
export const published = ["schema", "abi", "transport", "rest", "rpc", "testkit", "service"] as const

/** The parts of a package.json that the checks read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, unknown>>
  /** Replaces the fields above in the published package. */
  readonly publishConfig?: Pick<Manifest, "exports" | "imports">
  readonly imports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Reads the package.json of a folder. */
export const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const skipped = new Set(["node_modules", "dist", "fixtures", "artifacts", "generated", ".turbo", ".git", ".examples"])

/** Paths of all files under a folder, with forward slashes, relative to it and sorted; build output is left out. */
export const files = (folder: string, ending: string): ReadonlyArray<string> => {
  const walk = (path: string): ReadonlyArray<string> => {
    try {
      return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
        if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(join(path, entry.name))
        return entry.name.endsWith(ending) ? [relative(folder, join(path, entry.name)).split(sep).join("/")] : []
      })
    } catch {
      return []
    }
  }
  return walk(folder).toSorted()
}

/** Result of a command. */
export interface Finished {
  readonly code: number
  /** Standard output and standard error, interleaved. */
  readonly output: string
  readonly standardOutput: string
}

/** How to run a command. */
export interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMillis?: number
  /** The processes that the command starts end with it, at its time limit and when this process exits. */
  readonly isGroup?: boolean
}

/** Ends the process group of a child at a time limit or when this process exits; returns a function that stops watching. */
const boundGroup = (child: ChildProcess, timeoutMillis: number | undefined): (() => void) => {
  const stop = () => {
    // Sound: a child without an id was not started.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  }
  const timer = timeoutMillis === undefined ? undefined : setTimeout(stop, timeoutMillis)
  // The child must end before the files that it writes are removed.
  process.prependOnceListener("exit", stop)
  return () => {
    clearTimeout(timer)
    process.off("exit", stop)
  }
}

/** Runs a command without a shell and without standard input. */
export const run = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}): Promise<Finished> =>
  new Promise((resolve) => {
    const { isGroup = false, timeoutMillis } = options
    const path = `${join(root, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
      ...(isGroup ? { detached: true } : timeoutMillis === undefined ? {} : { timeout: timeoutMillis }),
    })
    const release = isGroup ? boundGroup(child, timeoutMillis) : () => undefined
    let output = ""
    let standardOutput = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      standardOutput += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.on("error", (error) => resolve({ code: 1, output: `${output}${error.message}\n`, standardOutput }))
    child.on("close", (code, signal) => {
      release()
      const complete = signal === null ? output : `${output}stopped by ${signal}\n`
      resolve({ code: code ?? 1, output: complete, standardOutput })
    })
  })

/** Prints the issues of a check and sets the exit code; without an issue it prints `success`. */
export const report = (check: string, issues: ReadonlyArray<string>, success: string): void => {
  for (const issue of issues) console.error(`${check}: ${issue}`)
  if (issues.length > 0) process.exitCode = 1
  else console.log(`${check}: ${success}`)
}
