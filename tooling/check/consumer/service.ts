const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export const baseUrl = variable("DAYBOOK_BASE_URL")
export const rpcUrl = variable("DAYBOOK_RPC_URL")
export const apiKey = variable("DAYBOOK_API_KEY")
export const address = variable("DAYBOOK_ADDRESS")
export const chain = "eth"
