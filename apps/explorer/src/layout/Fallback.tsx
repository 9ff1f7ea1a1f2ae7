/** Fallbacks for an unknown path and for a page that failed. */
import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { Notice, Page } from "../display/Page.tsx"
import { ForeignText } from "../text/ForeignText.tsx"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { explain, isLoadFailure } from "../service/Errors.ts"
import { load } from "../service/Settings.ts"

export const NotFound = () => (
  <Page title="Not found" heading="No such page">
    <Notice title="The explorer has no page at this address">
      <p>
        Search above, or <Link to={Paths.home}>go to the latest blocks</Link>.
      </p>
    </Notice>
  </Page>
)

/** Whether the service, once it responds, serves a different build, whose chunks have other names. */
const isOtherBuild = async (context: { readonly signal: AbortSignal }): Promise<boolean> => {
  await load(context)
  const page = await (await fetch(Paths.home, context)).text()
  const script = document.querySelector<HTMLScriptElement>("script[type=module]")
  return script !== null && !page.includes(new URL(script.src).pathname)
}

/** Reloads the page once the service responds, if a chunk of the explorer failed to load. */
const useReload = (isPart: boolean): void => {
  const {
    data: isOther = false,
    errorUpdateCount,
    isSuccess,
  } = useQuery({
    queryKey: ["other build"],
    queryFn: isOtherBuild,
    enabled: isPart,
    refetchInterval: retryMillis,
    // A response from before the failure is out of date.
    gcTime: 0,
    staleTime: 0,
  })
  useEffect(() => {
    // If the service responded throughout with this build, the chunk fails for another reason, and reloading would loop.
    if (isPart && isSuccess && (isOther || errorUpdateCount > 0)) location.reload()
  }, [errorUpdateCount, isOther, isPart, isSuccess])
}

const retryMillis = 3_000

/** The error, and a button to retry. */
export const Failure = ({ error }: { readonly error: unknown }) => {
  const isPart = isLoadFailure(error)
  useReload(isPart)
  const { detail, title } = explain(error)
  return (
    <Notice
      title={isPart ? title : "This could not be shown"}
      tone="bad"
      actions={
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      }
    >
      <ForeignText text={detail} />
    </Notice>
  )
}

export const PageError = ({ error }: { readonly error: unknown }) => (
  <Page title="This page failed" heading="This page failed">
    <Failure error={error} />
  </Page>
)
