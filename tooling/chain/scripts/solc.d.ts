declare module "solc" {
  const solc: { readonly compile: (input: string) => string; readonly version: () => string }
  export default solc
}
