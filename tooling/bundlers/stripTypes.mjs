/** A loader of webpack that removes types by esbuild. */
import { transformSync } from "esbuild"

export default (source) => transformSync(source, { loader: "ts", target: "es2022" }).code
