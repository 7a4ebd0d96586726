/**
 * How far an archive came that is written slowly, so that another attempt can go on where this one was stopped
 * (reliability.md 6.3): which members are stored, and the checksum of what is stored of the next one.
 */
import { crc32 } from 'node:zlib'

/** A member that was written. */
export interface WrittenMember {
  path: string
  /** Bytes. */
  size: number
  packedSize: number
  crc: number
  isStored: boolean
  isStreamed: boolean
  /** Checksum of `ArchiveFile.source`; null: it has none. */
  source: number | null
}

/** The beginning of an archive. */
export interface Beginning {
  /** Bytes of it. */
  size: number
  /** Of those bytes the ones behind the last whole member. */
  crc: number
}

/** What a former attempt left. */
export interface Stored extends Beginning {
  /** The whole members in those bytes, in order. */
  members: Iterable<WrittenMember>
}

/** Followed by the writer of an archive. */
export interface ZipTrack {
  /** A member begins there, or the directory. */
  begin: (offset: number) => void
  wrote: (bytes: Uint8Array) => void
  /** The member that began last is whole. */
  ended: (member: WrittenMember) => void
  /**
   * What is in the first so many bytes, a multiple of the step; members only from the last `keep` on. Undefined: that is not
   * written, or is no multiple.
   */
  upTo: (size: number) => (Beginning & { members: WrittenMember[] }) | undefined
  /** The members in so many bytes are known elsewhere. */
  keep: (size: number) => void
}

/** @param stepBytes what is stored of the archive is asked for in multiples of this */
export function trackZip(stepBytes: number): ZipTrack {
  let members: { member: WrittenMember; end: number }[] = []
  /** At each step the checksum of what the step has of the member it cuts. */
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
