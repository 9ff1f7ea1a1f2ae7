/**
 * The routes of the explorer: its page at `/` and at the paths of an address, a transaction and a block, its files, and
 * `/explorer.json`, by which the page finds the chains and whether it needs an API key.
 *
 * Source: decision 0058.
 */
import * as Chain from "@daybook/schema/Chain"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Explorer from "../../config/Explorer.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import { RequestId } from "../Request.ts"
import * as ExplorerFiles from "./ExplorerFiles.ts"
import * as ExplorerPage from "./ExplorerPage.ts"

/** What the routes are made from. */
export interface Options {
  readonly access: Exclude<Explorer.Access, "off">
  readonly chains: ReadonlyArray<ServedChain>
  /** The files; `null` where the explorer is not built. */
  readonly files?: ExplorerFiles.Files | null
}

type File = readonly [path: string, response: HttpServerResponse]

/** Paths that the page shows by itself. */
const pagePaths = ["/", "/address/:address", "/tx/:hash", "/block/:block"] as const

const notBuilt = `The explorer is not built. Run "pnpm --filter @daybook/explorer build" and start the service again, or install @daybook/service from the registry.\n`

const page = (files: ExplorerFiles.Files | null): HttpServerResponse => {
  const index = files?.get("/index.html")
  return index === undefined
    ? ExplorerPage.make(Buffer.from(notBuilt), {
        contentType: "text/plain; charset=utf-8",
        lifetime: "revalidated",
        status: 503,
      })
    : ExplorerPage.make(index, { contentType: "text/html; charset=utf-8", lifetime: "revalidated" })
}

/** Decimals of the native currency of every chain, by the unit wei of the EVM. */
const decimals = 18

/** What the page has to know of the service. */
const settingsOf = ({ access, chains }: Options): HttpServerResponse => {
  const settings = {
    access: access === "keyed" ? "keyed" : "open",
    tracing: access !== "keyed",
    chains: chains.map(({ config, id, name }) => ({
      name,
      chainId: id,
      checks: config.checks ?? "standard",
      currency: { symbol: Chain.all.find((chain) => chain.id === BigInt(id))?.symbol ?? "ETH", decimals },
    })),
  }
  return ExplorerPage.make(Buffer.from(JSON.stringify(settings)), {
    contentType: "application/json",
    lifetime: "revalidated",
  })
}

/** Answers with a file of a build by its name; a name of another build is 404. */
const assetOf = (assets: ReadonlyMap<string, HttpServerResponse>) =>
  Effect.contextWith((context: Context.Context<HttpRouter.RouteContext>) => {
    const { file } = Context.get(context, HttpRouter.RouteContext).params
    const found = assets.get(`/assets/${file}`)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.map(RequestId, (id) => ErrorResponse.toResponse(ErrorResponse.notFound(id, pagePaths)))
  })

const fileOf = (path: string, bytes: Uint8Array, lifetime: ExplorerPage.Lifetime): Array<File> => {
  const contentType = ExplorerPage.contentTypeOf(path)
  return contentType === undefined ? [] : [[path, ExplorerPage.make(bytes, { contentType, lifetime })]]
}

/** The routes of the explorer. */
export const layer = (options: Options) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const files = options.files === undefined ? ExplorerFiles.read() : options.files
      const route = (path: string, response: HttpServerResponse) =>
        // Sound: a path of a file begins with a slash.
        HttpRouter.route("GET", path as HttpRouter.PathInput, Effect.succeed(response))
      const own = page(files)
      const [hashed, others] = [true, false].map((isAsset) =>
        [...(files ?? [])].flatMap(([path, bytes]) => {
          if (path === "/index.html" || path.startsWith("/assets/") !== isAsset) return []
          return fileOf(path, bytes, isAsset ? "immutable" : "revalidated")
        }),
      )
      yield* router.addAll([
        ...pagePaths.map((path) => route(path, own)),
        route("/explorer.json", settingsOf(options)),
        HttpRouter.route("GET", "/assets/:file", assetOf(new Map(hashed))),
        ...(others ?? []).map(([path, response]) => route(path, response)),
      ])
    }),
  )
