/** Files with a secret, which their owner alone may read. No message shows their text. */
import { randomBytes } from "node:crypto"
import { closeSync, fstatSync, linkSync, openSync, readSync, rmSync, writeFileSync } from "node:fs"
import * as Result from "effect/Result"
import * as ErrorCode from "./ErrorCode.ts"

/** Bytes that are read of a file at most. */
const maxBytes = 4_096

/** Permissions of others than the owner. */
const othersMode = 0o077

const attempt = <A>(run: () => A): Result.Result<A, string> =>
  Result.try({ try: run, catch: (cause) => ErrorCode.of(cause, "unreadable") })

/**
 * Makes a file, whole or not at all: a reader never finds a part of it. Fails with the code of the operating system, `EEXIST` where the file
 * exists.
 */
export const make = (path: string, text: string): Result.Result<void, string> => {
  const written = `${path}.${randomBytes(8).toString("hex")}`
  return attempt(() => {
    try {
      writeFileSync(written, text, { flag: "wx", mode: 0o600 })
      linkSync(written, path)
    } finally {
      rmSync(written, { force: true })
    }
  })
}

/** The text of a file, at most its first 4,096 bytes, and whether others than its owner may read it. */
export interface SecretText {
  readonly text: string
  readonly isOpen: boolean
}

/** Reads a file. Fails with the code of the operating system. */
export const read = (path: string): Result.Result<SecretText, string> =>
  attempt(() => {
    const file = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(maxBytes)
      const text = bytes.toString("utf8", 0, readSync(file, bytes))
      return { text, isOpen: process.platform !== "win32" && (fstatSync(file).mode & othersMode) !== 0 }
    } finally {
      closeSync(file)
    }
  })
