/** The file system in memory, for temporary files: a disk makes a database wait for each commit, and an installation for each file. */
import { existsSync, readFileSync, statfsSync } from "node:fs"

const folder = "/dev/shm"

/** Bytes that must be free. */
const wantedBytes = 4 * 2 ** 30

/** The folder of a file system in memory from which programs can be run; undefined if there is none, or too little room. */
export const memoryFolder = (): string | undefined => {
  if (!existsSync(folder) || !existsSync("/proc/mounts")) return undefined
  const { bavail, bsize } = statfsSync(folder)
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === folder)
  const canRun = mount !== undefined && !mount.includes("noexec")
  return canRun && bavail * bsize >= wantedBytes ? folder : undefined
}
