/** Entry of the explorer: mounts the router in the page. */
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import * as ApiKey from "./service/ApiKey.ts"
import { isUnauthorized } from "./service/Errors.ts"
import { makeRouter } from "./router.tsx"
import "./styles/tokens.css"
import "./styles/layout.css"
import "./styles/parts.css"
import "./styles/tables.css"

const onError = (error: unknown): void => {
  if (isUnauthorized(error)) ApiKey.refuse()
}

// The clients have retried what can be retried.
const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
})
const router = makeRouter()

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
