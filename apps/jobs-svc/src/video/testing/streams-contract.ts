import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  clips,
  type DecoderFixture,
  frameCount,
  never,
  pairWithItself,
  range,
} from './decoder-fixture.ts'

const packetBytes = 188

/**
 * Tests containers for transmission, whose times may repeat, break or be missing: frames are counted in decoding order.
 */
export function tryStreams(fixture: DecoderFixture): void {
  const { fileOf, make, numbers } = fixture
  const bytesOf = (name: string) => readFile(fileOf(name).path)
  const probed = (name: string, bytes: Uint8Array) => probeBytes(fixture, name, bytes)

  test('frames of a stream are counted by order, those of other containers by time', async () => {
    const by = async (file: string) => (await fixture.decoder.probe(fileOf(file), never)).by
    const streams = ['B-frames.ts', 'disc.vob', 'wmv2.wmv', 'h264.flv', 'theora.ogv']
    expect(new Set(await Promise.all(streams.map(by)))).toEqual(new Set(['order']))
    expect(await by('msmpeg4.avi')).toBe('time')
  })

  test('a transport stream that starts between two key frames starts with the second', async () => {
    make('headless.ts', { change: ({ pts }) => pts >= 5n, options: { bf: '0' } })
    const index = await fixture.decoder.probe(fileOf('headless.ts'), never)
    expect(index.pts.length).toBe(frameCount - 12)
    const all = range(0, index.pts.length)
    expect(await numbers('headless.ts', index, all)).toEqual(
      all.map((frame) => [frame, frame + 12]),
    )
    expect(await numbers('headless.ts', index, [30])).toEqual([[30, 42]])
  })

  test('two concatenated recordings, whose times start again, have all frames of both', async () => {
    const once = await bytesOf('B-frames.ts')
    const index = await probed('twice.ts', Buffer.concat([once, once]))
    expect(index.pts.length).toBe(frameCount * 2)
    const all = range(0, frameCount * 2)
    const shown = all.map((frame) => [frame, frame % frameCount])
    expect(await numbers('twice.ts', index, all)).toEqual(shown)
    expect(await numbers('twice.ts', index, [7, 61, 99])).toEqual([7, 61, 99].map((n) => shown[n]))
  })
}

/** Tests streams with missing parts. */
export function tryLosses(fixture: DecoderFixture): void {
  const { fileOf, make, numbers } = fixture
  const bytesOf = (name: string) => readFile(fileOf(name).path)
  const probed = (name: string, bytes: Uint8Array) => probeBytes(fixture, name, bytes)

  test.each(['B-frames.ts', 'mpeg2.ts'])(
    '%s without some packets has the remaining frames',
    async (file) => {
      const whole = await bytesOf(file)
      const at = Math.floor(whole.length / packetBytes / 2) * packetBytes
      const lossy = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 2 * packetBytes)])
      const index = await probed(`lossy-${file}`, lossy)
      expect(index.pts.length).toBeGreaterThan(frameCount / 2)
      const all = range(0, index.pts.length)
      const found = await numbers(`lossy-${file}`, index, all)
      expect(found.map(([frame]) => frame)).toEqual(all)
      expect(found.slice(0, 10)).toEqual(pairWithItself(all.slice(0, 10)))
    },
  )

  test.each(['camera.m2ts', 'mpeg2.mpg', 'wmv2.wmv', 'h264.flv', 'theora.ogv'])(
    '%s that was cut at any byte has the frames before the cut',
    async (file) => {
      const whole = await bytesOf(file)
      const index = await probed(`stopped-${file}`, whole.subarray(0, whole.length * 0.7))
      expect(index).toMatchObject({ codec: clips[file]?.codec, by: 'order' })
      const all = range(0, index.pts.length)
      expect(all.length).toBeGreaterThan(5)
      const found = await numbers(`stopped-${file}`, index, all)
      expect(found.map(([frame]) => frame)).toEqual(all)
      expect(found.slice(0, 5)).toEqual(pairWithItself(all.slice(0, 5)))
    },
  )

  test('a transport stream with sound alone is refused', async () => {
    make('only.ts', { frames: 0, hasSound: true })
    await expect(fixture.decoder.probe(fileOf('only.ts'), never)).rejects.toThrow(/^only\.ts: /)
  })
}

async function probeBytes({ fileOf, decoder }: DecoderFixture, name: string, bytes: Uint8Array) {
  await writeFile(fileOf(name).path, bytes)
  return decoder.probe(fileOf(name), never)
}
