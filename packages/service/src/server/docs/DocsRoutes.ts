/**
 * Routes of the API page: `/docs`, where a browser shows the operations of `/openapi.json` and calls them with the key entered by its user,
 * and the files of the page. They are read when the page is first requested.
 *
 * Source: decision 0058.
 */
import { hash } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as ContentCoding from "../http/ContentCoding.ts"
import * as StaticPage from "../http/StaticPage.ts"
import { RequestId } from "../http/Request.ts"
import * as DocsFiles from "./DocsFiles.ts"

/** Path of the page. */
const path = "/docs"

const missing = `The API page is not installed. Run "pnpm install", or install @daybook/service from the registry. The document is at /openapi.json.\n`

/** A response in each available coding. */
type Variants = ReadonlyMap<ContentCoding.ContentCoding, HttpServerResponse>

/** A file with a hash of its content in its name. */
interface Asset {
  readonly name: string
  readonly variants: Variants
}

const hashCharacters = 10

const assetOf = ({ gzip, identity, name }: DocsFiles.File): Asset => {
  const contentType = StaticPage.contentTypeOf(name)!
  const make = (bytes: Uint8Array, coding: ContentCoding.ContentCoding) =>
    [coding, StaticPage.make(bytes, { contentType, lifetime: "immutable", coding })] as const
  return {
    name: `${hash("sha256", identity).slice(0, hashCharacters)}-${name}`,
    variants: new Map([...(gzip === null ? [] : [make(gzip, "gzip")]), make(identity, "identity")]),
  }
}

const tagOf = ({ name }: Asset): string =>
  name.endsWith(".css")
    ? `<link rel="stylesheet" href="${path}/${name}">`
    : `<script src="${path}/${name}" defer></script>`

const htmlOf = (assets: ReadonlyArray<Asset>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API of Daybook</title>
<link rel="icon" href="data:,">
${assets.map(tagOf).join("\n")}
</head>
<body><main id="api"></main></body>
</html>
`

/** The page and its files, in memory. */
interface Site {
  readonly page: HttpServerResponse
  readonly assets: ReadonlyMap<string, Variants>
}

const siteOf = (files: ReadonlyArray<DocsFiles.File> | null): Site => {
  if (files === null) {
    const contentType = "text/plain; charset=utf-8"
    const page = StaticPage.make(Buffer.from(missing), { contentType, lifetime: "revalidated", status: 503 })
    return { page, assets: new Map() }
  }
  const assets = files.map(assetOf)
  const contentType = "text/html; charset=utf-8"
  return {
    page: StaticPage.make(Buffer.from(htmlOf(assets)), { contentType, lifetime: "revalidated" }),
    assets: new Map(assets.map(({ name, variants }) => [name, variants])),
  }
}

/** The routes of the page of the API. */
export const layer = (readFiles: () => ReadonlyArray<DocsFiles.File> | null = () => DocsFiles.read()) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const site = yield* Effect.cached(Effect.sync(() => siteOf(readFiles())))
      const file = Effect.contextWith((context: Context.Context<HttpRouter.RouteContext | HttpServerRequest>) => {
        const { params } = Context.get(context, HttpRouter.RouteContext)
        const { headers } = Context.get(context, HttpServerRequest)
        return Effect.flatMap(site, ({ assets }) => {
          const found = assets.get(params["file"] ?? "")
          if (found === undefined) {
            return Effect.map(RequestId, (id) => ErrorResponse.toResponse(ErrorResponse.notFound(id, [path])))
          }
          const coding = ContentCoding.choose(headers["accept-encoding"], [...found.keys()])
          // Sound: every file is also available without a coding.
          return Effect.succeed(found.get(coding)!)
        })
      })
      yield* router.addAll([
        HttpRouter.route(
          "GET",
          path,
          Effect.map(site, ({ page }) => page),
        ),
        HttpRouter.route("GET", `${path}/:file`, file),
      ])
    }),
  )
