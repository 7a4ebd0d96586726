import { expect, test } from 'vitest'
import { barWidth, createProgress } from './progress.ts'

function pipe() {
  const written: string[] = []
  return { written, write: (text: string) => written.push(text) }
}

test('without a terminal, progress is printed at the start, at every tenth and at most once per second', () => {
  let time = 0
  const stderr = pipe()
  const progress = createProgress(stderr, { now: () => time })
  progress.step('Sending')
  progress.update(0.04, 'too soon')
  time = 999
  progress.update(0.05, 'too soon')
  time = 1000
  progress.update(0.05, 'a second')
  progress.update(0.16, 'a tenth')
  time = 5000
  progress.update(0.16, 'nothing new')
  progress.update(1, 'all')
  progress.update(1, 'all')
  expect(stderr.written).toEqual([
    'Sending: 0 %\n',
    'Sending: 5 %  a second\n',
    'Sending: 16 %  a tenth\n',
    'Sending: 100 %  all\n',
  ])
})

test('`--quiet` prints nothing, and a share above 1 counts as 1', () => {
  const [quiet, loud] = [pipe(), pipe()]
  createProgress(quiet, { quiet: true }).step('Sending')
  const progress = createProgress(loud)
  progress.step('Sending')
  progress.update(7)
  expect(quiet.written).toEqual([])
  expect(loud.written.at(-1)).toBe('Sending: 100 %\n')
})

test('a step that starts in two places is printed once, and again after progress was made', () => {
  const stderr = pipe()
  const progress = createProgress(stderr)
  progress.step('Writing')
  progress.step('Writing')
  progress.update(1)
  progress.step('Writing')
  expect(stderr.written).toEqual(['Writing: 0 %\n', 'Writing: 100 %\n', 'Writing: 0 %\n'])
})

test('control characters in names do not reach the terminal', () => {
  const stderr = pipe()
  const progress = createProgress(stderr)
  progress.step('Backup of task \u001b[2J')
  progress.update(1, '\u001b]0;')
  expect(stderr.written.join('')).not.toContain('\u001b')
})

test.each([
  ['wide', 200, 40],
  ['usual', 80, 40],
  ['narrow', 50, 13],
  ['hardly any', 20, 5],
])('the width of a bar fits the terminal: %s', (_, columns, width) => {
  expect(barWidth('Writing', columns)).toBe(width)
})
