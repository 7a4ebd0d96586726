import { createHash } from 'node:crypto'
import type { LocatedChunk } from '@reticle/contracts/rest/facts'
import type { MediaQuality } from '../frames/query.ts'

/** Chunk of one quality. */
export interface ChunkVariant extends LocatedChunk {
  quality: MediaQuality
}

/** Returns the name of a chunk, unique within its task. Equal chunks of a task and of its jobs have the same name. */
export function chunkName({ data_revision, start, stop, ...chunk }: ChunkVariant): string {
  // Earlier releases cached originals without turning photos, under the name `original`.
  const quality = chunk.quality === 'original' ? 'upright' : `q${chunk.image_quality}`
  const places = chunk.has_placeholders ? '-places' : ''
  const some = chunk.chosen ? `-${digest(chunk.chosen.frames)}${places}` : ''
  return `${data_revision}-${start}-${stop}${some}-${quality}`
}

const digest = (frames: readonly number[]) =>
  createHash('sha256').update(frames.join()).digest('hex').slice(0, 16)
