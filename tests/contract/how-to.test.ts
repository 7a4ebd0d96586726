import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** Files and exports named by the how-to documents. */

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const howTos = readdirSync(join(root, 'docs/how-to')).map((name) => `docs/how-to/${name}`)

/** Placeholders for the reader's own names: `<name>`, `NNNN`. */
const placeholder = /<|NNNN/
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:apps|packages|tests|docs|scripts|deploy|proto)\/[^`\s]*)`/g)].flatMap(
    ([, path = '']) => (placeholder.test(path) ? [] : [path]),
  )
const namesIn = (text: string) =>
  [...text.matchAll(/`(\w+)` of `@reticle\/([a-z]+)\/([^`]+)`/g)].map(
    ([, name = '', pack = '', path = '']) => ({ name, file: `packages/${pack}/src/${path}.ts` }),
  )

test.each(howTos)('%s names existing files and exports', (howTo) => {
  const text = read(howTo)
  expect(pathsIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([])
  const isThere = ({ name, file }: { name: string; file: string }) =>
    new RegExp(`^export .*\\b${name}\\b`, 'm').test(read(file))
  expect(namesIn(text).filter((one) => !isThere(one))).toEqual([])
})

test('CONTRIBUTING.md links every how-to', () => {
  const text = read('CONTRIBUTING.md')
  expect(howTos.filter((path) => !text.includes(`(${path})`))).toEqual([])
})
