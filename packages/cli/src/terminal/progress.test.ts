import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function pipe() {
  const written: string[] = []
  return { written, write: (text: string) => written.push(text) }
}

test('without a terminal a step is told at once, then every tenth, or every second that brought something', () => {
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

test('--quiet says nothing, and a share beyond all is all', () => {
  const [quiet, loud] = [pipe(), pipe()]
  createProgress(quiet, { quiet: true }).step('Sending')
  const progress = createProgress(loud)
  progress.step('Sending')
  progress.update(7)
  expect(quiet.written).toEqual([])
  expect(loud.written.at(-1)).toBe('Sending: 100 %\n')
})
