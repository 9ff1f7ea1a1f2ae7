/**
 * Builds the explorer as files that a strict content security policy allows: nothing inline, nothing of another host. `vite`
 * (`pnpm dev`) serves the sources and passes data requests to the service at DAYBOOK_BASE_URL.
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

const service = process.env["DAYBOOK_BASE_URL"] ?? "http://127.0.0.1:8080"
const paths = ["/api", "/rpc", "/ready", "/explorer.json", "/openapi.json"]

/** Files whose content is compressed already, or so small that a response is not shorter. */
const isLeft = (name: string, bytes: Uint8Array): boolean => /\.(?:png|ico|woff2)$/.test(name) || bytes.length < 1_024

const brotli = (bytes: Uint8Array, quality: number) =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })

/** Writes each file also with brotli and gzip, as the service sends it to browsers that accept them. */
const compressed = (quality: number): Plugin => ({
  name: "compressed",
  apply: "build",
  generateBundle: {
    order: "post",
    async handler(_options, bundle) {
      const compress = async ([fileName, file]: (typeof files)[number]): Promise<void> => {
        const bytes = Buffer.from(file.type === "chunk" ? file.code : file.source)
        if (isLeft(fileName, bytes)) return
        const [br, gz] = await Promise.all([brotli(bytes, quality), promisify(gzip)(bytes, { level: 9 })])
        this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: br })
        this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gz })
      }
      const files = Object.entries(bundle)
      await Promise.all(files.map(compress))
    },
  },
})

/**
 * Files that every page needs, each compressed as a whole, which is shorter than many small ones: what is there before a page, the clients, and what
 * pages are made of. The rest is split by what loads it.
 */
const groups = [
  { name: "first", tags: ["$initial" as const], priority: 3 },
  {
    name: "clients",
    priority: 2,
    test: (id: string) =>
      /[\\/](?:node_modules[\\/]effect|packages[\\/](?:rest|rpc|schema|transport))[\\/]/.test(id) &&
      !id.includes("Webhook"),
  },
  { name: "parts", priority: 1, test: /[\\/]explorer[\\/]src[\\/](?:display|names|service|text)[\\/]/ },
]

export default defineConfig(({ mode }) => ({
  // The highest quality takes a second, in which tests would wait.
  plugins: [compressed(mode === "production" ? constants.BROTLI_MAX_QUALITY : 5)],
  // wouter brings what React has had since its version 18.
  resolve: { alias: { "use-sync-external-store/shim/index.js": "react" } },
  build: {
    target: "es2022",
    // An inlined file would be a `data:` URL, or a script in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rolldownOptions: {
      output: { codeSplitting: { groups } },
      // Schemas of Effect that nothing uses would stay, as their definitions read properties of others.
      treeshake: { propertyReadSideEffects: false },
      // "use client" of the libraries: there is no server.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log)
      },
    },
  },
  server: { proxy: Object.fromEntries(paths.map((path) => [path, { target: service, changeOrigin: true }])) },
}))
