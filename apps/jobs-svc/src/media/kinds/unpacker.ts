import zlib from 'node:zlib'

/** Compression of whole files. */
export type Packer = 'gzip' | 'zstd'

/** Only newer versions of Node.js support zstd. */
const createZstd: unknown = Reflect.get(zlib, 'createZstdDecompress')

type Unpacker = zlib.Gunzip

const isMaker = (given: unknown): given is (options: zlib.ZlibOptions) => Unpacker =>
  typeof given === 'function'

const makers = {
  gzip: (options: zlib.ZlibOptions): Unpacker => zlib.createGunzip(options),
  zstd: isMaker(createZstd) ? createZstd : undefined,
}

export const canUnpack = (by: Packer): boolean => makers[by] !== undefined

/**
 * Creates an unpacker.
 *
 * @throws Error for a compression for which `canUnpack` is false
 */
export function openUnpacker(by: Packer, options: zlib.ZlibOptions): Unpacker {
  const make = makers[by]
  if (!make) throw new Error(`${by} cannot be unpacked`)
  return make(options)
}
