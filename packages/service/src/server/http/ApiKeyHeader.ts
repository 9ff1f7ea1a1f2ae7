/**
 * The API key in the headers of a request.
 *
 * Source: docs/interface.md#5.
 */
import * as ApiHeader from "@daybook/schema/ApiHeader"

const keyHeader = ApiHeader.apiKey.toLowerCase()

/** The API key in the headers of a request: `X-API-Key` unless it is empty, otherwise `Authorization: Bearer`. */
export const keyIn = (headers: Readonly<Record<string, string | undefined>>): string | undefined =>
  headers[keyHeader] || /^Bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
