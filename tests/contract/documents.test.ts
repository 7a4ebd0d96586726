import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf } from '../support/document-blocks.ts'
import { root } from '../support/root.ts'
import { slugOf } from './prose.ts'

/** Every block of commands in a document names the test that executes or checks it, and every link resolves. */

const inFolder = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((path) =>
    path.endsWith('.md') && !path.includes('node_modules') ? `${folder}/${path}` : [],
  )
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`)
const documents = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...inFolder('docs'),
    ...inFolder('deploy'),
    ...inFolder('tools'),
  ],
  ...packages.filter((path) => existsSync(join(root, path))),
]
const blocks = documents.flatMap(blocksOf)
const read = (document: string) => readFileSync(join(root, document), 'utf8')
const placeOf = ({ document, line }: { document: string; line: number }) => `${document}:${line}`

test('every code fence belongs to a parsed block', () => {
  const fences = (document: string) => read(document).match(/^ *```/gm)?.length ?? 0
  const unread = documents.filter((one) => fences(one) !== 2 * blocksOf(one).length)
  expect(unread).toEqual([])
})

test('every block of commands has a marker in the line above: <!-- executed by FILE -->', () => {
  const isPrompt = /^ *(?:\$ |(?:npm|npx|node|curl|docker|helm|kubectl|git|reticle) )/m
  const unclaimed = blocks.filter(
    ({ by, language, text }) =>
      by === undefined && (language === 'sh' || (language === '' && isPrompt.test(text))),
  )
  expect(unclaimed.map(placeOf)).toEqual([])
})

test('the file named by a marker is a test that reads the document', () => {
  const isTest = (path: string) => /\.test\.ts$|^tools\/oracles\//.test(path)
  const reads = (by: string, document: string) =>
    existsSync(join(root, by)) && read(by).includes(document)
  const wrong = blocks.filter(
    ({ by, document }) => by !== undefined && !(isTest(by) && reads(by, document)),
  )
  expect(wrong.map((block) => `${placeOf(block)}: ${block.by}`)).toEqual([])
})

test('every marker is directly above a block', () => {
  const markers = (document: string) =>
    read(document).match(/<!-- (?:executed|checked) by/g)?.length ?? 0
  const stray = documents.filter(
    (one) => markers(one) !== blocksOf(one).filter(({ by }) => by !== undefined).length,
  )
  expect(stray).toEqual([])
})

const anchorsOf = (document: string) =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading))

test('every link leads to an existing file and heading', () => {
  const broken = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const target = join(document, path === '' ? '.' : '..', path)
        const isThere =
          existsSync(join(root, target)) && (!anchor || anchorsOf(target).includes(anchor))
        return isThere ? [] : [`${document}: ${link}`]
      },
    ),
  )
  expect(broken).toEqual([])
})

test('the README links every page of docs/', () => {
  const pages = documents.filter((path) => /^docs\/[\w-]+\.md$/.test(path))
  expect(pages.filter((page) => !read('README.md').includes(`(${page})`))).toEqual([])
})
