import { invalidText } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { isShareKey } from '../../storage/share/files.ts'
import { UnusableInput } from '../../work/errors.ts'
import type { VideoDecoder } from '../decoder.ts'
import { openDecoderPool, type VideoPictureQuery } from './decoder-pool.ts'
import { openFrameReader } from './frame-reader.ts'
import { openStaging } from './local-copies.ts'
import { openIndexes, storeIndex } from './stored-index.ts'
import type { StoredVideo, Videos } from './videos.ts'

export interface VideosOptions {
  blobs: Pick<BlobStore, 'get' | 'put' | 'stat'>
  /** Undefined: this installation does not read videos. */
  findDecoder: () => Promise<VideoDecoder | undefined>
  /** Folder for local copies of this process, removed on close. */
  folder: string
  /** Size limit of the copies in bytes. */
  mostBytes: number
  /** Limit of concurrent decoders. */
  mostDecoders?: number
  /** Idle time in milliseconds after which a decoder is ended. */
  idleMs?: number
}

export const unsupportedVideo = ({ name }: Pick<StoredVideo, 'name'>) =>
  new UnusableInput(
    `${name}: Media type 'video' is not supported by this installation, which has no decoder (an administrator can install ffmpeg). ` +
      'Send pictures of the video, for example those of `ffmpeg -i input frame_%06d.png`',
  )

export function openVideos(options: VideosOptions): Videos {
  const { blobs, findDecoder, folder, mostBytes, mostDecoders: most = 3, idleMs = 3000 } = options
  const staging = openStaging({ blobs, folder, mostBytes })
  const indexOf = openIndexes(blobs)

  const decoderOf = async (video: Pick<StoredVideo, 'name'>) => {
    const decoder = await findDecoder()
    if (!decoder) throw unsupportedVideo(video)
    return decoder
  }
  const open = async ({ key, frame: first, form }: VideoPictureQuery) => {
    const { video, index } = await indexOf(key)
    const decoder = await decoderOf(video)
    if (first >= index.pts.length)
      throw invalidText(`The video has no frame ${first}: it has ${index.pts.length}`)
    const { path, release } = await staging.acquire(video)
    const file = { path, name: video.name }
    return { reader: openFrameReader({ decoder, file, index, first, form }), release }
  }
  const decoders = openDecoderPool({ open, most, idleMs })
  /** Checks that a file on the share has not changed since its local copy was made. */
  const assertSame = async (key: string) => {
    const { video } = await indexOf(key)
    if (isShareKey(video.key)) await blobs.stat(video.key)
  }

  return {
    prepare: async (video, key, signal, options) => {
      const decoder = await decoderOf(video)
      const { path, release } = await staging.acquire(video)
      try {
        const file = { path, name: video.name }
        const index = await decoder.probe(file, signal, options)
        const chapters = await decoder.chapters(file, index, signal)
        return { index, chapters, length: await storeIndex(blobs, key, { video, index }) }
      } finally {
        release()
      }
    },
    picture: async (key, frame, form) => {
      // Started first: decoders yield frames in the order of the requests.
      const picture = decoders.picture({ key, frame, form })
      const [bytes] = await Promise.all([picture, assertSame(key)])
      return bytes
    },
    stat: async (key) => {
      const { video } = await indexOf(key)
      return blobs.stat(isShareKey(video.key) ? video.key : key)
    },
    close: async () => {
      await decoders.close()
      await staging.close()
    },
  }
}
