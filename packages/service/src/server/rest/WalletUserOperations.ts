/**
 * Handler of `RestOperation.userOperations`: pages of a wallet's user operations.
 *
 * Source: ERC-4337; decision 0049.
 */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as UserOperations from "../../query/WalletUserOperations.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import type * as Cursor from "./Cursor.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PageRequest from "./PageRequest.ts"
import * as PageResponse from "./PageResponse.ts"
import * as UserOperationText from "./UserOperationText.ts"
import { type Options, wording } from "./WalletMovements.ts"

type Request = OperationRoute.Request<typeof RestOperation.userOperations, IndexedChain>

type Role = Request["query"]["role"]

/** Role in a cursor; fails for one that no request can have. */
const roleOf = ({ role }: Cursor.Filter): Result.Result<Role, InvalidParameter> => {
  if (role === undefined) return Result.succeed(undefined)
  return Result.mapBoth(RestOperation.decodeQuery(RestOperation.userOperations, { role }), {
    onSuccess: (query) => query.role,
    onFailure: (issue) => InvalidParameter.fromIssue({ ...issue, path: "cursor" }),
  })
}

/** Makes the handler. */
export const make = ({ config, send }: Options) => {
  const { maxLimit } = config
  const maxBytes = config.limits.pageBytes

  const read = Effect.fnUntraced(function* ({ caller, chain, cursor, params, query: all }: Request) {
    const { role: asked, ...query } = all
    const filter: Cursor.Filter = asked === undefined ? {} : { role: asked }
    const options = { chain, cursor, wallet: params.address, list: "user operations", filter, maxLimit } as const
    const resolved = yield* Effect.fromResult(PageRequest.resolve(query, options))
    const role = yield* Effect.fromResult(roleOf(resolved.filter))
    const selection = ({ roles }: UserOperations.Operation): boolean => role === undefined || roles.includes(role)
    const page = yield* UserOperations.read({ ...resolved.query, maxBytes, selection })
    const body = {
      cursor: PageRequest.nextCursor(resolved, page),
      page: resolved.page.toString(),
      page_size: resolved.query.limit.toString(),
      result: page.rows.map(({ document, part }) => UserOperationText.operation(document, part)),
    }
    return PageResponse.json(body, { ...(yield* IndexCoverage.ofRoles(chain, page.coverage)), ...caller.headers })
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(send(request.caller.grant, read(request)), wording)
}
