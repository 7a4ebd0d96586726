import type { LabelWrite } from '@reticle/contracts/rest/labels'
import { attributeOf, labelOf } from '@reticle/contracts/testing/records'
import { countTurns } from '@reticle/kit/testing/turns'
import { describe, expect, test } from 'vitest'
import { affectedLabels, deletedLabels, planLabels, planNewLabels, planOneLabel } from './plan.ts'

/** Changes of a label list. */

const size = attributeOf({
  name: 'size',
  mutable: true,
  input_type: 'select',
  values: ['small', 'large'],
})

const car = labelOf({ id: 40, name: 'car', color: '#000001', attributes: [size] })
const bus = labelOf({ id: 41, name: 'bus', color: '#000002' })
const person = labelOf({
  id: 50,
  name: 'person',
  color: '#000003',
  type: 'skeleton',
  sublabels: [
    { ...labelOf({ id: 51, name: 'head', type: 'points', color: '#000004' }), has_parent: true },
    { ...labelOf({ id: 52, name: 'foot', type: 'points', color: '#000005' }), has_parent: true },
  ],
  svg: '<circle data-label-id="51"></circle><circle data-label-id="52"></circle>',
})
const all = [car, bus, person]
const names = async (items: LabelWrite[], current = all) =>
  (await planLabels(current, items)).labels.map((one) => one.name)

describe('items of a label list', () => {
  test('without id create, with an id change, and unlisted labels stay', async () => {
    const plan = await planLabels(all, [{ name: 'tram' }, { id: 41, name: 'coach' }])
    expect(plan.labels.map(({ id, name }) => [id, name])).toEqual([
      [40, 'car'],
      [41, 'coach'],
      [50, 'person'],
      [null, 'tram'],
    ])
    expect(plan).toMatchObject({ removed_labels: [], removed_attributes: [] })
  })

  test('with deleted remove labels and their sublabels', async () => {
    const plan = await planLabels(all, [{ id: 50, deleted: true }])
    expect(plan.labels.map((one) => one.id)).toEqual([40, 41])
    expect(plan.removed_labels).toEqual([50, 51, 52])
    expect(deletedLabels(all, plan)).toEqual([{ id: 50, name: 'person' }])
  })

  test('that remove very many labels leave the event below its size limit', async () => {
    const many = Array.from({ length: 9000 }, (_, at) =>
      labelOf({ id: 100 + at, name: `${at} ${'ü'.repeat(50)}` }),
    )
    const named = deletedLabels(many, { removed_labels: many.map(({ id }) => id) })
    expect(named.length).toBeGreaterThan(1000)
    expect(Buffer.byteLength(JSON.stringify(named))).toBeLessThan(210_000)
  })

  test('can swap names', async () => {
    expect(
      await names([
        { id: 40, name: 'bus' },
        { id: 41, name: 'car' },
      ]),
    ).toEqual(['bus', 'car', 'person'])
  })

  test('can take the name of a removed label', async () => {
    expect(await names([{ id: 40, deleted: true }, { name: 'car' }])).toEqual([
      'bus',
      'person',
      'car',
    ])
  })

  test('change only their own fields', async () => {
    const { labels } = await planLabels([car], [{ id: 40, name: 'auto', color: '' }])
    const [changed] = labels
    expect(changed).toMatchObject({ name: 'auto', color: '#000001', attributes: car.attributes })
  })

  test('of a new owner ignore ids', async () => {
    const attributes = [{ ...size, id: 90 }]
    const [made] = (await planNewLabels([{ id: 40, name: 'x', attributes }])).labels
    expect(made).toMatchObject({ id: null, attributes: [{ id: null, name: 'size' }] })
  })
})

const texts: [what: string, items: LabelWrite[], body: unknown][] = [
  ['equal names', [{ name: 'car' }], ['All label names must be unique']],
  [
    'equal names of sublabels',
    [{ id: 50, sublabels: [{ name: 'head' }] }],
    ['All sublabel names of a skeleton must be unique'],
  ],
  [
    'no name',
    [{ id: 41 }, { color: '#000000' }],
    { labels: [{}, { name: ['This field is required.'] }] },
  ],
  ['deleted without id', [{ deleted: true }], { labels: [{ deleted: [expect.any(String)] }] }],
  [
    'another type from a skeleton',
    [{ id: 50, type: 'any' }],
    { labels: [{ type: [expect.any(String)] }] },
  ],
  [
    'another type to a skeleton',
    [{ id: 40, type: 'skeleton' }],
    { labels: [{ type: [expect.any(String)] }] },
  ],
  [
    'sublabels of no skeleton',
    [{ id: 40, sublabels: [{ name: 'x' }] }],
    { labels: [{ sublabels: ['Only a skeleton can have sublabels.'] }] },
  ],
  [
    'a skeleton in a skeleton',
    [{ id: 50, sublabels: [{ name: 'x', type: 'skeleton' }] }],
    { labels: [{ sublabels: [{ type: [expect.any(String)] }] }] },
  ],
  [
    'a drawing of no skeleton',
    [{ id: 40, svg: '<line/>' }],
    { labels: [{ svg: [expect.any(String)] }] },
  ],
  [
    'a drawing that names a stranger',
    [{ id: 50, svg: '<circle data-label-name="nose"/>' }],
    { labels: [{ svg: ['The drawing names "nose", which is no sublabel.'] }] },
  ],
  ...['red', '#12', '#gggggg', '#1234567'].map((color): [string, LabelWrite[], unknown] => [
    `the color ${color}`,
    [{ id: 40, color }],
    { labels: [{ color: [`"${color}" is no color: write #rrggbb.`] }] },
  ]),
]

describe('drawings of skeletons from another server', () => {
  const svg =
    '<circle data-element-id="1" data-label-id="901"/><circle data-element-id="2" data-label-id="900"/>'
  const drawingOf = async (plan: ReturnType<typeof planLabels>) => {
    const { labels } = await plan
    const drawing = labels.find(({ type }) => type === 'skeleton')?.svg ?? ''
    return [...drawing.matchAll(/data-label-name="([^"]*)"/g)].map(([, name]) => name)
  }
  const [head, foot] = [{ name: 'head' }, { name: 'foot' }]
  const skeleton = { name: 'person', type: 'skeleton' as const, svg, sublabels: [head, foot] }

  test('of a new owner and of a new label name sublabels by their places', async () => {
    expect(await drawingOf(planNewLabels([skeleton]))).toEqual(['head', 'foot'])
    expect(await drawingOf(planLabels([car], [skeleton]))).toEqual(['head', 'foot'])
  })

  test('of a new owner name sublabels by the ids that were copied with them', async () => {
    const sublabels = [
      { id: 900, ...head },
      { id: 901, ...foot },
    ]
    expect(await drawingOf(planNewLabels([{ ...skeleton, sublabels }]))).toEqual(['foot', 'head'])
  })

  test('of a known label name sublabels by their places', async () => {
    expect(await drawingOf(planLabels(all, [{ id: 50, svg }]))).toEqual(['head', 'foot'])
    expect(await drawingOf(planOneLabel(all, 50, { svg }))).toEqual(['head', 'foot'])
  })

  test('are invalid with more elements than sublabels', async () => {
    const more = `${svg}<circle data-element-id="3" data-label-id="902"/>`
    await expect(planNewLabels([{ ...skeleton, svg: more }])).rejects.toMatchObject({
      body: { labels: [{ svg: ['The drawing names "#902", which is no sublabel.'] }] },
    })
  })
})

test.each(texts)('%s is invalid', async (_, items, body) => {
  await expect(planLabels(all, items)).rejects.toThrowError(
    expect.objectContaining({ kind: 'invalid', body }),
  )
})

test.each([
  [[{ id: 99, name: 'x' }], 'Not found label with id #99 to change'],
  [[{ id: 51, name: 'x' }], 'Not found label with id #51 to change'],
  [[{ id: 50, sublabels: [{ id: 40 }] }], 'Not found label with id #40 to change'],
  [[{ id: 40, attributes: [{ id: 9 }] }], 'Not found attribute with id #9 to change'],
])('%j is not found', async (items, message) => {
  await expect(planLabels(all, items)).rejects.toThrowError(
    expect.objectContaining({ kind: 'not_found', message }),
  )
})

test('more than 10,000 labels, sublabels included, are rejected', async () => {
  const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `l${index}` }))
  const text = expect.stringContaining('10000')
  await expect(planLabels([], many)).rejects.toThrowError(
    expect.objectContaining({ kind: 'invalid', body: { labels: [text] } }),
  )
})

test('a maximum-size body of labels is rejected', async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ name: `l${index}` }))
  await expect(planLabels([], many)).rejects.toThrowError(
    expect.objectContaining({ kind: 'invalid' }),
  )
})

test('long lists are planned in steps', async () => {
  const many = Array.from({ length: 4000 }, (_, index) => ({ name: `l${index}` }))
  expect(await countTurns(() => planNewLabels(many))).toBeGreaterThan(2)
})

test('more than 512 KiB of labels are rejected', async () => {
  const values = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(190)}`)
  const big = (name: string) => ({
    name,
    attributes: [{ name: 'a', mutable: false, input_type: 'select' as const, values }],
  })
  const many = Array.from({ length: 150 }, (_, index) => big(`l${index}`))
  await expect(planLabels([], many)).rejects.toThrowError(
    expect.objectContaining({ kind: 'invalid' }),
  )
})

describe('colors', () => {
  test('are assigned to labels without one: distinct, and the same each time', async () => {
    const given = async () =>
      (await planNewLabels([{ name: 'car' }, { name: 'Car' }, { name: 'CAR' }])).labels
    const colors = (await given()).map((one) => one.color)
    expect(new Set(colors).size).toBe(3)
    for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/)
    expect((await given()).map((one) => one.color)).toEqual(colors)
  })

  test('are stored in lower case', async () => {
    const { labels } = await planNewLabels([{ name: 'x', color: '#ABCDEF' }])
    expect(labels[0]?.color).toBe('#abcdef')
  })

  test('repeat when all hues are taken', async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ name: `l${index}` }))
    const colors = (await planNewLabels(many)).labels.map((one) => one.color)
    expect(new Set(colors).size).toBeGreaterThan(350)
  })
})

describe('skeletons', () => {
  test('can add, change and remove sublabels', async () => {
    const { labels } = await planLabels(
      [person],
      [
        {
          id: 50,
          sublabels: [{ name: 'hand' }, { id: 51, name: 'face' }, { id: 52, deleted: true }],
        },
      ],
    )
    const [changed] = labels
    expect(changed?.sublabels.map(({ id, name }) => [id, name])).toEqual([
      [51, 'face'],
      [null, 'hand'],
    ])
  })
})

describe('a change of one label', () => {
  test('keeps its place among the others', async () => {
    const { labels } = await planOneLabel(all, 41, { name: 'coach' })
    expect(labels.map((one) => one.name)).toEqual(['car', 'coach', 'person'])
  })

  test('names the fields of the PATCH body in errors', async () => {
    await expect(planOneLabel(all, 41, { color: 'red' })).rejects.toThrowError(
      expect.objectContaining({ body: { color: ['"red" is no color: write #rrggbb.'] } }),
    )
    await expect(planOneLabel(all, 41, { name: 'car' })).rejects.toThrowError(
      expect.objectContaining({ body: ['All label names must be unique'] }),
    )
  })
})

describe('annotations read differently', () => {
  const text = { name: 'note', mutable: false, input_type: 'text' as const, values: [] }
  const affected = async (items: LabelWrite[]) => affectedLabels(all, await planLabels(all, items))

  test.each<[string, LabelWrite, number[]]>([
    ['an attribute came', { id: 41, attributes: [text] }, [41]],
    ['an attribute went', { id: 40, attributes: [{ id: size.id, deleted: true }] }, [40]],
    [
      'an attribute has another default',
      { id: 40, attributes: [{ id: size.id, default_value: 'large' }] },
      [40],
    ],
    ['a sublabel went', { id: 50, sublabels: [{ id: 52, deleted: true }] }, [50]],
    [
      'a sublabel has a new attribute',
      { id: 50, sublabels: [{ id: 51, attributes: [text] }] },
      [50],
    ],
  ])('if %s', async (_, item, expected) => {
    expect(await affected([item])).toEqual(expected)
  })

  test.each<[string, LabelWrite]>([
    ['a label has another name', { id: 40, name: 'coach', color: '#123456' }],
    ['a label is new', { name: 'tram', attributes: [text] }],
    ['a label went', { id: 40, deleted: true }],
    ['an attribute has another name', { id: 40, attributes: [{ id: size.id, name: 'extent' }] }],
    ['a sublabel is new', { id: 50, sublabels: [{ name: 'hand' }] }],
  ])('not if %s', async (_, item) => {
    expect(await affected([item])).toEqual([])
  })
})
