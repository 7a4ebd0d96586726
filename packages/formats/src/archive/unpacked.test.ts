import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { FormatError } from '../report/errors.ts'
import { detectContainer } from './detect.ts'
import { sourceOf } from './source.ts'
import { unpackedSource } from './unpacked.ts'
import { openZip } from './zip-reader.ts'
import { writeZip } from './zip-writer.ts'

const fileOf = (name: string, text: string) => ({ ...sourceOf(Buffer.from(text)), name })
const textIn = async (zip: Awaited<ReturnType<typeof openZip>>, name: string) => {
  const entry = zip.files.get(name)
  if (!entry) return undefined
  const start = await zip.dataStart(entry)
  const packed = await zip.source.read(start, start + entry.packedSize)
  const whole = Buffer.from(await zip.bytes(entry)).toString()
  expect((await buffer(zip.stream(entry))).toString()).toBe(whole)
  if (!entry.isDeflated) expect(Buffer.from(packed).toString()).toBe(whole)
  return whole
}

test('unpacked files are read as the members of an archive', async () => {
  const files = [fileOf('a/one.txt', 'one'), fileOf('empty.txt', ''), fileOf('two.txt', 'two two')]
  const source = unpackedSource([...files, fileOf('.DS_Store', 'junk')], { name: 'folder' })
  expect(await detectContainer(source)).toBe('zip')
  const zip = await openZip(source)
  expect([...zip.files.keys()]).toEqual(['a/one.txt', 'empty.txt', 'two.txt'])
  expect(await textIn(zip, 'a/one.txt')).toBe('one')
  expect(await textIn(zip, 'empty.txt')).toBe('')
  expect(await textIn(zip, 'two.txt')).toBe('two two')
})

test('unpacked files are added to the members of an archive and replace members of the same name', async () => {
  const members = [
    { path: 'kept.txt', content: 'kept kept kept kept' },
    { path: 'other.txt', content: 'of the archive' },
  ]
  const packed = await buffer(writeZip(members, new Date()))
  const base = await openZip(sourceOf(packed))
  const files = [fileOf('other.txt', 'of the folder'), fileOf('more.txt', 'more')]
  const zip = await openZip(unpackedSource(files, { name: 'both', base }))
  expect(await textIn(zip, 'kept.txt')).toBe('kept kept kept kept')
  expect(await textIn(zip, 'other.txt')).toBe('of the folder')
  expect(await textIn(zip, 'more.txt')).toBe('more')
})

test('names and sizes of unpacked files are checked like those of archive members', async () => {
  expect(() => unpackedSource([fileOf('../up.txt', '')], { name: 'x' })).toThrow(FormatError)
  const zip = await openZip(unpackedSource([fileOf('a.txt', '12345')], { name: 'x' }))
  const entry = zip.files.get('a.txt')
  await expect(entry && zip.bytes(entry, 4)).rejects.toThrow('larger than 4 bytes')
})
