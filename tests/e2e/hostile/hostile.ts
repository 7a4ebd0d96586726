import type { Picture } from '../../support/pictures.ts'

/** A file that is refused. */
export interface Hostile {
  what: string
  /** What it is called. */
  name: string
  bytes: () => Uint8Array | Promise<Uint8Array>
  /** The one sentence that its sender is told. */
  message: string | RegExp
}

/** A file that looks odd and is read all the same. */
export interface Odd {
  what: string
  name: string
  bytes: () => Uint8Array | Promise<Uint8Array>
  /** Of the frames that it makes, in their order. */
  frames: string[]
}

/** In the name of whatever tries to get out of an archive. */
export const escaped = 'reticle-escaped'

/** Members of an archive: lower than the cap of the specification, so that crossing it takes no hundred megabytes. */
export const mostEntries = 20_000

export const fileOf = async ({ name, bytes }: Hostile | Odd): Promise<Picture> => ({
  name,
  bytes: await bytes(),
})

/** The message names files of unknown kinds and lists the kinds that are read. */
export const noMedia = /^No media data found(\. \S.*: .*Pictures are read as JPEG, PNG, .*)?$/s

/** Bytes that are pressed to nearly nothing. */
export const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 ** 2)

/** Bytes that look like nothing, the same for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed
  for (let at = 0; at < length; at += 1) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    bytes[at] = state >>> 24
  }
  return bytes
}
