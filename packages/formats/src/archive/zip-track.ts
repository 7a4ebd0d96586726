/**
 * Tracks the progress of an archive that is written slowly, so that a later attempt can resume it: which members are
 * stored, and the checksum of the stored part of the next one.
 */
import { crc32 } from 'node:zlib'

/** A member that was written completely. */
export interface WrittenMember {
  path: string
  /** Unpacked size in bytes. */
  size: number
  packedSize: number
  crc: number
  isStored: boolean
  isStreamed: boolean
  /** Checksum of `ArchiveFile.source`; null when it has none. */
  source: number | null
}

/** State of the first bytes of an archive. */
export interface Beginning {
  /** Length in bytes. */
  size: number
  /** Checksum of the bytes after the last complete member. */
  crc: number
}

/** State that an earlier attempt stored. */
export interface StoredArchive extends Beginning {
  /** The complete members in those bytes, in order. */
  members: Iterable<WrittenMember>
}

/** Callbacks of the archive writer, and queries of the tracked state. */
export interface ZipTrack {
  /** A member or the directory begins at this offset. */
  begin: (offset: number) => void
  wrote: (bytes: Uint8Array) => void
  /** The current member is complete. */
  ended: (member: WrittenMember) => void
  /**
   * Returns the state of the first `size` bytes, a multiple of the step, with the members after the last `keep`.
   * Undefined when they are not written yet, or for other sizes.
   */
  upTo: (size: number) => (Beginning & { members: WrittenMember[] }) | undefined
  /** Forgets the members in the first `size` bytes, because they are stored elsewhere. */
  keep: (size: number) => void
}

/**
 * Creates a tracker.
 * @param stepBytes the state can be queried at multiples of this number of bytes
 */
export function trackZip(stepBytes: number): ZipTrack {
  let members: { member: WrittenMember; end: number }[] = []
  /** For each step, the checksum of the stored part of the member that the step cuts. */
  let steps: { at: number; crc: number }[] = []
  let keptEnd = 0
  let at = 0
  let crc = 0

  return {
    begin: (offset) => {
      at = offset
      crc = 0
      if (members.length === 0) keptEnd = Math.max(keptEnd, offset)
    },
    wrote: (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const piece = bytes.subarray(from, from + stepBytes - (at % stepBytes))
        crc = crc32(piece, crc)
        at += piece.length
        from += piece.length
        if (at % stepBytes === 0) steps.push({ at, crc })
      }
    },
    ended: (member) => {
      members.push({ member, end: at })
    },
    upTo: (size) => {
      const step = steps.find((one) => one.at === size)
      if (!step) return undefined
      const whole = members.filter(({ end }) => end <= size)
      const end = whole.at(-1)?.end ?? keptEnd
      return {
        size,
        crc: end === size ? 0 : step.crc,
        members: whole.map(({ member }) => member),
      }
    },
    keep: (size) => {
      keptEnd = members.findLast(({ end }) => end <= size)?.end ?? keptEnd
      members = members.filter(({ end }) => end > size)
      steps = steps.filter((one) => one.at > size)
    },
  }
}
