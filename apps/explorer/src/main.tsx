/** Entry of the explorer: mounts it in the page. */
import { type Query, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import * as ApiKey from "./service/ApiKey.ts"
import * as Entry from "./navigation/Entry.ts"
import { isUnauthorized } from "./service/Errors.ts"
import { Explorer, load } from "./Explorer.tsx"
import "./styles/tokens.css"
import "./styles/layout.css"
import "./styles/parts.css"
import "./styles/tables.css"

/** A response to a key that was entered before states nothing of the present one. */
const onError = (error: unknown, { queryKey }: Pick<Query, "queryKey">): void => {
  if (isUnauthorized(error) && queryKey.includes(ApiKey.read())) ApiKey.refuse()
}

// The clients have retried what can be retried.
const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
})

Entry.start()
// Its code is read while the settings are.
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
