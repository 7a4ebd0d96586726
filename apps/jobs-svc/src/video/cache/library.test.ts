import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { partKey, spreadBytes, spreadKey } from '@reticle/kit/blob/spread'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { readNumber } from '@reticle/kit/testing/video/numbered'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { gatherSource, openSource } from '../../media/frames/source.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { testStore } from '../../testing/run.ts'
import type { VideoDecoder } from '../decoder.ts'
import { createBuiltDecoder } from '../testing/built-decoder.ts'
import { recordingEnvironment } from '../testing/decoder-fixture.ts'
import { openVideos, type VideosOptions } from './library.ts'
import type { StoredVideo } from './videos.ts'
import { withVideos } from './with-videos.ts'

const { root, blobs } = await testStore()
const { signal } = new AbortController()
const tiff = { format: 'tiff' } as const
const frames = 50
let decoder: VideoDecoder
let video: StoredVideo
beforeAll(async () => {
  decoder = await createBuiltDecoder(recordingEnvironment([]))
  video = await stored('a.mp4')
}, 60_000)

let count = 0
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function stored(name: string, given: Parameters<typeof writeClip>[1] = {}) {
  const path = join(root, name)
  writeClip(path, { frames, ...given })
  const key = `requests/uploads/${++count}`
  const { size } = await blobs.put(key, bytesOf(await readFile(path)))
  return { key, size, name }
}

function opened(given: Partial<VideosOptions> = {}) {
  const seen = vi.fn(decoder.frames)
  const folder = join(root, `videos-${++count}`)
  const findOurs = async () => ({ ...decoder, frames: seen })
  const options = { blobs, findDecoder: findOurs, folder, mostBytes: 1024 ** 3, ...given }
  const videos = openVideos(options)
  closing.push(videos.close)
  return { videos, folder, starts: () => seen.mock.calls.length }
}

async function prepared(given: Partial<VideosOptions> = {}) {
  const library = opened(given)
  const key = `requests/uploads/index-${++count}`
  const about = await library.videos.prepare(video, key, signal)
  const numberAt = async (frame: number) =>
    readNumber(await library.videos.picture(key, frame, tiff))
  return { ...library, ...about, key, numberAt }
}

const patience = { timeout: 60_000 }

describe('a video', patience, () => {
  test('is probed once, and its index is kept beside it', async () => {
    const { key, index, length, numberAt } = await prepared()
    expect(index.pts.length).toBe(frames)
    expect((await blobs.stat(key)).size).toBe(length)
    expect(await numberAt(7)).toBe(7)
  })

  test('is decoded once for sequential and concurrent reads', async () => {
    const { numberAt, starts } = await prepared()
    const first: number[] = []
    for (let frame = 0; frame < 20; frame++) first.push(await numberAt(frame))
    const others = Array.from({ length: frames - 20 }, (_, index) => numberAt(20 + index))
    expect([...first, ...(await Promise.all(others))]).toEqual([...Array(frames).keys()])
    expect(starts()).toBe(1)
  })

  test('with a step is decoded once', async () => {
    const { numberAt, starts } = await prepared()
    const wanted = [3, 8, 13, 18]
    expect(await Promise.all(wanted.map(numberAt))).toEqual(wanted)
    expect(starts()).toBe(1)
  })

  test('starts another decoder for an earlier or distant frame', async () => {
    const { numberAt, starts } = await prepared()
    expect([await numberAt(30), await numberAt(2), await numberAt(48)]).toEqual([30, 2, 48])
    expect(starts()).toBe(3)
  })

  test('is limited in its number of concurrent decoders', async () => {
    const { numberAt, starts } = await prepared({ mostDecoders: 1 })
    const wanted = [40, 0, 20, 49, 5]
    expect(await Promise.all(wanted.map(numberAt))).toEqual(wanted)
    expect(starts()).toBe(5)
  })

  test('loses its decoder after an idle time', async () => {
    const { numberAt, starts } = await prepared({ idleMs: 50 })
    expect(await numberAt(3)).toBe(3)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect([await numberAt(4), starts()]).toEqual([4, 2])
  })

  test('that is stored in several objects is assembled', async () => {
    const bytes = Buffer.concat([await gatherBytes((await blobs.get(video.key)).chunks), filling])
    const key = spreadKey(`requests/uploads/${++count}`, bytes.length)
    for (let at = 0, part = 0; at < bytes.length; at += spreadBytes, part++)
      await blobs.put(partKey(key, part), bytesOf(bytes.subarray(at, at + spreadBytes)))
    const { videos } = opened()
    const large = { key, size: bytes.length, name: 'large.mp4' }
    const { index } = await videos.prepare(large, `requests/uploads/index-${++count}`, signal)
    expect(index.pts.length).toBe(frames)
  })
})

/** Creates a box that readers of the file skip. */
const filling = (() => {
  const box = Buffer.alloc(spreadBytes)
  box.writeUInt32BE(spreadBytes, 0)
  box.write('free', 4)
  return box
})()

describe('local copies', patience, () => {
  test('are removed when their process closes', async () => {
    const { videos, folder, numberAt } = await prepared()
    await numberAt(0)
    expect(existsSync(folder)).toBe(true)
    await videos.close()
    expect(existsSync(folder)).toBe(false)
  })

  test('are evicted for others, and made again', async () => {
    const other = await stored('b.mp4', { frames: 10 })
    const { videos, folder, numberAt } = await prepared({ mostBytes: video.size, idleMs: 20 })
    await videos.prepare(other, `requests/uploads/index-${++count}`, signal)
    expect(await readdir(folder)).toHaveLength(1)
    expect(await numberAt(9)).toBe(9)
    expect(await readdir(folder)).toHaveLength(1)
  })

  test('above the size limit are refused before copying', async () => {
    const { videos } = opened({ mostBytes: 1000 })
    await expect(videos.prepare(video, 'requests/c', signal)).rejects.toThrow(
      'a.mp4: this installation keeps local copies of videos up to 1000 bytes',
    )
  })
})

test('videos are unsupported without a decoder', async () => {
  const { videos } = opened({ findDecoder: async () => undefined })
  await expect(videos.prepare(video, 'requests/d', signal)).rejects.toThrow(
    "a.mp4: Media type 'video' is not supported by this installation, which has no decoder",
  )
})

describe('a frame of a video as an object of the store', patience, () => {
  async function frameOf(offset: number) {
    const { videos, key, length } = await prepared()
    const image = {
      name: 'frame_000001',
      key,
      offset,
      length,
      ...({ packing: 'video', media_type: 'image/png' } as const),
    }
    return { store: withVideos(blobs, videos), image }
  }

  test('is a PNG for display', async () => {
    const { store, image } = await frameOf(11)
    const bytes = await gatherBytes(await openSource(store, image))
    expect([(await sharp(bytes).metadata()).format, await readNumber(bytes)]).toEqual(['png', 11])
  })

  test('has all pixels for a conversion', async () => {
    const { store, image } = await frameOf(11)
    const bytes = await gatherSource(store, image)
    const png = await gatherBytes(await openSource(store, image))
    const raw = (from: Buffer) => sharp(from).raw().toBuffer()
    expect(await raw(bytes)).toEqual(await raw(png))
  })

  test('beyond the video is an error', async () => {
    const { store, image } = await frameOf(frames)
    await expect(openSource(store, image)).rejects.toMatchObject({ kind: 'invalid' })
  })
})
