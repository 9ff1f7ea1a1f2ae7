/** Programs that run beside a benchmark in their own process: started, and stopped with SIGTERM. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"

export interface ChildProgram {
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** A child process that has been started. */
export const fromProcess = (child: ChildProcess): ChildProgram => ({
  pid: child.pid ?? 0,
  stop: async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  },
})

/** Starts a script that prints one line when it is ready; resolves with that line. */
export const start = async (
  script: string,
  args: ReadonlyArray<string> = [],
): Promise<ChildProgram & { readonly line: string }> => {
  const child = spawn(process.execPath, ["--no-warnings", script, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  const failed = once(child, "exit").then(() => {
    throw new Error(`The script ended before it was ready: ${script}.`)
  })
  const [line] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer]
  return { ...fromProcess(child), line: String(line).trim() }
}
