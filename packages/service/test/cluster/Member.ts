/** Processes of a cluster that are killed and restarted; each writes its output to a separate file. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { Effect } from "effect"

export interface Program {
  readonly name: string
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
  readonly gid?: number
  readonly log: string
}

/** A process that can be ended and restarted. */
export interface Member {
  readonly name: string
  readonly start: () => void
  /** Ends the process with a signal and waits for its exit. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  /** Sends a signal that does not end the process. */
  readonly signal: (signal: NodeJS.Signals) => void
  readonly isRunning: () => boolean
  /** Process id, once started. */
  readonly pid: () => number
}

/** Creates a process without starting it. */
export const make = ({ args, env, file, gid, log, name, uid }: Program): Member => {
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  return {
    name,
    isRunning,
    pid: () => child?.pid ?? 0,
    start: () => {
      const output = openSync(log, "a")
      child = spawn(file, args, {
        uid,
        gid,
        cwd: "/",
        env: { ...process.env, ...env },
        stdio: ["ignore", output, output],
      })
    },
    end: async (signal) => {
      if (child === undefined || !isRunning()) return
      const ended = once(child, "exit")
      child.kill(signal)
      await ended
    },
    signal: (signal) => void child?.kill(signal),
  }
}

/** Runs a process until the scope ends. */
export const running = (program: Program) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const member = make(program)
      member.start()
      return member
    }),
    (member) => Effect.promise(() => member.end("SIGTERM")),
  )
