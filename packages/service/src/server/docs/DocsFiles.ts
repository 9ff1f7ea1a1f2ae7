/**
 * The files of the page of the API: Swagger UI, which the package ships, and which a checkout has among its dependencies, and the script that
 * starts it on the OpenAPI document of this service.
 *
 * Source: decision 0058.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A file as it is, and compressed where the package has that. */
export interface File {
  readonly name: string
  readonly identity: Uint8Array
  readonly gzip: Uint8Array | null
}

/** Calls are sent to this server alone; neither the URL of the page nor the storage of the browser has a key or selects a document. */
const settings = {
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  queryConfigEnabled: false,
  supportedSubmitMethods: ["get"],
  tryItOutEnabled: true,
  validatorUrl: null,
}

const start: File = {
  name: "start.js",
  identity: Buffer.from(`SwaggerUIBundle(${JSON.stringify(settings)})\n`),
  gzip: null,
}

/** Names of the files of Swagger UI that the page needs. */
const bundled = ["swagger-ui.css", "swagger-ui-bundle.js"] as const

/** A program that runs from its sources is in a checkout. */
const folder = (): string =>
  import.meta.url.endsWith(".ts")
    ? join(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"), "..")
    : fileURLToPath(new URL("../../docs", import.meta.url))

const readOptional = (path: string): Uint8Array | null => {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

/** Reads the files in the order in which the page loads them; `null` where one is missing. */
export const read = (from: () => string = folder): ReadonlyArray<File> | null => {
  try {
    const path = from()
    const files = bundled.map((name) => ({
      name,
      identity: readFileSync(join(path, name)),
      gzip: readOptional(join(path, `${name}.gz`)),
    }))
    return [...files, start]
  } catch {
    return null
  }
}
