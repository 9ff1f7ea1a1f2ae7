/**
 * Routes of the explorer: its page at `/` and at the paths of an address, a transaction, a block and webhooks, its files, and
 * `/explorer.json`. From the last, the page learns the chains and whether it needs an API key.
 *
 * Source: decision 0058.
 */
import * as Chain from "@daybook/schema/Chain"
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import type { ExplorerSettingsWire } from "@daybook/schema/ExplorerSettings"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Explorer from "../../config/Explorer.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { RequestId } from "../http/Request.ts"
import * as ContentCoding from "../http/ContentCoding.ts"
import * as ExplorerFiles from "./ExplorerFiles.ts"
import * as StaticPage from "../http/StaticPage.ts"

/** Dependencies of the routes. */
export interface Options {
  readonly access: Exclude<Explorer.Access, "off">
  readonly chains: ReadonlyArray<ServedChain>
  /** Whether the service sends webhooks. */
  readonly sendsWebhooks: boolean
  /** The files; `null` if the explorer is not built. */
  readonly files?: ExplorerFiles.Files | null
}

/** A response in each coding in which it was built. */
type Variants = ReadonlyMap<ContentCoding.ContentCoding, HttpServerResponse>

type File = readonly [path: string, variants: Variants]

/** Paths that the page handles itself. */
const pagePaths = ["/", "/address/:address", "/tx/:hash", "/block/:block", "/webhooks"] as const

const notBuilt = `The explorer is not built. Run "pnpm --filter @daybook/explorer build" and start the service again, or install @daybook/service from the registry.\n`

/** Responses with a file, in each coding in which it was built. */
const variantsOf = (
  files: ExplorerFiles.Files,
  path: string,
  options: { readonly contentType: string; readonly lifetime: StaticPage.Lifetime },
): Variants =>
  new Map(
    [...ContentCoding.endings].flatMap(([coding, ending]) => {
      const bytes = files.get(`${path}${ending}`)
      return bytes === undefined ? [] : [[coding, StaticPage.make(bytes, { ...options, coding })] as const]
    }),
  )

const page = (files: ExplorerFiles.Files | null): Variants => {
  if (files?.has("/index.html") === true) {
    return variantsOf(files, "/index.html", { contentType: "text/html; charset=utf-8", lifetime: "revalidated" })
  }
  const contentType = "text/plain; charset=utf-8"
  const response = StaticPage.make(Buffer.from(notBuilt), { contentType, lifetime: "revalidated", status: 503 })
  return new Map([["identity", response]])
}

/** Decimals of every chain's native currency, given the EVM's unit wei. */
const decimals = 18

/** What the page must know about the service. */
const settingsOf = ({ access, chains, sendsWebhooks }: Options): HttpServerResponse => {
  const settings: ExplorerSettingsWire = {
    access: access === "keyed" ? "keyed" : "open",
    tracing: access !== "keyed",
    webhooks: sendsWebhooks,
    chains: chains.map(({ config, id, name }) => ({
      name,
      chainId: id,
      checks: config.checks ?? "standard",
      currency: { symbol: Chain.all.find((chain) => chain.id === BigInt(id))?.symbol ?? "ETH", decimals },
    })),
  }
  return StaticPage.make(Buffer.from(JSON.stringify(settings)), {
    contentType: "application/json",
    lifetime: "revalidated",
  })
}

/** Responds in the coding that the request prefers. */
const respond = (variants: Variants) =>
  Effect.map(HttpServerRequest, ({ headers }): HttpServerResponse => {
    const coding = ContentCoding.choose(headers["accept-encoding"], [...variants.keys()])
    // Sound: every file is also available without a coding.
    return variants.get(coding)!
  })

/** Responds with a file of a build by name; a name from another build is 404. */
const assetOf = (assets: ReadonlyMap<string, Variants>) =>
  Effect.contextWith((context: Context.Context<HttpRouter.RouteContext>) => {
    const { file } = Context.get(context, HttpRouter.RouteContext).params
    const found = assets.get(`/assets/${file}`)
    if (found !== undefined) return respond(found)
    return Effect.map(RequestId, (id) => ErrorResponse.toResponse(ErrorResponse.notFound(id, pagePaths)))
  })

const fileOf = (files: ExplorerFiles.Files, path: string, lifetime: StaticPage.Lifetime): Array<File> => {
  const contentType = StaticPage.contentTypeOf(path)
  return contentType === undefined ? [] : [[path, variantsOf(files, path, { contentType, lifetime })]]
}

/** The routes of the explorer. */
export const layer = (options: Options) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const files = options.files === undefined ? ExplorerFiles.read() : options.files
      const route = (path: string, variants: Variants) =>
        // Sound: file paths start with a slash.
        HttpRouter.route("GET", path as HttpRouter.PathInput, respond(variants))
      const own = page(files)
      const [hashed, others] = [true, false].map((isAsset) =>
        [...(files ?? new Map<string, Uint8Array>()).keys()].flatMap((path) => {
          if (files === null || path === "/index.html" || path.startsWith("/assets/") !== isAsset) return []
          return fileOf(files, path, isAsset ? "immutable" : "revalidated")
        }),
      )
      yield* router.addAll([
        ...pagePaths.map((path) => route(path, own)),
        route(ExplorerOperation.settings.path, new Map([["identity", settingsOf(options)]])),
        HttpRouter.route("GET", "/assets/:file", assetOf(new Map(hashed))),
        ...(others ?? []).map(([path, variants]) => route(path, variants)),
      ])
    }),
  )
