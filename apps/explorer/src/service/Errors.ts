/** Explains errors to users: what an error means, and what to do about it. */

/** An explained error. */
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
  TransportError: "Check that it is running. This page retries automatically.",
  TimeoutError: "This page retries automatically.",
  Unavailable: "This page retries automatically.",
  RateLimited: "This page retries automatically.",
  Unauthorized: "Enter another key.",
}

/** Whether a chunk of the explorer could not be loaded: the service does not respond, or serves another build. */
export const isLoadFailure = (error: unknown): boolean =>
  error instanceof TypeError && /imported module|module script/i.test(error.message)

/** Explains an error of the clients, or any other error. */
export const explain = (error: unknown): Explained => {
  const tag = tagOf(error)
  if (isLoadFailure(error)) {
    return {
      title: "The service does not respond",
      detail: "A part of the explorer could not be loaded from it. This page retries automatically.",
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

/** Whether the API key was rejected. */
export const isUnauthorized = (error: unknown): boolean => tagOf(error) === "Unauthorized"

/** Whether the service or the node sent an invalid response. */
export const isInvalidResponse = (error: unknown): boolean => tagOf(error) === "InvalidResponse"

/** The code of a rejected request, such as `traces_not_indexed`. */
export const codeOf = (error: unknown): string | undefined =>
  isObject(error) && typeof error["code"] === "string" ? error["code"] : undefined

/** The kind of a node's error, such as `methodUnsupported`. */
export const kindOf = (error: unknown): string | undefined =>
  isObject(error) && typeof error["kind"] === "string" ? error["kind"] : undefined
