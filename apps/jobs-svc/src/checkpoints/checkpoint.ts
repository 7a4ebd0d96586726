import type { WrittenMember } from '@reticle/formats/archive/zip-track'
import { z } from 'zod'

/**
 * How far a long export came, for the next attempt (`reliability.md` 6.3): the object that it writes, and what is stored of
 * that. What the row has of it is small; the members of the archive lie beside it.
 */
const place = z.object({
  /** Of the object: that of the attempt that began it. */
  key: z.string(),
  /** When it was begun. */
  begun_date: z.coerce.date(),
  /** Bytes that are stored. */
  size: z.int(),
  /** What the object store finds them by. */
  mark: z.string(),
  /** Checksum of what is stored of the member that is cut. */
  crc: z.int(),
})

/** As an attempt tells it: of the members those since it told last. */
export const newCheckpoint = place.extend({ members: z.string() })
/** As the next one is told it. */
export const checkpoint = place.extend({ members: z.array(z.string()) })

export type NewCheckpoint = z.infer<typeof newCheckpoint>
export type Checkpoint = z.infer<typeof checkpoint>

/** Of what a row has of it; nothing where it has none, or that of a program that does not know this one. */
export const readPlace = (value: unknown) => place.safeParse(value).data

const member = z.tuple([
  z.string(),
  z.number(),
  z.number(),
  z.number(),
  z.boolean(),
  z.boolean(),
  z.number().nullable(),
])

export function encodeMembers(members: readonly WrittenMember[]): string {
  return JSON.stringify(
    members.map(({ path, size, packedSize, crc, isStored, isStreamed, source }) => {
      const row: z.infer<typeof member> = [
        path,
        size,
        packedSize,
        crc,
        isStored,
        isStreamed,
        source,
      ]
      return row
    }),
  )
}

export function* decodeMembers(batches: readonly string[]): Generator<WrittenMember> {
  for (const batch of batches)
    for (const one of z.array(member).parse(JSON.parse(batch))) {
      const [path, size, packedSize, crc, isStored, isStreamed, source] = one
      yield { path, size, packedSize, crc, isStored, isStreamed, source }
    }
}
