/**
 * A memory control group of Linux, made by the operator, that services are started in: memory of their processes and the pages of files
 * that they read count towards its limit, so that a store can be larger than memory on any machine.
 */
import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exitWith } from "../BenchOptions.ts"

export interface MemoryGroup {
  /** Words before a command that start it in the group. */
  readonly launcher: ReadonlyArray<string>
  /** Sets the limit in bytes; no process may be in the group. */
  readonly limit: (bytes: number) => void
}

/** Files of the limit in versions 2 and 1 of control groups. */
const limitFiles = ["memory.max", "memory.limit_in_bytes"]

/** The group in a folder such as `/sys/fs/cgroup/daybook`, or an exit that states how to make one. */
export const fromFolder = (folder: string): MemoryGroup => {
  const limitFile = limitFiles.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (limitFile === undefined) {
    return exitWith(
      `No memory control group: ${folder}. Make one with mkdir below /sys/fs/cgroup, or below its memory/.`,
    )
  }
  const enter = 'echo $$ > "$0" && exec "$@"'
  return {
    launcher: ["sh", "-c", enter, join(folder, "cgroup.procs")],
    limit: (bytes) => writeFileSync(limitFile, String(bytes)),
  }
}

/** Removes the pages of a file from the system's page cache, so that the next reader has them in its own group. */
export const evict = (file: string): void => {
  execFileSync("dd", [`of=${file}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"])
}
