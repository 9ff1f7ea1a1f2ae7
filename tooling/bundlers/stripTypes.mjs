/** A webpack loader that strips types with esbuild. */
import { transformSync } from "esbuild"

export default (source) => transformSync(source, { loader: "ts", target: "es2022" }).code
