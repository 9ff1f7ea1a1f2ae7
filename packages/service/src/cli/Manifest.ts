/** Facts from the manifest of this package. */
import { readFileSync } from "node:fs"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
)

/** Version of the package. */
export const { version } = manifest
