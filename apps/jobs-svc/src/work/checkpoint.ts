import type { WrittenMember } from '@reticle/formats/archive/zip-track'
import { z } from 'zod'

/**
 * State of a long export for the next attempt: the object that it writes, and how much of it is stored. The row
 * contains only this part; the members of the archive are in a separate table
 * (docs/adr/0029-continue-long-exports-from-a-checkpoint.md).
 */
const storedCheckpoint = z.object({
  /** Key of the object, which contains the token of the first attempt. */
  key: z.string(),
  /** Date of the start of the object. */
  begun_date: z.coerce.date(),
  /** Stored bytes. */
  size: z.int(),
  /** Handle of the unfinished object in the object store. */
  mark: z.string(),
  /** Checksum of the stored part of an unfinished member. */
  crc: z.int(),
})

/** Checkpoint as an attempt reports it: with the members since the last report. */
export const newCheckpoint = storedCheckpoint.extend({ members: z.string() })
/** Checkpoint as the next attempt receives it: with all members. */
export const checkpoint = storedCheckpoint.extend({ members: z.array(z.string()) })

export type NewCheckpoint = z.infer<typeof newCheckpoint>
export type Checkpoint = z.infer<typeof checkpoint>

/** Parses the part in the row; undefined without one, or for one of another version. */
export const parseStoredCheckpoint = (value: unknown) => storedCheckpoint.safeParse(value).data

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
