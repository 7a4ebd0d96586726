import { expect, test } from 'vitest'
import { assetsIn, withAssets } from './references.ts'

const [a, b] = ['5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e11', '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e12']

test.each([
  ['images and links', `![mirror](/api/assets/${a}) [sheet](/api/assets/${b} "title")`, [a, b]],
  ['one asset twice, in whatever case', `(/api/assets/${a})(/api/assets/${a.toUpperCase()})`, [a]],
  [
    'no other address',
    `(/api/assets/x) (https://example.org/api/assets/${a}) /api/assets/${b}`,
    [],
  ],
  ['nothing in nothing', '', []],
])('finds %s', (_, markdown, expected) => {
  expect(assetsIn(markdown)).toEqual(expected)
})

test('replaces only references that have a replacement and keeps the rest of the text', () => {
  const text = `![x](/api/assets/${a.toUpperCase()} "t") [y](/api/assets/${b}) /api/assets/${a}`
  const other = '00000000-0000-4000-8000-000000000001'
  expect(withAssets(text, new Map([[a, other]]))).toBe(
    `![x](/api/assets/${other} "t") [y](/api/assets/${b}) /api/assets/${a}`,
  )
})
