import type { ItemFrame } from '@reticle/formats/model/dataset'
import { expect, test } from 'vitest'
import type { ExportPart } from './export-part.ts'
import { subsetsOf } from './subsets.ts'

const about: ExportPart['about'] = {
  id: 1,
  name: '',
  bug_tracker: '',
  created_date: '',
  updated_date: '',
  owner: null,
  assignee: null,
  size: 0,
  mode: 'annotation',
  overlap: 0,
  frame_filter: '',
  origin: 0,
  step: 1,
  start_frame: 0,
  stop_frame: 0,
  segments: [],
}

/** Creates a part with one tag on every frame, whose tracks count from the requested index. */
function partOf(subset: string, paths: string[], tracks = 0): ExportPart {
  const frames: ItemFrame[] = paths.map((path, frame) => ({ frame, path, width: 4, height: 3 }))
  const tag = { label_id: 1, group: 0, source: 'manual', attributes: [] }
  return {
    subset,
    frames,
    tracks,
    about,
    deletedFrames: new Set([3]),
    deletedTracks: { count: 0, named: [] },
    stored: () => [],
    async *items({ firstIndex = 0, firstTrackId = 0 } = {}, withTracks = true) {
      if (!withTracks) return
      for (const [at, { frame }] of frames.entries())
        yield {
          index: firstIndex + at,
          shapes: [],
          tags: [{ ...tag, frame: frame + firstTrackId }],
        }
    },
  }
}

const namesOf = (parts: ExportPart[]) =>
  subsetsOf(parts).map(({ name, frames }) => [name, frames.map(({ path }) => path)])

test('each name is one subset, in the order of names, its tasks in their order', () => {
  const parts = [partOf('train', ['b.jpg']), partOf('test', ['a.jpg']), partOf('train', ['c.jpg'])]
  expect(namesOf(parts)).toEqual([
    ['test', ['a.jpg']],
    ['train', ['b.jpg', 'c.jpg']],
  ])
})

test('tasks without a subset are in `default`, or in `default_1` when that name is used', () => {
  expect(namesOf([partOf('', ['a.jpg'])])).toEqual([['default', ['a.jpg']]])
  expect(namesOf([partOf('', ['a.jpg']), partOf('default', ['a.jpg'])])).toEqual([
    ['default', ['a.jpg']],
    ['default_1', ['a.jpg']],
  ])
  expect(namesOf([])).toEqual([])
})

test('frames with equal names within a subset get different names', () => {
  const paths = ['x/a.jpg', 'b']
  expect(
    namesOf([partOf('', paths), partOf('', ['x/a_1.jpg', ...paths]), partOf('', paths)]),
  ).toEqual([
    ['default', ['x/a.jpg', 'b', 'x/a_1.jpg', 'x/a_1_1.jpg', 'b_1', 'x/a_1_1_1.jpg', 'b_1_1']],
  ])
})

test('frame numbers continue within a subset, track numbers over all subsets, in any read order', async () => {
  const parts = [
    partOf('b', ['a.jpg'], 2),
    partOf('a', ['a.jpg', 'b.jpg'], 3),
    partOf('b', ['b.jpg'], 1),
  ]
  const seen = async (at: number) => {
    const found: number[][] = []
    for await (const { index, tags } of subsetsOf(parts)[at]?.items() ?? [])
      found.push([index, tags[0]?.frame ?? -1])
    return found
  }
  expect(await seen(1)).toEqual([
    [0, 3],
    [1, 5],
  ])
  expect(await seen(0)).toEqual([
    [0, 0],
    [1, 1],
  ])
})

test('a part of a subset has its own renamed frames, and counts from its first', async () => {
  const [subset] = subsetsOf([partOf('', ['a.jpg', 'b.jpg']), partOf('', ['a.jpg'])])
  const [one, two] = subset?.parts ?? []
  expect(two?.frames.map(({ path }) => path)).toEqual(['a_1.jpg'])
  expect([one?.about, one?.deletedFrames]).toEqual([about, new Set([3])])
  const indices = async (withTracks: boolean) => {
    const found: number[] = []
    for await (const { index } of two?.items(withTracks) ?? []) found.push(index)
    return found
  }
  expect([await indices(true), await indices(false)]).toEqual([[0], []])
})
