/** Files with a secret, readable only by their owner. No message shows their contents. */
import { randomBytes } from "node:crypto"
import { closeSync, fstatSync, linkSync, openSync, readSync, rmSync, writeFileSync } from "node:fs"
import * as Result from "effect/Result"
import * as ErrorCode from "./ErrorCode.ts"

/** Maximum number of bytes read from a file. */
const maxBytes = 4_096

/** Permission bits of users other than the owner. */
const othersMode = 0o077

const attempt = <A>(run: () => A): Result.Result<A, string> =>
  Result.try({ try: run, catch: (cause) => ErrorCode.of(cause, "unreadable") })

/**
 * Creates a file atomically: a reader never sees a part of it. Fails with the operating system's code, `EEXIST` if the file exists.
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

/** Text of a file, at most its first 4,096 bytes, and whether users other than its owner can read it. */
export interface SecretText {
  readonly text: string
  readonly isOpen: boolean
}

/** Reads a file. Fails with the operating system's code. */
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
