/**
 * Caches the code that Node has compiled, so that the next command starts faster. Imports only Node's own modules, because whatever is
 * imported earlier is compiled anew each time.
 */
import * as NodeModule from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** Folder for files that programs can recreate. Source: XDG Base Directory Specification. */
export const folder = ({ XDG_CACHE_HOME: given = "" }: Readonly<Record<string, string | undefined>>): string =>
  join(isAbsolute(given) ? given : join(homedir(), ".cache"), "daybook")

/**
 * Enables the compile cache, unless the environment sets another folder or disables it (`NODE_COMPILE_CACHE`,
 * `NODE_DISABLE_COMPILE_CACHE`). The temporary folder, Node's default, is not used, because other users could place code there that would
 * be executed here. If the folder cannot be written, nothing is cached.
 *
 * Worker threads and serving processes read the folder from the environment, since the call only applies to one thread.
 */
export const enable = (): void => {
  try {
    const own = folder(process.env)
    const { status } = NodeModule.enableCompileCache(own)
    if (status === NodeModule.constants.compileCacheStatus.ENABLED) process.env["NODE_COMPILE_CACHE"] = own
  } catch {
    // There is no home folder.
  }
}
