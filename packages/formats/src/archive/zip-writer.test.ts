import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromBuffer } from 'yauzl'
import { sourceOf } from './source.ts'
import { openZip } from './zip-reader.ts'
import { type ArchiveFile, writeZip } from './zip-writer.ts'

const modified = new Date('2026-03-01T10:20:30Z')

test('another zip reader reads the same names and bytes', async () => {
  const large = randomBytes(1_500_000)
  const files = [
    { path: 'annotations/ein Übung.json', content: '{"a":1}\n' },
    { path: 'empty.txt', content: '' },
    { path: 'large.bin', content: large },
    { path: 'images/a.jpg', content: pieces(large.subarray(0, 1_200_000)) },
    { path: 'streamed.txt', content: pieces('0123456789'.repeat(150_000)) },
  ]
  const bytes = await zipped(files)
  const seen = await readWithYauzl(bytes)
  expect([...seen.keys()]).toEqual(files.map((file) => file.path))
  expect(seen.get('annotations/ein Übung.json')?.toString()).toBe('{"a":1}\n')
  expect(seen.get('empty.txt')?.length).toBe(0)
  expect(seen.get('large.bin')?.equals(large)).toBe(true)
  expect(seen.get('images/a.jpg')?.equals(large.subarray(0, 1_200_000))).toBe(true)
  expect(seen.get('streamed.txt')?.length).toBe(1_500_000)
})

test('our zip reader reads the same bytes, whole and in pieces', async () => {
  const text = 'a line of text\n'.repeat(200_000)
  const bytes = await zipped([
    { path: 'a.txt', content: pieces(text) },
    { path: 'b/c.png', content: 'image' },
  ])
  const zip = await openZip(sourceOf(bytes))
  const [a, b] = [...zip.files.values()]
  if (!a || !b) throw new Error('members are missing')
  expect([a.isDeflated, b.isDeflated]).toEqual([true, false])
  expect(Buffer.from(await zip.bytes(b)).toString()).toBe('image')
  expect(Buffer.from(await zip.bytes(a)).toString()).toBe(text)
  const parts: Uint8Array[] = []
  for await (const part of zip.stream(a)) parts.push(part)
  expect(parts.length).toBeGreaterThan(1)
  expect(Buffer.concat(parts).toString()).toBe(text)
})

test('a member marked as stored is not deflated, regardless of its name', async () => {
  const bytes = await zipped([
    { path: 'a.bmp', content: pieces('0'.repeat(2_000_000)), isStored: true },
    { path: 'b.bmp', content: '0'.repeat(2000), isStored: true },
    { path: 'c.bmp', content: '0'.repeat(2000) },
  ])
  const { files } = await openZip(sourceOf(bytes))
  expect([...files.values()].map((file) => file.isDeflated)).toEqual([false, false, true])
})

test('more than 65,535 members are written as zip64', async () => {
  const files = Array.from({ length: 65_536 }, (_, index) => ({ path: `${index}`, content: '' }))
  const bytes = await zipped(files)
  expect((await openZip(sourceOf(bytes))).files.size).toBe(65_536)
  expect(await countWithYauzl(bytes)).toBe(65_536)
})

test('an archive without members is a valid archive', async () => {
  const bytes = await zipped([])
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x05\x06')
  expect((await openZip(sourceOf(bytes))).files.size).toBe(0)
})

test('the same files and time give the same bytes', async () => {
  const files = [{ path: 'a.txt', content: 'a' }]
  expect((await zipped(files)).equals(await zipped(files))).toBe(true)
})

test('an error of a member fails the archive', async () => {
  const content = (async function* () {
    yield 'x'.repeat(2_000_000)
    throw new Error('the frame is gone')
  })()
  await expect(zipped([{ path: 'a.txt', content }])).rejects.toThrow('the frame is gone')
})

// ---- helpers

async function zipped(files: ArchiveFile[]): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of writeZip(files, modified)) parts.push(part)
  return Buffer.concat(parts)
}

async function* pieces(content: Buffer | string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

function countWithYauzl(bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, (error, zip) => {
      if (error) return reject(error)
      let count = 0
      zip.on('entry', () => {
        count += 1
      })
      zip.on('end', () => resolve(count))
    })
  })
}

function readWithYauzl(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const seen = new Map<string, Buffer>()
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      zip.on('entry', (entry) => {
        expect(entry.getLastModDate({ timezone: 'UTC' })).toEqual(modified)
        zip.openReadStream(entry, (failure, stream) => {
          if (failure) return reject(failure)
          const parts: Buffer[] = []
          stream.on('data', (part: Buffer) => parts.push(part))
          stream.on('end', () => {
            seen.set(entry.fileName, Buffer.concat(parts))
            zip.readEntry()
          })
        })
      })
      zip.on('end', () => resolve(seen))
      zip.readEntry()
    })
  })
}
