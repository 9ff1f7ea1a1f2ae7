/**
 * Keeps what Node has compiled of the program, so that the next command starts in less time. Imports nothing but Node's own modules: what is
 * imported before is compiled anew each time.
 */
import * as NodeModule from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** The folder for what programs can make again. Source: XDG Base Directory Specification. */
export const folder = ({ XDG_CACHE_HOME: given = "" }: Readonly<Record<string, string | undefined>>): string =>
  join(isAbsolute(given) ? given : join(homedir(), ".cache"), "daybook")

/**
 * Begins to keep and to read it, unless the environment names another folder for it or turns it off (`NODE_COMPILE_CACHE`,
 * `NODE_DISABLE_COMPILE_CACHE`). It is not kept in the temporary folder, which is Node's default: other users can write there what would be
 * run here. Where the folder cannot be written, nothing is kept.
 *
 * Worker threads and serving processes read the folder from the environment, since the call is for one thread alone.
 */
export const enable = (): void => {
  try {
    const own = folder(process.env)
    const { status } = NodeModule.enableCompileCache(own)
    if (status === NodeModule.constants.compileCacheStatus.ENABLED) process.env["NODE_COMPILE_CACHE"] = own
  } catch {
    // There is no home.
  }
}
