import { expect, test } from 'vitest'
import { codeOf, functionsOf, importsOf, type RepositoryFile } from './sources.ts'

/** The architecture tests detect what they look for. */

function sourceOf(...lines: string[]): RepositoryFile {
  return { path: 'apps/x/src/a.ts', room: 'apps/x', text: lines.join('\n'), lines, isTest: false }
}
const namesIn = (...lines: string[]) => importsOf(sourceOf(...lines)).map(({ name }) => name)

test('imports of every form are found, with their line', () => {
  const found = importsOf(
    sourceOf(
      "import { a } from './a.ts'",
      "import type { b } from '@x/b'",
      'import {',
      '  c,',
      "} from 'c'",
      "export * from '../d.ts'",
      "import 'e'",
      "const f = await import('node:f')",
    ),
  )
  expect(found.map(({ line, name }) => `${line} ${name}`)).toEqual([
    '1 ./a.ts',
    '2 @x/b',
    '5 c',
    '6 ../d.ts',
    '7 e',
    '8 node:f',
  ])
})

test('text that only looks like an import is ignored', () => {
  expect(namesIn("// import { a } from 'a'", " * import 'b'")).toEqual([])
  expect(namesIn("const words = ['import', 'export']", "text(' from ', 'x')")).toEqual([])
  expect(namesIn("export const from = 'a'")).toEqual([])
})

test('comments are removed from code, and lines keep their number', () => {
  const source = sourceOf('a() // one', '/* two', 'three */ b()', "'https://c'")
  expect(codeOf(source)).toEqual(['a()', '', ' b()', "'https://c'"])
})

test('functions of every form are measured without blank lines', () => {
  const found = functionsOf(
    sourceOf(
      'export function a(',
      '  b: string,',
      '): void {',
      '  if (b) {',
      '    c()',
      '  }',
      '}',
      'const d = async () => {',
      '',
      '  e()',
      '}',
    ),
  )
  expect(found.map(({ line, length }) => [line, length])).toEqual([
    [3, 5],
    [8, 3],
  ])
})
