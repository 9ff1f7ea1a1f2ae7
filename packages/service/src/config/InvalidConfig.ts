/**
 * Error of a configuration that cannot be used.
 */
import * as Data from "effect/Data"

/** One issue of a configuration. */
export interface ConfigIssue {
  /** Path of the key, as in `chains.eth.rpc[0]`; empty if the issue concerns the whole configuration. */
  readonly path: string
  /** A sentence that names the key, what was expected and what was received. */
  readonly message: string
}

/**
 * The configuration cannot be used. No issue contains the URL of a node or of the database, a header, a token or the value of an
 * environment variable, which may hold keys and passwords.
 */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{
  readonly found: ReadonlyArray<ConfigIssue>
}> {
  /** One sentence per issue. */
  get issues(): ReadonlyArray<string> {
    return this.found.map(({ message }) => message)
  }

  override get message(): string {
    return this.issues.join(" ")
  }
}
