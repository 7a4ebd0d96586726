import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { LocatedChunk } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { frameOf } from '@reticle/contracts/testing/records'
import type { BlobStore } from '@reticle/kit/blob/blob'
import sharp from 'sharp'
import { uploadFile } from './run.ts'
import { bytesAnswer } from './services.ts'

/** Creates a picture of one colour, distinguished by its `width`. */
export const photo = (width: number, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: 'green' } })
    .jpeg()
    .toBuffer()

export async function storedFrame(
  blobs: BlobStore,
  bytes: Uint8Array | string,
  given: Partial<FrameSource> = {},
): Promise<FrameSource> {
  const { key, size } = await uploadFile(blobs, 'x', bytes)
  return frameOf({ key, length: size, ...given })
}

/** Simulates the frames of tasks in projects-svc; counts the reads. */
export function framesOfTasks() {
  const tasks = new Map<number, readonly FrameSource[]>()
  const reads: number[] = []
  let before: () => Promise<void> = async () => undefined
  return {
    reads,
    set: (task_id: number, frames: readonly FrameSource[]) => tasks.set(task_id, frames),
    /** Sets a function that is awaited before every read of frames. */
    whenRead: (what: () => Promise<void>) => {
      before = what
    },
    media: {
      async readFrames({ task_id, start, stop }: { task_id: number; start: number; stop: number }) {
        reads.push(task_id)
        await before()
        const frames = tasks.get(task_id) ?? []
        return bytesAnswer(frames.slice(start, stop + 1).map(encodeFrame))
      },
    },
  }
}

export const locatedChunk = (given: Partial<LocatedChunk> = {}): LocatedChunk => ({
  task_id: 1,
  start: 0,
  stop: 2,
  image_quality: 70,
  data_revision: 1,
  chunks_updated_date: '2026-03-01T09:00:05.000Z',
  ...given,
})
