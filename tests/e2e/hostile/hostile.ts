import type { ImageFile } from '../../support/pictures.ts'

/** A file that must be refused. */
export interface HostileFile {
  what: string
  /** File name. */
  name: string
  bytes: () => Uint8Array | Promise<Uint8Array>
  /** Error message for the sender. */
  message: string | RegExp
}

/** An unusual file that must be read. */
export interface OddFile {
  what: string
  name: string
  bytes: () => Uint8Array | Promise<Uint8Array>
  /** Names of the expected frames in order. */
  frames: string[]
}

/** Part of the name of every file that tries to escape from an archive. */
export const escaped = 'reticle-escaped'

/** Limit of archive members, lowered so that exceeding it does not need hundreds of megabytes. */
export const mostEntries = 20_000

export const fileOf = async ({ name, bytes }: HostileFile | OddFile): Promise<ImageFile> => ({
  name,
  bytes: await bytes(),
})

/** The message names files of unknown kinds and lists the supported kinds. */
export const noMedia = /^No media data found(\. \S.*: .*Pictures are read as JPEG, PNG, .*)?$/s

/** Bytes that compress to almost nothing. */
export const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 ** 2)

/** Pseudo-random bytes, the same for the same seed. */
export function createNoise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed
  for (let at = 0; at < length; at += 1) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    bytes[at] = state >>> 24
  }
  return bytes
}
