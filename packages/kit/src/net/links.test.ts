import { link, page } from '@reticle/contracts/rest/common'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { toAbsoluteLinks } from './links.ts'

const base = 'https://host/api'
const box = z.object({ url: link, name: z.string(), lid: z.object({ url: link }).nullable() })

test('only keys declared as links become absolute, at any depth', () => {
  const given = { url: '/boxes/1', name: '/boxes/1', lid: { url: '/lids/2' } }
  expect(toAbsoluteLinks(box, given, base)).toEqual({
    url: 'https://host/api/boxes/1',
    name: '/boxes/1',
    lid: { url: 'https://host/api/lids/2' },
  })
})

test('links in pages and lists become absolute, and null is skipped', () => {
  const given = {
    count: 1,
    next: '/boxes?page=2',
    previous: null,
    results: [{ url: '/boxes/1', name: 'a', lid: null }],
  }
  expect(toAbsoluteLinks(page(box, 'LinkedBoxPage'), given, base)).toEqual({
    count: 1,
    next: 'https://host/api/boxes?page=2',
    previous: null,
    results: [{ url: 'https://host/api/boxes/1', name: 'a', lid: null }],
  })
})

test('links of a recursive shape become absolute at every level', () => {
  const branch = z.object({
    url: link,
    get children() {
      return z.array(branch)
    },
  })
  const given = { url: '/1', children: [{ url: '/2', children: [] }] }
  expect(toAbsoluteLinks(branch, given, base)).toEqual({
    url: 'https://host/api/1',
    children: [{ url: 'https://host/api/2', children: [] }],
  })
})

test('a value without links is returned unchanged', () => {
  const plain = z.object({ name: z.string(), words: z.array(z.string()) })
  const given = { name: 'a', words: ['/x'] }
  expect(toAbsoluteLinks(plain, given, base)).toBe(given)
})

test('the original value is not modified', () => {
  const given = { url: '/boxes/1', name: 'a', lid: null }
  toAbsoluteLinks(box, given, base)
  expect(given.url).toBe('/boxes/1')
})

test('an absent key stays absent', () => {
  const loose = z.object({ url: link.optional() })
  expect(toAbsoluteLinks(loose, {}, base)).toEqual({})
})
