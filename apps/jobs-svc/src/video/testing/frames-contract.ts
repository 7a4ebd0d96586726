import type { Clip } from '@reticle/kit/testing/video/clips'
import type { Packet } from 'node-av/lib'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PictureForm, VideoIndex } from '../decoder.ts'
import { UndecodableFrame } from '../failures.ts'
import {
  clips,
  type DecoderFixture,
  frameCount,
  jpeg,
  never,
  pairWithItself,
  png,
  range,
  readPictures,
  unevenTime,
} from './decoder-fixture.ts'

/** Tests every clip: each frame exists and is found at its number. */
export function tryEveryClip(fixture: DecoderFixture): void {
  const { fileOf, numbers } = fixture
  describe.each(Object.entries(clips))('%s', (file, clip) => {
    let index: VideoIndex
    beforeAll(async () => {
      index = await fixture.decoder.probe(fileOf(file), never)
    }, 60_000)

    test('has the expected number of frames, codec and size', () => {
      expect(index).toMatchObject({ codec: clip.codec, width: 320, height: 192 })
      expect(index.pts.length).toBe(frameCount)
    })

    test('yields frame after frame, each with its own number', async () => {
      const all = range(0, frameCount)
      expect(await numbers(file, index, all)).toEqual(pairWithItself(all))
    })

    test.each([11, 12, 49])('frame %i is found at once', async (frame) => {
      expect(await numbers(file, index, [frame], png)).toEqual([[frame, frame]])
    })
  })
}

/** Bit of a VP8 packet that marks its picture as shown (RFC 6386, 9.1). */
const showing = 0x10

/** Tests the number of frames and their orientation. */
export function tryCounting(fixture: DecoderFixture): void {
  const { fileOf, make, numbers } = fixture
  test('frames are counted by order only when the file gives no times', async () => {
    const by = async (file: string) => (await fixture.decoder.probe(fileOf(file), never)).by
    const files = ['B-frames.mp4', 'vp8.webm', 'mpeg4.avi', 'B-frames.avi', 'h264.avi']
    expect(await Promise.all(files.map(by))).toEqual(['time', 'time', 'time', 'order', 'order'])
  })

  test('frames have the times that the file gives them', async () => {
    const { pts, time_base } = await fixture.decoder.probe(fileOf('times.mkv'), never)
    expect(time_base).toEqual({ num: 1, den: 1000 })
    expect([...pts]).toEqual(range(0, frameCount).map(unevenTime))
  })

  test('a video that does not start at 0 is read as any other', async () => {
    const late = {
      codec: 'h264',
      ticks: 1000,
      timeOf: (frame: number) => 90_000 + frame * 40,
    } as const
    make('late.mkv', late)
    const index = await fixture.decoder.probe(fileOf('late.mkv'), never)
    expect(index.pts[0]).toBe(90_000)
    expect(await numbers('late.mkv', index, [0, 25, 49])).toEqual(pairWithItself([0, 25, 49]))
  })

  test('pictures that are decoded and never shown are not frames', async () => {
    const hidden = [5n, 6n, 30n, 36n]
    const hide = (packet: Packet) => {
      const { data, pts } = packet
      if (data && hidden.includes(pts))
        packet.data = Buffer.from(data.with(0, (data[0] ?? 0) & ~showing))
      return true
    }
    make('hidden.webm', { ...clips['vp8.webm'], change: hide })
    const shown = range(0, frameCount).filter((frame) => !hidden.includes(BigInt(frame)))
    const index = await fixture.decoder.probe(fileOf('hidden.webm'), never)
    expect([index.by, index.pts.length]).toEqual(['time', shown.length])
    const all = range(0, shown.length)
    const found = await numbers('hidden.webm', index, all)
    expect(found).toEqual(all.map((frame) => [frame, shown[frame]]))
    expect(await numbers('hidden.webm', index, [33])).toEqual([[33, shown[33]]])
  })

  test('pictures that depend on a missing key frame are not frames', async () => {
    make('headless.mkv', { change: ({ pts }) => pts >= 5n, options: { bf: '0' } })
    const index = await fixture.decoder.probe(fileOf('headless.mkv'), never)
    expect([index.pts[0], index.pts.length]).toEqual([480, frameCount - 12])
    const shown = await numbers('headless.mkv', index, range(0, index.pts.length))
    expect(shown).toEqual(range(0, index.pts.length).map((frame) => [frame, frame + 12]))
  })

  test.each([
    [[0, 1, -1, 0], { width: 192, height: 320 }],
    [[-1, 0, 0, -1], { width: 320, height: 192 }],
    [[0, -1, 1, 0], { width: 192, height: 320 }],
    [[-1, 0, 0, 1], { width: 320, height: 192 }],
  ] as const)('a picture with the display matrix %j is upright', async (matrix, size) => {
    make('turned.mp4', { matrix, frames: 3 })
    const index = await fixture.decoder.probe(fileOf('turned.mp4'), never)
    expect(index).toMatchObject(size)
    expect(await numbers('turned.mp4', index, [0, 1, 2])).toEqual(pairWithItself([0, 1, 2]))
    const [picture] = await readPictures(
      fixture.decoder.frames(fileOf('turned.mp4'), index, [0], png, never),
    )
    expect(await sharp(picture).metadata()).toMatchObject({ ...size, format: 'png' })
  })
}

/** Pictures faster than the milliseconds of Matroska, and a clock that repeats a time. */
const equalTimes: Record<string, Partial<Clip>> = {
  'fast.mkv': { codec: 'h264', ticks: 2000, options: { bf: '0', qp: '20' } },
  'fast-B-frames.mkv': { codec: 'h264', ticks: 2500, options: { bf: '3', qp: '20' } },
  'fast.webm': { codec: 'vp9', ticks: 3000, options: { 'cpu-used': '8' } },
  'fast-vp8.webm': {
    codec: 'vp8',
    ticks: 2000,
    options: { deadline: 'realtime', 'cpu-used': '8' },
  },
  'one-repeated.mp4': { codec: 'h264', options: { bf: '0' }, change: repeatTime },
}

/** Gives frame 30 the time of frame 31, but keeps its decoding time. */
function repeatTime(packet: Packet): true {
  if (packet.pts === 30n) packet.pts = 31n
  return true
}

/** Tests that frames are counted by pictures, not by times. */
export function tryEqualTimes(fixture: DecoderFixture): void {
  const { make, numbers } = fixture
  describe.each(Object.entries(equalTimes))('%s, where pictures have equal times', (file, clip) => {
    test('has a frame for every shown picture, in decoding order', async () => {
      const index = await fixture.decoder.probe(make(file, clip), never)
      expect([index.by, index.pts.length]).toEqual(['order', frameCount])
      const all = range(0, frameCount)
      expect(await numbers(file, index, all)).toEqual(pairWithItself(all))
    })

    test('yields its frames with a step and in any order', async () => {
      const index = await fixture.decoder.probe(make(file, clip), never)
      const stepped = range(0, frameCount).filter((frame) => frame % 7 === 3)
      expect(await numbers(file, index, stepped)).toEqual(pairWithItself(stepped))
      for (const frame of [49, 1, 24, 25, 2, 0])
        expect(await numbers(file, index, [frame])).toEqual([[frame, frame]])
    })

    test('yields the frames that older versions counted, when requested', async () => {
      const given = make(file, clip)
      const index = await fixture.decoder.probe(given, never, { mergesEqualTimes: true })
      expect([index.by, index.pts.length < frameCount]).toEqual(['time', true])
      const all = range(0, index.pts.length)
      const shown = (await numbers(file, index, all)).map(([, number]) => number)
      expect(shown).toEqual([...new Set(shown)].sort((one, other) => one - other))
      expect([shown.length, shown[0]]).toEqual([all.length, 0])
    })
  })
}

/** Tests the choice of frames and the form of pictures. */
export function tryChoosing(fixture: DecoderFixture): void {
  const { fileOf, make, numbers } = fixture
  test('wanted frames are yielded in order over any gaps', async () => {
    const file = make('long.mp4', {
      frames: 700,
      gop: 50,
      options: { bf: '3', preset: 'ultrafast' },
    })
    const index = await fixture.decoder.probe(file, never)
    const wanted = [...range(40, 60), 100, 130, 420, 690, 699]
    expect(await numbers('long.mp4', index, wanted)).toEqual(pairWithItself(wanted))
    expect(
      await numbers(
        'long.mp4',
        index,
        range(0, 700).filter((n) => n % 7 === 3),
      ),
    ).toEqual(pairWithItself(range(0, 700).filter((n) => n % 7 === 3)))
  })

  test('a picture is a PNG, a JPEG of a quality, or a JPEG that fits a size', async () => {
    const index = await fixture.decoder.probe(fileOf('sound.mov'), never)
    const drawn = async (as: PictureForm) => {
      const [bytes = Buffer.alloc(0)] = await readPictures(
        fixture.decoder.frames(fileOf('sound.mov'), index, [5], as, never),
      )
      const { format, width, height } = await sharp(bytes).metadata()
      return { size: bytes.length, about: [format, width, height] }
    }
    const fine = await drawn({ format: 'jpeg', quality: 95 })
    const coarse = await drawn({ format: 'jpeg', quality: 10 })
    expect(fine.about).toEqual(['jpeg', 320, 192])
    expect(coarse.size).toBeLessThan(fine.size / 2)
    expect((await drawn(png)).about).toEqual(['png', 320, 192])
    expect((await drawn({ format: 'jpeg', fit: 100 })).about).toEqual(['jpeg', 100, 60])
    expect((await drawn({ format: 'jpeg', fit: 4000 })).about).toEqual(['jpeg', 320, 192])
  })
}

/** Tests an index with false statements about the file. */
export function tryLies(fixture: DecoderFixture): void {
  const { fileOf, numbers } = fixture
  test.each(['liar.mp4', 'liar.mkv'])(
    'false key frames of %s do not yield wrong frames',
    async (file) => {
      const lie = (packet: Packet) => {
        packet.isKeyframe = true
        return true
      }
      fixture.make(file, { frames: 120, gop: 50, options: { bf: '0' }, change: lie })
      const index = await fixture.decoder.probe(fileOf(file), never)
      const lying = { ...index, keys: index.pts } // FFmpeg itself ignores the false marks; the index does not
      for (const frame of [10, 49, 50, 99, 119])
        expect(await numbers(file, lying, [frame])).toEqual([[frame, frame]])
    },
  )

  test('a missing frame is reported by its number, after the frames before it', async () => {
    const index = await fixture.decoder.probe(fileOf('hevc.mp4'), never)
    const [at20 = 0, at21 = 0] = index.pts.slice(20, 22)
    const pts = Float64Array.from([...index.pts, Math.floor((at20 + at21) / 2)]).sort()
    const seen: number[] = []
    const reading = async () => {
      const wanted = range(19, 24)
      for await (const { frame } of fixture.decoder.frames(
        fileOf('hevc.mp4'),
        { ...index, pts },
        wanted,
        jpeg,
        never,
      ))
        seen.push(frame)
    }
    await expect(reading()).rejects.toMatchObject({
      constructor: UndecodableFrame,
      frame: 21,
      message: 'hevc.mp4: frame 21 of the video cannot be decoded',
    })
    expect(seen).toEqual([19, 20])
  })
}
