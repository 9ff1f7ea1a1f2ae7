/** Bundles the page as one file. */
import process from "node:process"

export default {
  define: { DAYBOOK_URL: JSON.stringify(process.env.DAYBOOK_URL) },
  build: { rollupOptions: { input: "page.mjs", output: { entryFileNames: "page.js" } }, target: "es2022" },
}
