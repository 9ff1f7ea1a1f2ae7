/** The `user-agent` header of a client. */
import * as Result from "effect/Result"
import { InvalidOption } from "../ClientError.ts"

/**
 * The header for the option `userAgent`: that text, else the name of the client. No header for an empty text, and in a browser without the
 * option: it has its own user agent, and would need permission of the server to send another one.
 *
 * **Errors**
 *
 * - `InvalidOption`: a character that headers do not allow.
 */
export const headers = (
  given: string | undefined,
  client: string,
): Result.Result<Readonly<Record<string, string>>, InvalidOption> => {
  if (given !== undefined && !/^[\x20-\x7e]*$/.test(given)) {
    const expected = "printable ASCII characters on one line"
    return Result.fail(new InvalidOption({ option: "userAgent", expected, received: "another character" }))
  }
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false
  const text = given ?? (isBrowser ? "" : client)
  return Result.succeed(text === "" ? {} : { "user-agent": text })
}
