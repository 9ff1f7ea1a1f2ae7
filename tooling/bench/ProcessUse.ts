/** What a running process has used so far, on systems with /proc. */
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string | undefined => {
  try {
    return readFileSync(`/proc/${path}`, "utf8")
  } catch {
    return undefined
  }
}

/** The name of the program, in parentheses, may contain spaces. User and system time follow, in ticks of 10 ms. */
const microsOf = (stat: string | undefined): number | undefined => {
  const fields = stat?.split(") ").at(-1)?.split(" ")
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** CPU time of all threads, in microseconds. */
export const cpuMicros = (pid: number): number | undefined => microsOf(read(`${pid}/stat`))

/** CPU time of each thread by thread id, in microseconds. */
export const threadMicros = (pid: number): ReadonlyMap<string, number> => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return new Map(threads.map((thread) => [thread, microsOf(read(`${pid}/task/${thread}/stat`)) ?? 0]))
  } catch {
    return new Map()
  }
}

/** Peak memory, in bytes. */
export const peakBytes = (pid: number): number | undefined => {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(read(`${pid}/status`) ?? "")?.[1]
  return found === undefined ? undefined : Number(found) * 1024
}

/** Bytes written to files so far. */
export const writtenBytes = (pid: number): number | undefined => {
  const found = /^wchar: (\d+)$/m.exec(read(`${pid}/io`) ?? "")?.[1]
  return found === undefined ? undefined : Number(found)
}
