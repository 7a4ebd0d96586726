import type { ClipChapter } from '@reticle/kit/testing/video/chapters'
import type { Clip } from '@reticle/kit/testing/video/clips'
import { describe, expect, test } from 'vitest'
import { mostChapters, type VideoChapter, type VideoChapters } from '../decoder.ts'
import { type DecoderFixture, frameCount, never, unevenTime } from './decoder-fixture.ts'

/** Three parts of a clip of 50 frames at 25 frames per second. */
const parts: readonly ClipChapter[] = [
  { start: 0, title: 'Opening' },
  { start: 0.4, title: 'Crossing' },
  { start: 1.6, title: 'End' },
]
const partFrames: VideoChapter[] = [
  { start: 0, stop: 9, title: 'Opening' },
  { start: 10, stop: 39, title: 'Crossing' },
  { start: 40, stop: 49, title: 'End' },
]

const containers: Record<string, Partial<Clip>> = {
  'parts.mp4': { options: { bf: '3' } },
  'parts.mov': { hasSound: true },
  'parts.mkv': { options: { 'x264-params': 'open-gop=1:bframes=3' } },
  'parts.webm': { codec: 'vp9', options: { 'cpu-used': '8' } },
}

/** Tests chapters that the file itself lists. */
export function tryChapters(fixture: DecoderFixture): void {
  describe('chapters', () => {
    readingEveryContainer(fixture)
    readingTitles(fixture)
    readingTimes(fixture)
    readingMany(fixture)
  })
}

const chaptersIn =
  ({ decoder, make }: DecoderFixture) =>
  async (name: string, clip: Partial<Clip>): Promise<VideoChapters> => {
    const file = make(name, clip)
    const index = await decoder.probe(file, never)
    return decoder.chapters(file, index, never)
  }

function readingEveryContainer(fixture: DecoderFixture): void {
  const { fileOf } = fixture
  test.each(Object.entries(containers))(
    'chapters of %s are read with their frames',
    async (name, clip) => {
      const read = chaptersIn(fixture)
      expect(await read(name, { ...clip, chapters: parts })).toEqual({
        chapters: partFrames,
        isWhole: true,
      })
    },
  )

  test.each(['B-frames.mp4', 'open.mkv', 'alt-ref.webm', 'mpeg4.avi', 'wmv2.wmv', 'B-frames.ts'])(
    '%s without chapters has an empty list',
    async (name) => {
      const index = await fixture.decoder.probe(fileOf(name), never)
      const found = await fixture.decoder.chapters(fileOf(name), index, never)
      expect(found).toEqual({ chapters: [], isWhole: true })
    },
  )
}

function readingTitles(fixture: DecoderFixture): void {
  test('titles keep characters of every script and special characters', async () => {
    const titles = [
      'Überführung',
      '交差点',
      '🚗 a|b=c',
      'C:\\new\\table',
      '"quoted", \'so\'',
      ' - ',
    ]
    const chapters = titles.map((title, place) => ({ start: place / 5, title }))
    for (const name of ['titles.mkv', 'titles.mp4']) {
      const found = await chaptersIn(fixture)(name, { chapters })
      expect(found.chapters.map(({ title }) => title)).toEqual(titles)
    }
  })

  test('a title keeps its lines', async () => {
    const title = 'Crossing\nat noon'
    const { chapters } = await chaptersIn(fixture)('lines.mkv', { chapters: [{ start: 0, title }] })
    expect(chapters).toEqual([{ start: 0, stop: 49, title }])
  })

  test('a title of many lines is cut to 1,024 characters', async () => {
    const chapters = [
      { start: 0, title: 'line\n'.repeat(2000) },
      { start: 1, title: 'next' },
    ]
    const { chapters: found } = await chaptersIn(fixture)('many-lines.mkv', { chapters })
    const cut = 'line\n'.repeat(205).slice(0, 1024)
    expect(found.map(({ title }) => title)).toEqual([cut, 'next'])
  })

  test('a chapter without a title has an empty one among chapters with titles', async () => {
    const chapters = [{ start: 0 }, { start: 0.4, title: 'two' }, { start: 0.8 }]
    const { chapters: found } = await chaptersIn(fixture)('some.mkv', { chapters })
    expect(found.map(({ title }) => title)).toEqual(['', 'two', ''])
  })

  test('a title of one line is cut to 1,024 characters, by node-av to 255 bytes', async () => {
    const title = 'ä'.repeat(2000)
    const chapters = [
      { start: 0, title },
      { start: 1, title: 'next' },
    ]
    const found = await chaptersIn(fixture)('long.mkv', { chapters })
    const most = fixture.decoder.about.adapter === 'ffmpeg' ? 1024 : 127
    expect(found.chapters.map((one) => one.title)).toEqual(['ä'.repeat(most), 'next'])
  })
}

function readingTimes(fixture: DecoderFixture): void {
  const clock: readonly ClipChapter[] = [
    { start: 90, title: 'a' },
    { start: 90.4, end: 91, title: 'b' },
  ]

  test('chapters are placed by the clock of the pictures, which may start late', async () => {
    const clip = { ticks: 1000, timeOf: (frame: number) => 90_000 + frame * 40, chapters: clock }
    expect((await chaptersIn(fixture)('late-parts.mkv', clip)).chapters).toEqual([
      { start: 0, stop: 9, title: 'a' },
      { start: 10, stop: 24, title: 'b' },
    ])
  })

  test('chapters are placed among unevenly spaced frames', async () => {
    const at = (frame: number) => unevenTime(frame) / 1000
    const chapters = [{ start: at(3) }, { start: at(20), end: at(21) }, { start: at(33) }]
    const clip = { ticks: 1000, timeOf: unevenTime, chapters }
    const found = await chaptersIn(fixture)('uneven-parts.mkv', clip)
    expect(found.chapters.map(({ start, stop }) => [start, stop])).toEqual([
      [3, 19],
      [20, 20],
      [33, 49],
    ])
  })

  test('chapters are placed among frames that are counted by order', async () => {
    const at = (frame: number) => frame / 2000 // the first of two frames to which Matroska gives one time is found
    const chapters = [{ start: at(0) }, { start: at(20) }, { start: at(44) }]
    const clip = { ticks: 2000, options: { bf: '0', qp: '20' }, chapters }
    const file = fixture.make('fast-parts.mkv', clip)
    const index = await fixture.decoder.probe(file, never)
    expect(index.by).toBe('order')
    const found = await fixture.decoder.chapters(file, index, never)
    expect(found.chapters.map(({ start, stop }) => [start, stop])).toEqual([
      [0, 18],
      [19, 42],
      [43, 49],
    ])
  })

  test('chapters may overlap, an empty one has one frame, one beyond the end is left out', async () => {
    const chapters = [
      { start: 0, end: 2, title: 'all' },
      { start: 0.4, end: 1.2, title: 'inner' },
      { start: 0.8, end: 0.8, title: 'mark' },
      { start: 1.6, end: 60, title: 'longer' },
      { start: 60, end: 70, title: 'beyond' },
    ]
    expect((await chaptersIn(fixture)('odd.mkv', { chapters })).chapters).toEqual([
      { start: 0, stop: 49, title: 'all' },
      { start: 10, stop: 29, title: 'inner' },
      { start: 20, stop: 20, title: 'mark' },
      { start: 40, stop: 49, title: 'longer' },
    ])
  })
}

function readingMany(fixture: DecoderFixture): void {
  test('chapters beyond the limit are left out and `isWhole` is false', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, place) => ({ start: place / 10_000, title: `${place}` }))
    const whole = await chaptersIn(fixture)('many.mkv', { chapters: some(mostChapters) })
    expect([whole.chapters.length, whole.isWhole]).toEqual([mostChapters, true])
    const cut = await chaptersIn(fixture)('more.mkv', { chapters: some(mostChapters + 50) })
    expect([cut.chapters.length, cut.isWhole]).toEqual([mostChapters, false])
    expect(cut.chapters.at(-1)?.title).toBe(String(mostChapters - 1))
    expect(cut.chapters.every(({ stop }) => stop < frameCount)).toBe(true)
  })
}
