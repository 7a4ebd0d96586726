import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { privateWord, privateWords } from './private-words.ts'
import { listProseFiles, type ProseLine, readProse, roomOf, withoutCode } from './prose.ts'

/** The language of comments, test titles, log messages and documents (docs/glossary.md). */

const files = listProseFiles()
const prose = files.flatMap(readProse)
const perThousand = { everywhere: 3, inRoom: 5 }

const countWords = (lines: readonly ProseLine[]) =>
  lines.reduce((sum, { text }) => sum + (withoutCode(text).match(/[A-Za-z']+/g)?.length ?? 0), 0)
const privateLines = (lines: readonly ProseLine[]) =>
  lines.flatMap((line) => {
    const words = withoutCode(line.text).match(privateWord) ?? []
    return words.map((word) => `${line.path}:${line.line}: ${word}: ${line.text.trim()}`)
  })

/** Lists private words when there are more than the limit allows, so that a failure shows what to rewrite. */
function excess(lines: readonly ProseLine[], most: number): string[] {
  const found = privateLines(lines)
  const limit = Math.ceil((countWords(lines) * most) / 1000)
  return found.length > limit ? [`${found.length} private words, limit ${limit}`, ...found] : []
}

test(`the repository has at most ${perThousand.everywhere} private words per 1,000 words`, () => {
  expect(excess(prose, perThousand.everywhere).slice(0, 40)).toEqual([])
})

const rooms = [...new Set(files.map(roomOf))]
test.each(rooms)(`%s has at most ${perThousand.inRoom} private words per 1,000 words`, (room) => {
  const lines = prose.filter(({ path }) => roomOf(path) === room)
  expect(excess(lines, perThousand.inRoom).slice(0, 40)).toEqual([])
})

test('a private word is found, and a plain sentence has none', () => {
  const line = (text: string): ProseLine => ({ path: 'a.ts', line: 1, text })
  const odd = ['told when', 'the worker says so', 'is no frame', 'goes on', 'what was sent']
  expect(privateLines(odd.map(line))).toHaveLength(odd.length)
  expect(privateLines([line('The worker renews its lease. `told` is a name.')])).toEqual([])
  expect(privateWords.every(([, write]) => write !== '')).toBe(true)
})

const citation = /(?<![\w/:.-])((?:[\w.-]+\/)*[\w-]+\.md)(?:#([\w-]+))?/g
/** Names of documents that users bring, which are not part of the repository. */
const foreign = new Set(['annotation_guide.md', 'guide.md'])

const anchorsOf = new Map<string, Set<string>>()
function hasAnchor(path: string, anchor: string): boolean {
  let anchors = anchorsOf.get(path)
  if (!anchors) {
    const headings = readFileSync(join(root, path), 'utf8').matchAll(/^#+ (.+)$/gm)
    anchors = new Set([...headings].map(([, heading = '']) => slugOf(heading)))
    anchorsOf.set(path, anchors)
  }
  return anchors.has(anchor)
}

/** The anchor that GitHub gives to a heading. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Finds a cited document beside the file that cites it, from the root, or from `docs/`. */
const findDocument = (cited: string, path: string) =>
  [join(dirname(path), cited), cited, join('docs', cited)].find((one) =>
    existsSync(join(root, one)),
  )

test('every document that a comment or a document cites exists, with the section', () => {
  const broken = prose.flatMap(({ path, line, text }) =>
    [...text.matchAll(citation)].flatMap(([name, cited = '', anchor]) => {
      if (foreign.has(cited.toLowerCase())) return []
      const document = findDocument(cited, path)
      const isFound = document && (anchor === undefined || hasAnchor(document, anchor))
      return isFound ? [] : [`${path}:${line}: ${name}`]
    }),
  )
  expect(broken).toEqual([])
})
