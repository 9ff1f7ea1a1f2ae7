/**
 * Two addresses whose SHA-256 begins with the same 8 bytes, `c154fadeaf56dc69`, so that they have the same key in histories. Found by
 * following the hashes of two random addresses until they met, in about 2 ** 31 steps.
 */
export const sameKey = [
  "0xc0111de00000000000000000751e935307c94628",
  "0xc0111de000000000000000006dafe22a9ecf1090",
] as const
