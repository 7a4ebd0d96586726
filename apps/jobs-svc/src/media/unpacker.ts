import zlib from 'node:zlib'

/** What whole files are packed by. */
export type Packer = 'gzip' | 'zstd'

/** Newer versions of Node have it. */
const createZstd: unknown = Reflect.get(zlib, 'createZstdDecompress')

type Unpacker = zlib.Gunzip

const isMaker = (given: unknown): given is (options: zlib.ZlibOptions) => Unpacker =>
  typeof given === 'function'

const makers = {
  gzip: (options: zlib.ZlibOptions): Unpacker => zlib.createGunzip(options),
  zstd: isMaker(createZstd) ? createZstd : undefined,
}

export const canUnpack = (by: Packer): boolean => makers[by] !== undefined

/** @throws Error for one that `canUnpack` is not true of */
export function openUnpacker(by: Packer, options: zlib.ZlibOptions): Unpacker {
  const make = makers[by]
  if (!make) throw new Error(`${by} cannot be unpacked`)
  return make(options)
}
