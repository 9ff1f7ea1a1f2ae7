/**
 * Parameters of statements, each of one PostgreSQL type, and the codecs that differ from the driver's: 64-bit integers are JavaScript
 * numbers here.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

/** A parameter of a statement. */
export type Value = PgTypes.Parameter

const bigBytes = 8

/** Row ids, block numbers and times are safe integers; wallet keys are never read as numbers. */
const bigCodec: PgTypes.Codec<number | bigint> = {
  encode: (value) => {
    const bytes = Buffer.allocUnsafe(bigBytes)
    bytes.writeBigInt64BE(BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(numberAt(bytes, 0)),
  write: (sink, value) => {
    sink.bigInt64(BigInt(value))
    return Result.void
  },
  read: (bytes, offset) => Result.succeed(numberAt(bytes, offset)),
}

const perWord = 2 ** 32

const numberAt = (bytes: Uint8Array, offset: number): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, bigBytes)
  return view.getInt32(0) * perWord + view.getUint32(4)
}

/** The codecs of a client. */
export const types = (): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  registry.register(PgTypes.OID.int8, bigCodec, { arrayOid: PgTypes.OID.int8Array })
  return registry
}

export const big = (value: number | bigint | null): Value => PgTypes.int8(value === null ? null : BigInt(value))
export const int = (value: number | null): Value => PgTypes.int4(value)
export const bytes = (value: Uint8Array | null): Value => PgTypes.bytea(value)
export const text = (value: string | null): Value => PgTypes.text(value)

const arrayOf =
  (elementOid: number) =>
  (values: ReadonlyArray<unknown>): Value =>
    // Sound: the driver has an array type for each of these.
    Result.getOrThrow(PgTypes.array(values, elementOid))

export const bigs: (values: ReadonlyArray<number | bigint | null>) => Value = arrayOf(PgTypes.OID.int8)
export const ints: (values: ReadonlyArray<number | null>) => Value = arrayOf(PgTypes.OID.int4)
export const manyBytes: (values: ReadonlyArray<Uint8Array | null>) => Value = arrayOf(PgTypes.OID.bytea)
export const texts: (values: ReadonlyArray<string | null>) => Value = arrayOf(PgTypes.OID.text)

/** Columns of rows, as one array each. */
export const column = <Row extends ReadonlyArray<unknown>, Index extends keyof Row>(
  rows: ReadonlyArray<Row>,
  index: Index,
): ReadonlyArray<Row[Index]> => rows.map((row) => row[index])
export const bool = (value: boolean): Value => PgTypes.bool(value)
