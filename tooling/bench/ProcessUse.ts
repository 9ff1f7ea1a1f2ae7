/** What a running process has used so far, where there is a /proc. */
import { readFileSync } from "node:fs"

const read = (pid: number, name: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return undefined
  }
}

/** CPU time in microseconds. */
export const cpuMicros = (pid: number): number | undefined => {
  // The name of the program, in parentheses, may hold spaces. User and system time follow, in ticks of 10 ms.
  const fields = read(pid, "stat")?.split(") ").at(-1)?.split(" ")
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10_000
}
