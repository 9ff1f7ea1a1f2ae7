/**
 * Files of the API page: Swagger UI, which the package ships and a checkout has among its dependencies, and the script that starts it with
 * the OpenAPI document of this service.
 *
 * Source: decision 0058.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A file, with its compressed forms if the package has them. */
export interface File {
  readonly name: string
  readonly identity: Uint8Array
  readonly gzip: Uint8Array | null
}

/** Calls only go to this server; neither the page URL nor browser storage holds a key or selects a document. */
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

/** Names of the Swagger UI files that the page needs. */
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

/** Reads the files in the order in which the page loads them; `null` if one is missing. */
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
