import { createHash } from 'node:crypto'
import type { LocatedChunk } from '@reticle/contracts/rest/facts'
import type { Quality } from '../frames/query.ts'

/** A chunk of one quality. */
export interface WantedChunk extends LocatedChunk {
  quality: Quality
}

/** What a chunk is called among those of its task: equal ones of a task and its jobs are one. */
export function chunkName({ data_revision, start, stop, ...chunk }: WantedChunk): string {
  const quality = chunk.quality === 'original' ? 'upright' : `q${chunk.image_quality}`
  const places = chunk.has_placeholders ? '-places' : ''
  const some = chunk.chosen ? `-${digest(chunk.chosen.frames)}${places}` : ''
  return `${data_revision}-${start}-${stop}${some}-${quality}`
}

const digest = (frames: readonly number[]) =>
  createHash('sha256').update(frames.join()).digest('hex').slice(0, 16)
