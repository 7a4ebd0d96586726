import { expect, test } from 'vitest'
import { absentText, featureTexts, lossRows, lossText } from './losses.ts'

const none = {
  label_id: 1,
  name: 'car',
  tags: 0,
  rectangle: 0,
  polygon: 0,
  polyline: 0,
  points: 0,
  ellipse: 0,
  cuboid: 0,
  mask: 0,
  skeleton: 0,
  tracks: 0,
}
const format = {
  kinds: { tag: 'dropped', rectangle: 'kept', ellipse: 'dropped', mask: 'converted' },
  features: { tracks: 'converted', rotation: 'dropped', score: 'converted', group: 'kept' },
} as const

test('losses are counted over all labels, worst first', () => {
  const labels = [
    { ...none, ellipse: 7, rectangle: 40 },
    { ...none, ellipse: 5, mask: 3 },
  ]
  expect(lossRows(format, { labels })).toEqual([
    { kind: 'ellipses', count: 12, fate: 'dropped' },
    { kind: 'masks', count: 3, fate: 'converted' },
    { kind: 'rectangles', count: 40, fate: 'kept' },
    { kind: 'tags', count: 0, fate: 'dropped' },
    { kind: 'tracks', count: 0, fate: 'converted' },
  ])
})

test('losses are summarised in a sentence', () => {
  const rows = lossRows(format, { labels: [{ ...none, ellipse: 12, mask: 3 }] })
  expect(lossText(rows)).toBe('12 ellipses would be dropped; 3 masks converted.')
  expect(lossText(rows.slice(1))).toBe('3 masks would be converted.')
  expect(lossText([])).toBe('Nothing would be lost.')
})

test('kinds without objects are listed as well', () => {
  const rows = lossRows(format, { labels: [{ ...none, ellipse: 1 }] })
  expect(absentText(rows)).toBe('kept: rectangles; converted: masks, tracks; dropped: tags')
})

test('lost features of objects are listed', () => {
  expect(featureTexts(format.features)).toEqual(['rotation dropped', 'score converted'])
})
