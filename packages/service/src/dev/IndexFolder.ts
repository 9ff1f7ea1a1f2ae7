/** The index folder of `daybook dev`: in memory if there is room, because the index can always be rebuilt from the node. */
import { mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memoryFolder = "/dev/shm"

/** Minimum free bytes in memory: a container has 64 MiB there, which an index fills. */
const minFreeBytes = 2 ** 30

const temporary = (parent: string): string => mkdtempSync(join(parent, "daybook-dev-"))

const hasRoom = (folder: string, bytes: number): boolean => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= bytes
}

/** Creates a new folder. */
export const make = (memory = memoryFolder, bytes = minFreeBytes): string => {
  try {
    if (hasRoom(memory, bytes)) return temporary(memory)
  } catch {
    // The system has no such folder, or it is not writable.
  }
  return temporary(tmpdir())
}
