/** Output of `daybook export`: standard output, or a file that is replaced once the export is complete. */
import { randomBytes } from "node:crypto"
import { accessSync, constants, createReadStream, existsSync, type Stats, statSync } from "node:fs"
import { type FileHandle, lstat, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ErrorCode from "../config/ErrorCode.ts"
import { CommandError } from "./CommandError.ts"

/** A new file is only readable by its owner. */
const fileMode = 0o600

const failed = (name: string) => (cause: unknown) =>
  new CommandError({ message: `Cannot write ${name}: ${cause instanceof Error ? cause.message : String(cause)}.` })

/** Throws the reason if a file cannot be written. A file that exists may be in a read-only folder: it is overwritten in place. */
const checkAccess = (path: string): void => {
  if (!existsSync(path)) return accessSync(dirname(path), constants.W_OK | constants.X_OK)
  if (statSync(path).isDirectory()) throw Object.assign(new Error("EISDIR"), { code: "EISDIR" })
  accessSync(path, constants.W_OK)
}

/** Rejects a file that cannot be written, before a search that may take hours. */
export const check = (path: string): Effect.Effect<void, CommandError> =>
  Effect.try({
    try: () => checkAccess(path),
    catch: (cause) => {
      const code = ErrorCode.of(cause)
      const reason = code === "ENOENT" ? `no folder ${dirname(path)}` : ErrorCode.reasonOf(cause)
      return new CommandError({ message: `Cannot write ${path} (${reason}). Name another file with --output.` })
    },
  })

export type Write = (text: string) => Effect.Effect<void, CommandError>

/** Writes to standard output at the pace of its reader. */
const toStandardOutput: Write = (text) =>
  Effect.tryPromise({
    try: () =>
      new Promise<void>((resolve, reject) => {
        process.stdout.write(text, (error) => {
          if (error == null) resolve()
          else reject(error)
        })
      }),
    catch: failed("standard output"),
  })

/** The stream also emits the error of a write, after that write has reported it. */
export const standardOutput = Effect.acquireRelease(
  Effect.sync(() => {
    const ignore = () => {}
    process.stdout.on("error", ignore)
    return ignore
  }),
  (ignore) => Effect.sync(() => void setImmediate(() => process.stdout.off("error", ignore))),
).pipe(Effect.as(toStandardOutput))

const toHandle =
  (file: FileHandle, name: string): Write =>
  (text) =>
    Effect.tryPromise({ try: () => file.appendFile(text), catch: failed(name) })

/** Errors of a folder that does not accept another file, or of a file that cannot be replaced, such as a mount point. */
const refusals: ReadonlySet<unknown> = new Set(["EACCES", "EBUSY", "ENAMETOOLONG", "EPERM", "EROFS", "EXDEV"])

/** Falls back to another way if the file system rejects the first. */
const whereRefused =
  <A>(other: () => A) =>
  (error: NodeJS.ErrnoException): A => {
    if (refusals.has(error.code)) return other()
    throw error
  }

interface Target {
  readonly file: FileHandle
  /** The file to replace once `part` is complete; undefined if it is written in place. */
  readonly replaced?: { readonly name: string; readonly part: string }
}

/** Opens a new file next to the given one, or the given one if its folder does not permit that or it is not a regular file, such as a pipe. */
const openTarget = async (path: string): Promise<Target> => {
  // A link to a missing file is written in place, which creates its target.
  const found: Stats | undefined = await stat(path)
    .catch(() => lstat(path))
    .catch(() => undefined)
  if (found === undefined || found.isFile()) {
    const name = found === undefined ? path : await realpath(path)
    const part = `${name}.${randomBytes(6).toString("hex")}.part`
    const file = await open(part, "wx", fileMode).catch(whereRefused(() => undefined))
    if (file !== undefined) {
      // A file system without modes rejects them.
      if (found !== undefined) await file.chmod(found.mode & 0o777).catch(() => undefined)
      return { file, replaced: { name, part } }
    }
  }
  return { file: await open(path, "w", fileMode) }
}

/** Replaces a file, or overwrites one that cannot be replaced. */
const replace = async (name: string, part: string): Promise<void> =>
  rename(part, name).catch(whereRefused(async () => writeFile(name, createReadStream(part))))

/** Writes a temporary file next to the target, which replaces the target once complete. A target that cannot be replaced is written in place. */
export const toFile = <A, E, R>(
  path: string,
  write: (write: Write) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | CommandError, R> => {
  const attempt = <B>(run: () => Promise<B>) => Effect.tryPromise({ try: run, catch: failed(path) })
  return Effect.acquireUseRelease(
    attempt(() => openTarget(path)),
    ({ file }) => write(toHandle(file, path)),
    ({ file, replaced }, exit) =>
      attempt(async () => {
        await file.close()
        if (replaced === undefined) return
        const { name, part } = replaced
        try {
          if (Exit.isSuccess(exit)) await replace(name, part)
        } finally {
          await rm(part, { force: true })
        }
      }),
  )
}
