import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { FileAttribute, FileLabel } from '../../model/file-labels.ts'
import { createRun, zipOf } from '../../testing/run.ts'
import { openServiceDataset } from './dataset.ts'

/**
 * Labels of a dataset: those that documents declare, corrected so that a project accepts them, and those that only
 * annotations use.
 */

async function labelsOf(...documents: string[]): Promise<readonly FileLabel[]> {
  const files = documents.map((text, index) => [`${index}.xml`, text])
  const zip = await zipOf({ ...Object.fromEntries(files), 'images/a.jpg': 'x' })
  return (await openServiceDataset(sourceOf(zip), createRun().run)).labels
}

const declared = (labels: string) => `<meta><task><labels>${labels}</labels></task></meta>`
const document = (meta: string, inner = '', rest = '') =>
  `<annotations>${meta}<image id="0" name="a.jpg">${inner}</image>${rest}</annotations>`
const label = (name: string, rest = '') => `<label><name>${name}</name>${rest}</label>`
const attribute = (name: string, input_type: string, values = '', default_value = '', more = '') =>
  `<attribute><name>${name}</name>${more}<input_type>${input_type}</input_type><default_value>${default_value}</default_value><values>${values}</values></attribute>`

describe('declared labels', () => {
  const read = async (given: string): Promise<FileAttribute | undefined> => {
    const [one] = await labelsOf(
      document(declared(label('car', `<attributes>${given}</attributes>`))),
    )
    return one?.attributes[0]
  }

  test.each<[string, string, Partial<FileAttribute>]>([
    [
      'a choice',
      attribute('a', 'select', 'x\ny z', 'y z'),
      { values: ['x', 'y z'], default_value: 'y z' },
    ],
    [
      'a choice a blank apart',
      attribute('a', 'radio', 'v1 v2 v1', 'v2'),
      { values: ['v1', 'v2'], default_value: 'v2' },
    ],
    ['a choice without a default', attribute('a', 'select', 'x y', 'z'), { values: ['x y'] }],
    [
      'a choice of nothing',
      attribute('a', 'select', '', 'x'),
      { input_type: 'text', default_value: 'x' },
    ],
    [
      'a range',
      attribute('a', 'number', '-1\n5\n0.5', '5'),
      { values: ['-1', '5', '0.5'], default_value: '5' },
    ],
    ['a range of one', attribute('a', 'number', '5\n5\n1', '6'), { values: ['5', '5', '1'] }],
    [
      'a range that is none',
      attribute('a', 'number', '2.4 1 -5.6', '0'),
      { input_type: 'text', values: ['2.4 1 -5.6'], default_value: '0' },
    ],
    [
      'a flag',
      attribute('a', 'checkbox', 'false\ntrue', 'True'),
      { values: ['false', 'true'], default_value: 'true' },
    ],
    ['a flag without a default', attribute('a', 'checkbox'), { values: [] }],
    ['a text', attribute('a', 'text', '', ' x '), { values: [], default_value: ' x ' }],
    [
      'something else',
      attribute('a', 'date', 'x'),
      { input_type: 'text', values: ['x'], default_value: '' },
    ],
    [
      'what changes',
      attribute('a', 'text', '', '', '<mutable>True</mutable>'),
      { values: [], mutable: true, default_value: '' },
    ],
  ])('%s', async (_, given, expected) => {
    const [, input_type = ''] = /<input_type>(\w+)</.exec(given) ?? []
    expect(await read(given)).toEqual({
      name: 'a',
      mutable: false,
      input_type,
      values: [],
      ...expected,
    })
  })

  test('keep only valid types and colours', async () => {
    const given = [
      label('a', '<color>#AABBCC</color><type>polygon</type>'),
      label('b', '<color>red</color><type>bbox</type>'),
      label('a', '<type>mask</type>'),
      label('', '<type>mask</type>'),
      label('background'),
    ]
    expect(await labelsOf(document(declared(given.join(''))))).toEqual([
      { name: 'a', type: 'polygon', color: '#aabbcc', attributes: [] },
      { name: 'b', type: 'any', attributes: [] },
      { name: 'background', type: 'any', attributes: [] },
    ])
  })

  test('of skeletons get the elements that name them as parent or that occur in their drawing', async () => {
    const svg = ['foot', 'a &amp;amp; b']
      .map(
        (name) =>
          `&lt;circle cx="1" data-label-id="7" data-label-name="${name}"&gt;&lt;/circle&gt;`,
      )
      .join('')
    const given = [
      label('person', `<type>skeleton</type><svg>${svg}</svg>`),
      label('dog'),
      label('foot', '<type>points</type><color>#000001</color><parent>person</parent>'),
      label('tail', '<parent>dog</parent>'),
      label('lost', '<parent>cat</parent>'),
    ]
    const drawing = ['foot', 'a &amp; b']
      .map((name) => `<circle cx="1" data-label-name="${name}"></circle>`)
      .join('')
    expect(await labelsOf(document(declared(given.join(''))))).toEqual([
      {
        name: 'person',
        type: 'skeleton',
        attributes: [],
        svg: drawing,
        sublabels: [
          { name: 'foot', type: 'points', color: '#000001', attributes: [] },
          { name: 'a & b', type: 'points', attributes: [] },
        ],
      },
      {
        name: 'dog',
        type: 'skeleton',
        attributes: [],
        sublabels: [{ name: 'tail', type: 'any', attributes: [] }],
      },
    ])
  })

  test('are limited in number', async () => {
    const tags = Array.from({ length: 100_001 }, (_, index) => `<tag label="${index}"/>`).join('')
    await expect(labelsOf(document('', tags))).rejects.toThrow(
      '0.xml: more than 100000 labels and attributes at line 1',
    )
  })

  test('are read from a description of limited length', async () => {
    const long = `<name>${'x'.repeat(5_000_000)}</name>`.repeat(7)
    await expect(labelsOf(document(`<meta>${long}</meta>`))).rejects.toThrow(
      '0.xml: more than 33554432 characters in <meta> at line 1',
    )
  })
})

describe('labels of annotations', () => {
  const value = (name: string, text: string) => `<attribute name="${name}">${text}</attribute>`
  const corners = 'xtl="1" ytl="2" xbr="3" ybr="4"'
  const box = (name: string, inner = '') => `<box label="${name}" ${corners}>${inner}</box>`
  const text = { input_type: 'text', mutable: false, values: [] }

  test('are added when nothing is declared', async () => {
    const inner =
      box('car', value('wet', 'true') + value('lanes', '07')) +
      box('car', value('wet', 'False')) +
      '<tag label="night"></tag><tag label=""></tag><tag label="background"></tag>'
    const track = `<track label="bus">${box('', value('line', 'A'))}</track>`
    expect(await labelsOf(document('', inner, track))).toEqual([
      {
        name: 'car',
        attributes: [
          { name: 'wet', input_type: 'checkbox', mutable: false, values: [] },
          { name: 'lanes', ...text },
        ],
      },
      { name: 'night', attributes: [] },
      { name: 'bus', attributes: [{ name: 'line', ...text, mutable: true }] },
    ])
  })

  test('become skeletons for both notations of skeleton tracks', async () => {
    const points = (name: string, inner = '') =>
      `<points label="${name}" points="1,2">${inner}</points>`
    const shape = `<skeleton label="person">${points('head', value('hat', 'no'))}${points('foot')}${value('mood', 'up')}</skeleton>`
    const inShapes = `<track label="dog"><skeleton frame="0">${points('tail', value('wags', 'true'))}</skeleton></track>`
    const inTracks = `<track label="cat"><skeleton frame="0"/><track label="paw"><points frame="0" points="1,2"/></track></track>`
    const part = (name: string, attributes: object[] = []) => ({ name, type: 'points', attributes })
    const wags = { name: 'wags', input_type: 'checkbox', mutable: true, values: [] }
    expect(await labelsOf(document('', shape, inShapes + inTracks))).toEqual([
      {
        name: 'person',
        type: 'skeleton',
        attributes: [{ name: 'mood', ...text }],
        sublabels: [part('head', [{ name: 'hat', ...text }]), part('foot')],
      },
      { name: 'dog', type: 'skeleton', attributes: [], sublabels: [part('tail', [wags])] },
      { name: 'cat', type: 'skeleton', attributes: [], sublabels: [part('paw')] },
    ])
  })

  test('follow declared labels, wherever the declaration is', async () => {
    const meta = declared(
      label('car', `<attributes>${attribute('a', 'text', '', 'x')}</attributes>`),
    )
    const inner = box('car', value('a', 'true') + value('b', 'true')) + box('bus')
    const car = {
      name: 'car',
      type: 'any',
      attributes: [
        { name: 'a', ...text, default_value: 'x' },
        { name: 'b', input_type: 'checkbox', mutable: false, values: [] },
      ],
    }
    const expected = [car, { name: 'bus', attributes: [] }]
    expect(await labelsOf(document(meta, inner))).toEqual(expected)
    expect(await labelsOf(document('', inner, meta))).toEqual(expected)
  })

  test('are merged over all documents', async () => {
    const one = declared(
      label('person', '<type>skeleton</type>') + label('head', '<parent>person</parent>'),
    )
    const other = '<skeleton label="person"><points label="foot" points="1,2"/></skeleton>'
    expect(await labelsOf(document(one), document('', other))).toEqual([
      {
        name: 'person',
        type: 'skeleton',
        attributes: [],
        sublabels: [
          { name: 'head', type: 'any', attributes: [] },
          { name: 'foot', type: 'points', attributes: [] },
        ],
      },
    ])
  })
})
