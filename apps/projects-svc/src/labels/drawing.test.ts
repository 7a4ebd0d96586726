import { growthOf } from '@reticle/kit/testing/growth'
import { describe, expect, test } from 'vitest'
import { bindDrawing, matchDrawing, nameElements, readDrawing, writeDrawing } from './drawing.ts'

/** Below the ratio of a quadratic cost, which is 100. */
const most = 40

/** Drawings of skeletons (`svg`). */

const sublabels = [
  { id: 42, name: 'head' },
  { id: 43, name: 'a "foot" & more' },
]
const clean = (text: string) => writeDrawing(readDrawing(text))

test('sublabel names are replaced by ids', () => {
  const drawing =
    '<line x1="40" y1="20" data-type="edge"></line><circle r="1.5" data-label-name="head"/>'
  expect(bindDrawing(drawing, sublabels)).toBe(
    '<line x1="40" y1="20" data-type="edge"></line><circle r="1.5" data-label-id="42"></circle>',
  )
})

test('binding a bound drawing again changes nothing', () => {
  const bound = bindDrawing(
    `<circle cx='1' data-label-name="a &quot;foot&quot; &amp; more">`,
    sublabels,
  )
  expect(bound).toBe('<circle cx="1" data-label-id="43"></circle>')
  expect(bindDrawing(bound, sublabels)).toBe(bound)
})

test('elements of deleted sublabels are removed', () => {
  const drawing = '<circle data-label-id="42"></circle><circle data-label-id="99"></circle>'
  expect(bindDrawing(drawing, sublabels)).toBe('<circle data-label-id="42"></circle>')
})

test.each([
  ['a name', '<circle data-label-name="nose"/>', 'nose'],
  ['a name beside a known id', '<circle data-label-id="42" data-label-name="nose"/>', 'nose'],
  ['an id', '<circle data-label-id="99"/>', '#99'],
  ['an id that is not a number', '<circle data-label-id="null"/>', '#null'],
  [
    'an element number without a sublabel',
    '<circle data-label-id="99" data-element-id="3" data-label-name="nose"/>',
    'nose',
  ],
  ['a name without an id', '<circle data-element-id="1" data-label-name="nose"/>', 'nose'],
])('%s that does not match a sublabel is unknown', (_, drawing, unknown) => {
  expect(matchDrawing(drawing, sublabels)).toEqual({ unknown })
})

describe('sublabel ids of another server are replaced', () => {
  const bound = (drawing: string, parts = sublabels) => {
    const matched = matchDrawing(drawing, parts)
    return 'svg' in matched ? bindDrawing(matched.svg, parts) : matched
  }
  const head = '<circle data-label-id="42"></circle>'

  test.each([
    [
      'an element without a sublabel',
      '<line data-node-from="1"/>',
      '<line data-node-from="1"></line>',
    ],
    ['a known id', '<circle data-label-id="42"/>', head],
    ['a known name', '<circle data-label-id="99" data-label-name="head"/>', head],
    [
      'a known name, whatever the number of the element',
      '<circle data-element-id="2" data-label-id="99" data-label-name="head"/>',
      '<circle data-element-id="2" data-label-id="42"></circle>',
    ],
    [
      'the number of the element, with an unknown name',
      '<circle data-element-id="1" data-label-id="99" data-label-name="nose"/>',
      '<circle data-element-id="1" data-label-id="42"></circle>',
    ],
    [
      'the numbers of elements, which are positions of sublabels',
      '<circle data-element-id="2" data-label-id="7"/><circle data-element-id="1" data-label-id="6"/>',
      '<circle data-element-id="2" data-label-id="43"></circle><circle data-element-id="1" data-label-id="42"></circle>',
    ],
  ])('by %s', (_, drawing, expected) => {
    expect(bound(drawing)).toBe(expected)
  })

  test('by numbers of elements that are names of sublabels', () => {
    const parts = [
      { id: 50, name: '3' },
      { id: 51, name: '1' },
    ]
    const drawing =
      '<circle data-element-id="1" data-label-id="8"/><circle data-element-id="3" data-label-id="9"/>'
    expect(bound(drawing, parts)).toBe(
      '<circle data-element-id="1" data-label-id="51"></circle><circle data-element-id="3" data-label-id="50"></circle>',
    )
  })

  test('sublabels that are sent with their ids name the elements', () => {
    const sent = [{ id: 8, name: 'foot' }, { name: 'head' }]
    expect(nameElements('<circle data-label-id="8"/><circle data-label-id="9"/>', sent)).toBe(
      '<circle data-label-id="8" data-label-name="foot"></circle><circle data-label-id="9"></circle>',
    )
  })
})

test.each([
  ['<script>alert(1)</script>'],
  ['<svg><foreignObject><body onload="alert(1)"></body></foreignObject></svg>'],
  ['<a href="javascript:alert(1)">x</a>'],
  ['<image href="https://evil.example/x.png"/>'],
  ['<use xlink:href="https://evil.example/x.svg#a"/>'],
  ['text & <!-- comment -->'],
  ['<<<<'],
])('all of %s is removed', (drawing) => {
  expect(clean(drawing)).toBe('')
})

test.each([
  ['tags that are never closed', '<circle '],
  ['quotes that are never closed', '<circle r="'],
  ['quotes of both kinds', `<circle r='"`],
  ['names without values', '<circle r r'],
  ['spaces', ' '],
])('%s are parsed in linear time', (_, piece) => {
  const cost = (length: number) => {
    const text = `<circle ${piece.repeat(length / piece.length)}`
    const before = process.cpuUsage()
    for (let round = 0; round < 5; round += 1) readDrawing(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && least > 24; attempt += 1)
    least = Math.min(least, cost(512 * 1024) / cost(64 * 1024))
  expect(least).toBeLessThan(24)
})

test.each([
  ['<circle onclick="alert(1)" r="1"/>', '<circle r="1"></circle>'],
  ['<line style="background:url(//evil)" x1="1"/>', '<line x1="1"></line>'],
  ['<circle fill="url(https://evil.example/#a)" r="1"/>', '<circle r="1"></circle>'],
  [
    '<circle stroke="red" data-x="&lt;script&gt;"/>',
    '<circle stroke="red" data-x="&lt;script&gt;"></circle>',
  ],
  ['<CIRCLE r="2">', '<circle r="2"></circle>'],
])('the harmless part of %s is kept', (drawing, left) => {
  expect(clean(drawing)).toBe(left)
})

test.each(['<', '<a ', '<a b="', '<line x="1" '])(
  'repeated %j are parsed in time linear in their number',
  (piece) => {
    const read = (size: number) => expect(clean(piece.repeat(size / piece.length))).toBe('')
    expect(growthOf(read, 50_000, most)).toBeLessThan(most)
  },
)

test('a long name is parsed in time linear in its length', () => {
  const read = (size: number) => expect(clean(`<line ${'a'.repeat(size)}/>`)).toBe('<line></line>')
  expect(growthOf(read, 50_000, most)).toBeLessThan(most)
})

test('elements of many sublabels are bound in time linear in their number', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => ({ id: index, name: `s${index}` }))
  const bind = (size: number) => {
    const drawing = '<line data-label-name="s49999"/>'.repeat(size)
    expect(matchDrawing(drawing, many)).toHaveProperty('svg')
    expect(bindDrawing(drawing, many)).toContain('data-label-id="49999"')
  }
  expect(growthOf(bind, 1600, most)).toBeLessThan(most)
})
