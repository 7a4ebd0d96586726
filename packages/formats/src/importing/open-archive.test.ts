import { expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { createRun, zipOf } from '../testing/run.ts'
import { openArchive, rootOf } from './open-archive.ts'

const isMarker = (path: string) => path === 'obj.data' || path.startsWith('Annotations/')

test.each([
  [['obj.data'], ''],
  [['set/obj.data', 'set/a.txt'], 'set/'],
  [['a/b/c/d/obj.data'], 'a/b/c/d/'],
  [['a/b/c/d/e/obj.data'], undefined],
  [['a/b/Annotations/x/1.xml', 'c/obj.data'], 'c/'],
  [['README.txt'], undefined],
])('the root folder of %j is %j', (names, root) => {
  expect(rootOf(names, isMarker)).toBe(root)
})

test('a file that is not an archive is refused', async () => {
  const source = sourceOf(Buffer.from('{}'))
  await expect(openArchive(source, createRun().run)).rejects.toThrow('expected a ZIP archive')
})

test('duplicate members are reported', async () => {
  const bytes = await zipOf({ 'a.txt': 'first', 'b.txt': 'second' })
  const twice = Buffer.from(bytes.toString('latin1').replaceAll('b.txt', 'a.txt'), 'latin1')
  const { run } = createRun()
  const zip = await openArchive(sourceOf(twice), run)
  expect([...zip.files.keys()]).toEqual(['a.txt'])
  const { entries } = run.report.read()
  expect(entries).toMatchObject([{ code: 'duplicate-entry', examples: [{ file: 'a.txt' }] }])
})
