import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { Videos } from '../../video/cache/videos.ts'
import type { VideoProbeOptions } from '../../video/decoder.ts'
import type { SourceFile } from '../sources/source-listing.ts'
import type { Counted } from './frame-lines.ts'
import type { Selection } from './selection.ts'

export interface VideoDeps {
  videos: Pick<Videos, 'prepare'>
  selection: Selection
  /** Key under which the index of the video is kept. */
  key: string
  signal: AbortSignal
  options?: VideoProbeOptions
}

/**
 * Formats the selected frames of a video as lines of the list of frames: `frame_000007` is the eighth frame of the
 * video.
 */
export async function* videoLines(
  { key: video, size, name }: SourceFile,
  { videos, selection, key, signal, options }: VideoDeps,
  counted: Counted,
): AsyncGenerator<string> {
  const found = await videos.prepare({ key: video, size, name }, key, signal, options)
  const { index, length } = found
  const { width, height } = index
  counted.first = { width, height }
  counted.total = index.pts.length
  counted.chapters = found.chapters
  for (let frame = 0; frame < index.pts.length && !selection.isOver(frame); frame++) {
    counted.seen += 1
    if (!selection.has(frame)) continue
    counted.count += 1
    const place = { key, offset: frame, length, packing: 'video' } as const
    yield encodeFrame({ name: nameOf(frame), width, height, ...place, media_type: 'image/png' })
  }
}

const nameOf = (frame: number) => `frame_${String(frame).padStart(6, '0')}`
