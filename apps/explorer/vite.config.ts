/**
 * Builds the explorer as files that a strict content security policy allows: nothing inline, nothing of another host. `vite`
 * (`pnpm dev`) serves the sources and passes data requests to the service at DAYBOOK_BASE_URL.
 */
import { defineConfig } from "vite"

const service = process.env["DAYBOOK_BASE_URL"] ?? "http://127.0.0.1:8080"
const paths = ["/api", "/rpc", "/ready", "/explorer.json", "/openapi.json"]

export default defineConfig({
  build: {
    target: "es2022",
    // An inlined file would be a `data:` URL, or a script in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rolldownOptions: {
      // "use client" of the libraries: there is no server.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log)
      },
    },
  },
  server: { proxy: Object.fromEntries(paths.map((path) => [path, { target: service, changeOrigin: true }])) },
})
