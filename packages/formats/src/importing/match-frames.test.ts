import { describe, expect, test } from 'vitest'
import type { TargetFrames } from '../model/dataset.ts'
import { createFrameMatcher, createUnmatchedItems, deepestOf } from './match-frames.ts'

describe('an item is matched', () => {
  const cases: [string, string[], string, string | undefined][] = [
    ['by its path', ['a/b/c.jpg', 'c.jpg'], 'a/b/c.jpg', 'a/b/c.jpg'],
    ['by its path without the extension', ['a/b/c.jpg'], 'a/b/c', 'a/b/c.jpg'],
    ['with the last extension cut only', ['img.v1.jpg', 'img.v2.jpg'], 'img.v2', 'img.v2.jpg'],
    ['with the extension where two frames differ in it', ['a.jpg', 'a.png'], 'a.png', 'a.png'],
    ['to frame 0 as to any other', ['a.jpg', 'b.jpg'], 'a.jpg', 'a.jpg'],
    ['with backslashes and a leading dot', ['a/b.jpg'], '.\\a\\b.jpg', 'a/b.jpg'],
    ['when its letters are composed differently', ['\u00fc.jpg'], 'u\u0308.jpg', '\u00fc.jpg'],
    ['by a name only one frame has', ['x/a.jpg', 'x/b.jpg'], 'y/z/a.jpg', 'x/a.jpg'],
    ['by that name in another case', ['x/A.JPG'], 'a.jpg', 'x/A.JPG'],
    ['in the same case first', ['x/A.jpg', 'x/a.jpg'], 'a.jpg', 'x/a.jpg'],
    ['by its extension where two share a name', ['x/a.jpg', 'x/a.png'], 'a.png', 'x/a.png'],
    ['to none of two frames of one name', ['x/a.jpg', 'y/a.jpg'], 'a.jpg', undefined],
    ['to none of another name', ['a.jpg'], 'b.jpg', undefined],
    ['to none of that number', ['a.jpg', 'b.jpg'], '1.jpg', undefined],
    ['to the one of that base name, not number', ['5.jpg', 'x/0.jpg'], 'y/0.jpg', 'x/0.jpg'],
    [
      'percent-decoded',
      ['b.png', 'my picture (3).png'],
      'my%20picture%20(3).png',
      'my picture (3).png',
    ],
    ['literally, where that is a frame', ['a b.png', 'a%20b.png'], 'a%20b.png', 'a%20b.png'],
    ['percent-decoded in a folder', ['ä b/1.png', 'c/1.png'], '%C3%A4%20b/1.png', 'ä b/1.png'],
    ['percent-decoded in other letters', ['x/A B.PNG'], 'y/a%20b.png', 'x/A B.PNG'],
    ['to an encoded frame', ['a%20b.png', 'c.png'], 'a b.png', 'a%20b.png'],
    ['beside a sign that encodes nothing', ['100% a b.png'], '100% a%20b.png', '100% a b.png'],
    ['to none of two that decode to its base', ['x/a b.png', 'y/a b.png'], 'a%20b.png', undefined],
    ['by a base name with dots', ['x/img.v1.jpg', 'x/img.v2.jpg'], 'y/img.v2', 'x/img.v2.jpg'],
  ]
  test.each(cases)('%s', (_, paths, item, expected) => {
    expect(createFrameMatcher(target(paths)).match({ paths: [item] })?.path).toBe(expected)
  })

  test('by its percent-decoded path below the folder that the deepest item shows', () => {
    const frames = target(['up/s 1/x/1.jpg', 'up/s 1/2.jpg', 'up/s 2/2.jpg'])
    const matcher = createFrameMatcher(frames, 's%201/x/1.jpg')
    expect(matcher.match({ paths: ['s%201/2.jpg'] })?.path).toBe('up/s 1/2.jpg')
  })

  test('by the first of its possible paths', () => {
    const matcher = createFrameMatcher(target(['1/a.jpg', '2/a.jpg']))
    expect(matcher.match({ paths: ['images/2/a.jpg', '2/a.jpg'] })?.frame).toBe(1)
  })

  test('by its path below the folder that the deepest item shows', () => {
    const paths = ['upload/set1/x/1.jpg', 'upload/set1/2.jpg', 'upload/set2/2.jpg']
    const matcher = createFrameMatcher(target(paths), deepestOf(['2.jpg', 'x/1.jpg']))
    expect(matcher.match({ paths: ['2.jpg'] })?.path).toBe('upload/set1/2.jpg')
  })

  test('by any of its names, whole paths first', () => {
    const matcher = createFrameMatcher(target(['x/a.jpg', 'b.jpg']))
    expect(matcher.match({ paths: ['a', 'b.jpg'] })?.frame).toBe(1)
    expect(matcher.match({ paths: ['none', 'y/A.JPG'] })?.frame).toBe(0)
  })

  test('by a number when it has no name', () => {
    const matcher = createFrameMatcher({ ...target(['a.jpg', 'b.jpg']), start_frame: 10, step: 5 })
    expect(matcher.match({ paths: [], frame: 15 })?.frame).toBe(1)
    expect(matcher.match({ paths: [''], frame: 10 })?.frame).toBe(0)
    expect(matcher.match({ paths: ['x.jpg'], frame: 10 })).toBeUndefined()
    expect(matcher.match({ paths: [], frame: 16 })).toBeUndefined()
  })

  test('by an absolute frame number in a video with a step', () => {
    const grid = { start_frame: 10, step: 5, is_video: true }
    const matcher = createFrameMatcher({ ...target(['a.jpg', 'b.jpg']), ...grid })
    expect(matcher.match({ paths: ['15.jpg'] })?.frame).toBe(1)
    expect(matcher.match({ paths: ['x.jpg'], frame: 10 })?.frame).toBe(0)
    expect(matcher.match({ paths: ['16'] })).toBeUndefined()
    expect(matcher.match({ paths: ['20'] })).toBeUndefined()
  })

  test('by the number in a frame name, in videos only', () => {
    const frames = target(['v.mp4/0', 'v.mp4/1'])
    const paths = ['deep/frame_000001.PNG']
    expect(createFrameMatcher({ ...frames, is_video: true }).match({ paths })?.frame).toBe(1)
    expect(createFrameMatcher(frames).match({ paths })).toBeUndefined()
  })
})

test('items without a frame are counted once each, and at most ten are named', () => {
  const items = createUnmatchedItems()
  items.check()
  for (let index = 0; index < 12; index += 1) items.add(`${index}.jpg`)
  items.add('0.jpg')
  expect(() => items.check()).toThrow(
    '12 annotated items have no matching frame in this task: 0.jpg, 1.jpg, 2.jpg, 3.jpg, 4.jpg, 5.jpg, 6.jpg, 7.jpg, 8.jpg, 9.jpg, ...',
  )
})

function target(paths: string[]): TargetFrames {
  const frames = paths.map((path, frame) => ({ path, frame, width: 1, height: 1 }))
  return { frames, start_frame: 0, step: 1, is_video: false, includes: () => true }
}
