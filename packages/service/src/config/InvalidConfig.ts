/**
 * Error of a configuration that cannot be used.
 */
import * as Data from "effect/Data"

/**
 * The configuration cannot be used. Each issue names the key, what was expected and what was received; no issue contains the URL of
 * a node or of the database, which may hold keys and passwords.
 */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{
  /** One sentence per issue. */
  readonly issues: ReadonlyArray<string>
}> {
  override get message(): string {
    return this.issues.join(" ")
  }
}
