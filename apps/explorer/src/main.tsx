/** Entry point of the explorer: mounts it in the page. */
import { type Query, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import * as ApiKey from "./service/ApiKey.ts"
import * as Entry from "./navigation/Entry.ts"
import { isUnauthorized } from "./service/Errors.ts"
import { Explorer, load } from "./Explorer.tsx"
import "./styles/tokens.css"
import "./styles/layout.css"
import "./styles/controls.css"
import "./styles/parts.css"
import "./styles/tables.css"

/** A response to a previous key does not concern the current one. */
const onError = (error: unknown, { queryKey }: Pick<Query, "queryKey">): void => {
  if (isUnauthorized(error) && queryKey.includes(ApiKey.read())) ApiKey.refuse()
}

// The clients already retry what can be retried.
const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
})

Entry.start()
// Loads the page's code in parallel with the settings.
void load(location.pathname)?.catch(() => undefined)

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Explorer />
      </QueryClientProvider>
    </StrictMode>,
  )
}
