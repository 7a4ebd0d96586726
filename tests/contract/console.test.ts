import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { codeOf, readSources } from './sources.ts'

/** The built console, and rules for its sources. */

const dist = join(root, 'apps/console/dist')
const read = (path: string) => readFileSync(join(dist, path))
const document = read('index.html').toString()
const loaded = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
  ([, path = '']) => path,
)

const mostBytes = 150 * 1024

test('the files loaded before the first paint have at most 150 KB compressed', () => {
  expect(loaded.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0)
  const bytes = loaded.map((path) => gzipSync(read(path)).length)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(mostBytes)
})

test('the HTML document has no inline scripts or styles, and names no other host', () => {
  const scripts = [...document.matchAll(/<script\b([^>]*)>([^<]*)/g)]
  expect(
    scripts.filter(([, given = '', text = '']) => !given.includes(' src=') || text.trim()),
  ).toEqual([])
  expect(document).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\/|="\/\//)
})

test('every asset has compressed copies, and a hash in its name', () => {
  const names = readdirSync(join(dist, 'assets'))
  const plain = names.filter((name) => !/\.(gz|br)$/.test(name))
  expect(plain.filter((name) => !/-[\w-]{8}\.\w+$/.test(name))).toEqual([])
  expect(
    plain.filter((name) => !names.includes(`${name}.gz`) || !names.includes(`${name}.br`)),
  ).toEqual([])
  expect(existsSync(join(dist, 'assets', plain[0] ?? ''))).toBe(true)
})

test('the licences of bundled packages are shipped, and the HTML document links them', () => {
  const [, path = ''] =
    /<link rel="license" href="\/(assets\/licences-[^"]+\.txt)">/.exec(document) ?? []
  const text = read(path).toString()
  const named = [...text.matchAll(/^(\S+) \d\S*: (.+)$/gm)].map(([, name]) => name)
  expect(named).toEqual(expect.arrayContaining(['react', 'react-dom', '@tanstack/query-core']))
  expect(named).toEqual(expect.arrayContaining(['dompurify', 'marked', 'wouter']))
  expect(text).toContain('Permission is hereby granted')
})

const sources = readSources().filter(({ path }) => path.startsWith('apps/console/src/'))

test.each([
  [
    'the SDK alone talks to the server',
    /(?<![.\w])fetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon/,
  ],
  [
    'nothing becomes code or a style at run time',
    /\beval\(|new Function\(|\.cssText\b|insertRule\(/,
  ],
  ['texts are texts', /\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write\(/],
])('%s', (_, pattern) => {
  const lines = sources
    .filter(({ isTest }) => !isTest)
    .flatMap((source) =>
      codeOf(source).flatMap((line, index) =>
        pattern.test(line) ? [`${source.path}:${index + 1}: ${line.trim()}`] : [],
      ),
    )
  expect(lines).toEqual([])
})

test('a file that sets raw HTML also sanitizes it', () => {
  const setting = sources.filter(({ text }) => text.includes('dangerouslySetInnerHTML'))
  expect(
    setting.filter(({ text }) => !/dompurify|sanitize/i.test(text)).map(({ path }) => path),
  ).toEqual([])
})

test('each CSS class is defined in one file only, since styles stay loaded after a page is left', () => {
  const folder = join(root, 'apps/console/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const places = new Map<string, Set<string>>()
  for (const file of files.filter((name) => name.endsWith('.css'))) {
    const rules = readFileSync(join(folder, file), 'utf8').matchAll(/^\s*([^{}@/]+) \{/gm)
    const selectors = [...rules].flatMap(([, text = '']) =>
      text.split(',').map((one) => one.trim()),
    )
    const classes = selectors.flatMap((one) => /^[a-z]*\.([\w-]+)$/.exec(one)?.[1] ?? [])
    for (const name of classes) places.set(name, (places.get(name) ?? new Set()).add(file))
  }
  expect([...places].filter(([, some]) => some.size > 1)).toEqual([])
})
