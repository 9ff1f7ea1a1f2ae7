/** A loader of webpack that removes types by esbuild. */
const { transformSync } = require("esbuild")

module.exports = (source) => transformSync(source, { loader: "ts", target: "es2022" }).code
