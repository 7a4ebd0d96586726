import { labelOf } from '@reticle/contracts/testing/records'
import type { FileLabel } from '@reticle/formats/model/file-labels'
import { expect, test } from 'vitest'
import { labelItems } from './label-items.ts'

/** Labels of a file whose names are from a table of the service. */

const origin = 'gt/labels.txt is not in the archive'
const official = [{ name: 'pedestrian', attributes: [], origin }]

test('the error for a missing label of a table names the table', () => {
  const current = [labelOf({ id: 1, name: 'fish' }), labelOf({ id: 2, name: 'shark' })]
  expect(() => labelItems(official, current)).toThrow(
    'Target project does not have label with name "pedestrian"; gt/labels.txt is not in the archive',
  )
})

test('the only label of a project can be used for labels from a table', () => {
  expect(labelItems(official, [labelOf({ id: 1, name: 'fish' })])).toEqual([])
})

test('a missing label of the file is refused although the project has one label', () => {
  const given = [...official, { name: 'van', attributes: [] }]
  expect(() => labelItems(given, [labelOf({ id: 1, name: 'fish' })])).toThrow('"van"')
})

const head = labelOf({ id: 3, name: 'head', type: 'points', has_parent: true })
const person = labelOf({ id: 2, name: 'person', type: 'skeleton', sublabels: [head] })
const named = (name: string, ...parts: string[]): FileLabel => ({
  name,
  attributes: [],
  ...(parts.length > 0 && { sublabels: parts.map((part) => named(part)) }),
})

test.each([
  ['as labels', [named('person'), named('head')]],
  ['without their skeleton', [named('head')]],
  ['below their skeleton', [named('person', 'head')]],
])('points of a skeleton that the file lists %s are known', (_, given) => {
  expect(labelItems(given, [person])).toEqual([])
})

test('points that the file lists below a label may be labels of the project', () => {
  const current = [labelOf({ id: 1, name: 'head' }), labelOf({ id: 2, name: 'person' })]
  expect(labelItems([named('person', 'head')], current)).toEqual([])
})

test('a point that is missing from its skeleton is refused with both names', () => {
  expect(() => labelItems([named('person', 'head', 'hand')], [person])).toThrow('"person/hand"')
})

test('a project without labels gets labels from a table by name only', () => {
  expect(labelItems(official, [])).toEqual([{ name: 'pedestrian', attributes: [] }])
})
