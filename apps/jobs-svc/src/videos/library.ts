import { setTimeout as sleep } from 'node:timers/promises'
import { invalidText } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { UnusableInput } from '../operations/operation.ts'
import type { PictureForm, VideoDecoder, VideoIndex } from '../video/decoder.ts'
import { type KeptIndex, keepIndex, readIndex } from './kept-index.ts'
import { openReel, type Reel } from './reel.ts'
import { openStaging, type StoredVideo } from './staging.ts'

export interface PreparedVideo {
  index: VideoIndex
  /** Of the object that holds it: with a number, what a frame of the video is read by. */
  key: string
  /** Its bytes. */
  length: number
}

/** Videos of the object store, and their pictures. */
export interface Videos {
  /** Undefined: this installation reads no videos. */
  decoder: () => Promise<VideoDecoder | undefined>
  /**
   * Looks at a video; what is found is kept under `key`.
   *
   * @throws UnusableInput for what is none, or without a decoder
   */
  prepare: (video: StoredVideo, key: string, signal: AbortSignal) => Promise<PreparedVideo>
  /**
   * One picture of a prepared video.
   *
   * @param frame its number in the video
   * @throws DomainError not_found when the objects are gone; UnusableInput where there is no such picture
   */
  picture: (key: string, frame: number, form: PictureForm) => Promise<Buffer>
  close: () => Promise<void>
}

export interface VideosOptions {
  blobs: Pick<BlobStore, 'get' | 'put'>
  findDecoder: () => Promise<VideoDecoder | undefined>
  /** For local copies: of its own, removed at the end. */
  folder: string
  /** Bytes of the copies. */
  mostBytes: number
  /** Decoders that run at once. */
  mostReels?: number
  /** A decoder of which nobody wants the next frame for so long is ended. */
  idleMs?: number
}

/** Of these the index stays in memory. */
const mostIndexes = 8

export const unsupportedVideo = () =>
  new UnusableInput("Media type 'video' is not supported by this installation")

interface Open {
  key: string
  format: string
  reel: Reel
  timer: NodeJS.Timeout
  end: () => Promise<void>
}

export function openVideos(options: VideosOptions): Videos {
  const { blobs, findDecoder, folder, mostBytes, mostReels = 3, idleMs = 3000 } = options
  const staging = openStaging({ blobs, folder, mostBytes })
  const indexes = new Map<string, Promise<KeptIndex>>()
  const open = new Set<Open>()
  let turn: Promise<unknown> = Promise.resolve()

  const decoderOf = async () => {
    const decoder = await findDecoder()
    if (!decoder) throw unsupportedVideo()
    return decoder
  }
  const indexOf = (key: string) => {
    const known = indexes.get(key) ?? readIndex(blobs, key)
    known.catch(() => indexes.delete(key))
    indexes.delete(key)
    indexes.set(key, known)
    const [oldest] = indexes.keys()
    if (indexes.size > mostIndexes && oldest !== undefined) indexes.delete(oldest)
    return known
  }
  const openAt = async (key: string, first: number, form: PictureForm): Promise<Open> => {
    const decoder = await decoderOf()
    const { video, index } = await indexOf(key)
    if (first < 0 || first >= index.pts.length)
      throw invalidText(`The video has no frame ${first}: it has ${index.pts.length}`)
    const { path, release } = await staging.acquire(video)
    const file = { path, name: video.name }
    const reel = openReel({ decoder, file, index, first, form })
    const one: Open = {
      ...{ key, format: form.format, reel },
      timer: setTimeout(() => undefined),
      end: async () => {
        open.delete(one)
        clearTimeout(one.timer)
        await reel.end()
        release()
      },
    }
    open.add(one)
    return one
  }
  /** The one that was used longest ago ends for a new one. */
  const makeRoom = async () => {
    while (open.size >= mostReels) {
      const idle = [...open].find(({ reel }) => reel.isIdle())
      if (idle) await idle.end()
      else await sleep(20)
    }
  }
  /** One at a time, so that neighbours find the decoder which the first of them has opened. */
  const reelAt = (key: string, frame: number, form: PictureForm): Promise<Promise<Buffer>[]> => {
    const found = turn.then(async () => {
      const there = [...open].find(
        (one) => one.key === key && one.format === form.format && one.reel.isNear(frame),
      )
      if (!there) await makeRoom()
      const one = there ?? (await openAt(key, frame, form))
      open.delete(one)
      open.add(one)
      clearTimeout(one.timer)
      one.timer = setTimeout(() => void one.end(), idleMs).unref()
      return [one.reel.picture(frame)] // in a list, so that the next one's turn does not wait for it
    })
    turn = found.catch(() => undefined)
    return found
  }

  return {
    decoder: findDecoder,
    prepare: async (video, key, signal) => {
      const decoder = await decoderOf()
      const { path, release } = await staging.acquire(video)
      try {
        const index = await decoder.probe({ path, name: video.name }, signal)
        return { index, key, length: await keepIndex(blobs, key, { video, index }) }
      } finally {
        release()
      }
    },
    picture: async (key, frame, form) => {
      const [picture] = await reelAt(key, frame, form)
      if (!picture) throw new Error('a reel answers with a picture')
      return picture
    },
    close: async () => {
      await Promise.all([...open].map((one) => one.end()))
      await staging.close()
    },
  }
}
