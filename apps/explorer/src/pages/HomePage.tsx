/** Home: the chains of the service. */
import { useQuery } from "@tanstack/react-query"
import * as Settings from "../service/Settings.ts"

export const HomePage = () => {
  const settings = useQuery({ queryKey: ["settings"], queryFn: Settings.load })
  if (settings.isPending) return <p>Loading</p>
  if (settings.isError) return <p role="alert">{settings.error.message}</p>
  return (
    <ul>
      {settings.data.chains.map(({ chainId, name }) => (
        <li key={chainId}>{name}</li>
      ))}
    </ul>
  )
}
