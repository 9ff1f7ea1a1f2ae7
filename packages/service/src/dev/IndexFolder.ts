/** The folder of the index of `daybook dev`: in memory where there is room, as the index is made again from the node, whatever happens to it. */
import { mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memoryFolder = "/dev/shm"

/** Bytes that are free in memory at least: a container has 64 MiB there, which an index fills. */
const minFreeBytes = 2 ** 30

const temporary = (parent: string): string => mkdtempSync(join(parent, "daybook-dev-"))

const hasRoom = (folder: string, bytes: number): boolean => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= bytes
}

/** Makes a new folder. */
export const make = (memory = memoryFolder, bytes = minFreeBytes): string => {
  try {
    if (hasRoom(memory, bytes)) return temporary(memory)
  } catch {
    // The system has no such folder, or it cannot be written.
  }
  return temporary(tmpdir())
}
