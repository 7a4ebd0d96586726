import { expect, test, vi } from 'vitest'
import { longestTitle, mostChapters } from '../decoder.ts'
import { listenForChapters } from './chapter-lines.ts'

function read(lines: Iterable<string>) {
  const onFull = vi.fn()
  const { found, onLine } = listenForChapters(onFull)
  for (const line of lines) onLine(line)
  return { found, onFull }
}

const chapter = '    Chapter #0:0: start 0.000000, end 1.500000'
const heading = '      Metadata:'
const titleLine = (text: string) => `        title           : ${text}`
const furtherLine = (text: string) => `                        : ${text}`
const times = { start: 0, end: 1.5 }

test('a title keeps its own further lines and no lines of other fields', () => {
  const artist = '        artist          : Anna'
  const lines = [chapter, heading, titleLine('One'), furtherLine('two'), artist, furtherLine('x')]
  expect(read(lines).found).toEqual([{ ...times, title: 'One\ntwo' }])
})

test.each([
  ['a stream', '  Stream #0:0: Video: h264'],
  ['a program', '  Program 1'],
  ['a chapter whose start is unknown', '    Chapter #0:1: start nan, end 2.000000'],
])('the title of %s is not read as that of the previous chapter', (_, line) => {
  const lines = [chapter, heading, titleLine('One'), line, heading, titleLine('Other')]
  expect(read(lines).found).toEqual([{ ...times, title: 'One' }])
})

test('the rest of a character that was cut at the end of a line is removed', () => {
  expect(read([chapter, titleLine('Ü\uFFFD'), furtherLine('a\uFFFD')]).found).toEqual([
    { ...times, title: 'Ü\na' },
  ])
})

test('a title of very many lines is kept only up to the needed length', () => {
  const more = Array.from({ length: 100_000 }, () => furtherLine('line'))
  const [found] = read([chapter, titleLine('One'), ...more]).found
  expect(found?.title.length).toBeGreaterThanOrEqual(longestTitle)
  expect(found?.title.length).toBeLessThan(longestTitle * 2 + 255)
})

test('reading ends at one chapter more than the limit', () => {
  const some = (count: number) => Array.from({ length: count }, () => chapter)
  expect(read(some(mostChapters)).onFull).not.toHaveBeenCalled()
  const { found, onFull } = read(some(mostChapters + 5))
  expect(found).toHaveLength(mostChapters + 1)
  expect(onFull).toHaveBeenCalledTimes(1)
})
