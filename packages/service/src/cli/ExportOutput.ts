/** Where `daybook export` writes: standard output, or a file that is replaced once the export is whole. */
import { randomBytes } from "node:crypto"
import { createReadStream, type Stats } from "node:fs"
import { type FileHandle, lstat, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandError } from "./CommandError.ts"

/** A new file can be read by its owner alone. */
const fileMode = 0o600

const failed = (name: string) => (cause: unknown) =>
  new CommandError({ message: `Cannot write ${name}: ${cause instanceof Error ? cause.message : String(cause)}.` })

export type Write = (text: string) => Effect.Effect<void, CommandError>

/** Writes to standard output as fast as its reader reads. */
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

/** The stream emits the error of a write as well, after that write has reported it. */
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

/** Errors of a folder that takes no other file, or of a file that no other may replace, such as a mount point. */
const refusals: ReadonlySet<unknown> = new Set(["EACCES", "EBUSY", "ENAMETOOLONG", "EPERM", "EROFS", "EXDEV"])

/** Another way where the file system refuses one. */
const whereRefused =
  <A>(other: () => A) =>
  (error: NodeJS.ErrnoException): A => {
    if (refusals.has(error.code)) return other()
    throw error
  }

interface Target {
  readonly file: FileHandle
  /** The file that is replaced once `part` is whole; undefined for one that is written in place. */
  readonly replaced?: { readonly name: string; readonly part: string }
}

/** Opens a new file beside the given one, or the given one where its folder refuses that or where it is no regular file, such as a pipe. */
const openTarget = async (path: string): Promise<Target> => {
  // A link to a file that does not exist is written in place: the file is made behind it.
  const found: Stats | undefined = await stat(path)
    .catch(() => lstat(path))
    .catch(() => undefined)
  if (found === undefined || found.isFile()) {
    const name = found === undefined ? path : await realpath(path)
    const part = `${name}.${randomBytes(6).toString("hex")}.part`
    const file = await open(part, "wx", fileMode).catch(whereRefused(() => undefined))
    if (file !== undefined) {
      // A file system without modes refuses them.
      if (found !== undefined) await file.chmod(found.mode & 0o777).catch(() => undefined)
      return { file, replaced: { name, part } }
    }
  }
  return { file: await open(path, "w", fileMode) }
}

/** Replaces a file, or copies to one that cannot be replaced. */
const replace = async (name: string, part: string): Promise<void> =>
  rename(part, name).catch(whereRefused(async () => writeFile(name, createReadStream(part))))

/** Writes a file under another name beside it, which replaces the file once it is whole; what cannot be replaced is written in place. */
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
