/** What an error means to a person, and what to do about it. */

/** An error in words. */
export interface Explained {
  readonly title: string
  readonly detail: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The tag of an error of the clients; empty for any other. */
export const tagOf = (error: unknown): string =>
  isObject(error) && typeof error["_tag"] === "string" ? error["_tag"] : ""

const messageOf = (error: unknown): string =>
  isObject(error) && typeof error["message"] === "string" ? error["message"] : "No reason was given."

const titles: Readonly<Record<string, string>> = {
  TransportError: "The service does not respond",
  TimeoutError: "The service took too long",
  Unavailable: "Not available yet",
  RateLimited: "Too many requests",
  QuotaExceeded: "The quota of the API key is used up",
  Unauthorized: "The API key is not accepted",
  Forbidden: "The API key may not read this",
  BadRequest: "The service rejected the request",
  NotFound: "The service does not offer this",
  InvalidResponse: "The service sent something unexpected",
  StaleCursor: "A reorg replaced these rows",
  RpcError: "The node refused the call",
}

const remedies: Readonly<Record<string, string>> = {
  TransportError: "Check that it runs. This page tries again by itself.",
  TimeoutError: "This page tries again by itself.",
  Unavailable: "This page tries again by itself.",
  RateLimited: "This page tries again by itself.",
  Unauthorized: "Enter another key.",
}

/** A part of the explorer could not be loaded: the service does not respond, or serves another build. */
export const isLoadFailure = (error: unknown): boolean =>
  error instanceof TypeError && /imported module|module script/i.test(error.message)

/** Explains an error of the clients, or any other. */
export const explain = (error: unknown): Explained => {
  const tag = tagOf(error)
  if (isLoadFailure(error)) {
    return {
      title: "The service does not respond",
      detail: "A part of the explorer could not be loaded from it. This page tries again by itself.",
    }
  }
  const isNetwork = error instanceof TypeError && /fetch|network/i.test(error.message)
  const known = isNetwork ? "TransportError" : tag
  const remedy = remedies[known]
  const detail = isNetwork ? "" : messageOf(error)
  return {
    title: titles[known] ?? "This could not be loaded",
    detail: [detail, remedy].filter((text) => text !== undefined && text !== "").join(" "),
  }
}

/** The API key was refused. */
export const isUnauthorized = (error: unknown): boolean => tagOf(error) === "Unauthorized"

/** What the service or the node sent is not what was asked for. */
export const isInvalidResponse = (error: unknown): boolean => tagOf(error) === "InvalidResponse"

/** The code of a rejected request, such as `traces_not_indexed`. */
export const codeOf = (error: unknown): string | undefined =>
  isObject(error) && typeof error["code"] === "string" ? error["code"] : undefined

/** What a node refused, such as `methodUnsupported`. */
export const kindOf = (error: unknown): string | undefined =>
  isObject(error) && typeof error["kind"] === "string" ? error["kind"] : undefined
