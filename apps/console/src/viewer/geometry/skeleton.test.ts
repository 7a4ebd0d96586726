import { expect, test } from 'vitest'
import { edgesOf } from './skeleton.ts'

const node = (id: number, label: number) =>
  `<circle r="1.5" data-type="element node" data-node-id="${id}" data-label-id="${label}"></circle>`
const line = (from: number, to: number) =>
  `<line x1="40" data-type="edge" data-node-from="${from}" data-node-to="${to}"></line>`

test('lines join the sublabels of their nodes in any order of elements', () => {
  const svg = line(1, 2) + node(1, 42) + node(2, 43) + node(3, 44) + line(2, 3)
  expect(edgesOf(svg)).toEqual([
    [42, 43],
    [43, 44],
  ])
})

test('a line to a missing node is ignored', () => {
  expect(edgesOf(node(1, 42) + line(1, 9))).toEqual([])
})

test('the edges of a label without a drawing are an empty list', () => {
  expect(edgesOf(undefined)).toEqual([])
  expect(edgesOf('<circle data-node-id="x')).toEqual([])
})
