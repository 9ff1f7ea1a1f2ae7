/**
 * Compression with zstd and a dictionary. Node.js functions load the dictionary in every call, which takes ten times as long as processing
 * a document. Here each dictionary has one context per direction, kept by the thread: that of a `node:zlib` stream, called synchronously.
 * In versions of Node.js without such a context, its public functions are used.
 */
import { constants, createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib"

/** Compresses and decompresses with one dictionary. */
export interface Zstd {
  /** Compresses bytes into a frame. */
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** Decompresses a frame to a known number of bytes; valid until the next call. Throws if the frame is damaged or has another size. */
  readonly decompress: (frame: Uint8Array, size: number) => Buffer
}

const level = { [constants.ZSTD_c_compressionLevel]: 3 }
/** Tables with a quarter of level 3's entries: they save an eighth of the time per document, for a frame that is 0.3 % longer. */
const params = { ...level, [constants.ZSTD_c_hashLog]: 14, [constants.ZSTD_c_chainLog]: 13 }
/** Size of the buffer that is kept for results; larger results have their own buffer. */
const keptBytes = 1 << 18

/** The used part of a stream's native handle. */
interface Handle {
  onerror: (message: string) => void
  readonly writeSync: (
    flush: number,
    from: Uint8Array,
    fromOffset: number,
    fromLength: number,
    to: Uint8Array,
    toOffset: number,
    toLength: number,
  ) => void
}

/** A stream with its handle, and where the handle writes what is left of both buffers. */
interface NativeStream {
  readonly _handle: Handle
  readonly _writeState: Uint32Array
}

/** Runs one frame through a context and returns the number of bytes written; throws if it is not the expected one, if that is known. */
type Run = (from: Uint8Array, to: Uint8Array, expected?: number) => number

/** A context that is re-created after an error, because it may be in the middle of a frame. */
const contextOf = (open: () => unknown, flush: number): Run => {
  let stream: NativeStream | undefined
  return (from, to, expected) => {
    // Node's types lack these fields; `make` tries them once before they are used.
    stream ??= open() as NativeStream
    const { _handle: handle, _writeState: left } = stream
    let error: string | undefined
    handle.onerror = (message) => {
      error = message
    }
    handle.writeSync(flush, from, 0, from.length, to, 0, to.length)
    const [toLeft = 0, fromLeft = 0] = left
    const written = to.length - toLeft
    if (error === undefined && fromLeft === 0 && (expected === undefined || written === expected)) return written
    stream = undefined
    throw new Error(`zstd: ${error ?? "a frame of another size"}`)
  }
}

/** Maximum size of a frame for a number of bytes. */
const boundOf = (bytes: number): number => bytes + (bytes >> 7) + 1024

/** Frames share buffers of this size: allocating separate memory for each takes longer than filling it. */
const sharedBytes = 1 << 16
/** A longer frame has its own memory. */
const ownBytes = 1 << 12

/** Copies frames out of a buffer that is overwritten. */
const makeFrames = () => {
  let shared = new Uint8Array(0)
  let length = 0
  return {
    keep: (from: Buffer, count: number): Uint8Array => {
      const frame = from.subarray(0, count)
      if (count > ownBytes) return new Uint8Array(frame)
      if (length + count > shared.length) {
        shared = new Uint8Array(sharedBytes)
        length = 0
      }
      shared.set(frame, length)
      length += count
      return shared.subarray(length - count, length)
    },
  }
}

const native = (dictionary: Uint8Array): Zstd => {
  const compressing = contextOf(() => createZstdCompress({ dictionary, params }), constants.ZSTD_e_end)
  const decompressing = contextOf(() => createZstdDecompress({ dictionary }), constants.ZSTD_e_end)
  const frames = makeFrames()
  const kept = Buffer.allocUnsafeSlow(keptBytes)
  const room = (bytes: number) => (bytes <= keptBytes ? kept : Buffer.allocUnsafeSlow(bytes))
  return {
    compress: (bytes) => {
      const to = room(boundOf(bytes.length))
      return frames.keep(to, compressing(bytes, to))
    },
    decompress: (frame, size) => {
      // One byte more than expected, so that a frame of another size is detected.
      const to = room(size + 1)
      return to.subarray(0, decompressing(frame, to, size))
    },
  }
}

/** Texts above this size are searched for repetitions at any distance: level 3 only finds those in the last few hundred kilobytes. */
const longBytes = 1 << 18
const longParams = {
  ...level,
  [constants.ZSTD_c_windowLog]: 24,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
}

/** Loading the dictionary is negligible compared with the work on a long text. */
const compressLong = (bytes: Uint8Array, dictionary: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { dictionary, params: longParams, pledgedSrcSize: bytes.length })

const ofNode = (dictionary: Uint8Array): Zstd => ({
  compress: (bytes) => zstdCompressSync(bytes, { dictionary, params }),
  decompress: (frame, size) => {
    const bytes = zstdDecompressSync(frame, { dictionary, maxOutputLength: size + 1 })
    if (bytes.length === size) return bytes
    throw new Error("zstd: a frame of another size")
  },
})

const sample = Buffer.from('{"hash":"0x"}'.repeat(40))

/** Whether contexts work: two round trips, with a damaged frame between them. */
const works = (zstd: Zstd): boolean => {
  try {
    const frame = zstd.compress(sample)
    const damaged = Buffer.from(frame)
    damaged.fill(0xff, 4)
    const isBack = () => zstd.decompress(frame, sample.length).equals(sample)
    if (!isBack()) return false
    try {
      zstd.decompress(damaged, sample.length)
      return false
    } catch {
      return isBack() && Buffer.compare(zstd.compress(sample), frame) === 0
    }
  } catch {
    return false
  }
}

/** Makes the contexts of a dictionary, or their replacement if they do not work. */
export const make = (dictionary: Uint8Array, contexts: Zstd = native(dictionary)): Zstd => {
  const { compress, decompress } = works(contexts) ? contexts : ofNode(dictionary)
  return {
    compress: (bytes) => (bytes.length > longBytes ? compressLong(bytes, dictionary) : compress(bytes)),
    decompress,
  }
}
