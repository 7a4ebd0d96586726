import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { trackZip } from './zip-track.ts'
import { ArchiveChanged, type ArchiveFile, writeZip } from './zip-writer.ts'

const modified = new Date('2026-03-01T10:20:30Z')
const stepBytes = 100_000
const picture = randomBytes(130_000)
const large = randomBytes(1_200_000)

/** Documents before, between and after images, small and streamed. `read` is called for each image that is read. */
function files(
  given: Record<string, string> = {},
  read: (path: string) => void = () => {},
): ArchiveFile[] {
  const text = (path: string, content: string) => ({ path, content: given[path] ?? content })
  const image = (path: string, bytes: Buffer) => ({
    path,
    source: `key of ${path}`,
    content: (async function* () {
      read(path)
      for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
    })(),
  })
  return [
    text('first.json', 'one'),
    image('a.jpg', picture),
    image('b.jpg', large),
    text('between.txt', randomText(1_500_000)),
    image('c.bmp', picture),
    image('d.jpg', large),
    text('last.json', 'the end'),
  ]
}

/** Deterministic text that hardly compresses. */
function randomText(length: number): string {
  let state = 1
  let text = ''
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text
}

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}

/** Returns the archive and its tracked state at each step. */
async function tracked() {
  const track = trackZip(stepBytes)
  const bytes = await gathered(writeZip(files(), modified, { track }))
  const cuts = Array.from({ length: Math.floor(bytes.length / stepBytes) }, (_, index) => {
    const known = track.upTo((index + 1) * stepBytes)
    if (!known) throw new Error('nothing is known of a step')
    return known
  })
  return { bytes, cuts }
}

const { bytes, cuts } = await tracked()

test('an archive resumed at any step equals the uninterrupted one, and no stored image is read again', async () => {
  expect(bytes.equals(await gathered(writeZip(files(), modified)))).toBe(true)
  expect(cuts.length).toBeGreaterThan(30)
  for (const stored of cuts) {
    const read: string[] = []
    const again = files({}, (path) => read.push(path))
    const rest = await gathered(writeZip(again, modified, { stored }))
    const whole = Buffer.concat([bytes.subarray(0, stored.size), rest])
    expect(whole.equals(bytes), `cut at ${stored.size}`).toBe(true)
    const names = stored.members.map(({ path }) => path)
    expect(read.filter((path) => names.includes(path))).toEqual([])
  }
})

test('a resumed attempt is tracked like an uninterrupted one', async () => {
  const [stored] = cuts
  const track = trackZip(stepBytes)
  await gathered(writeZip(files(), modified, { stored, track }))
  const known = cuts.map(({ size }) => track.upTo(size)).slice(1)
  for (const [index, later] of known.entries()) {
    const undisturbed = cuts[index + 1]
    const first = stored?.members.length ?? 0
    expect(later).toEqual({ ...undisturbed, members: undisturbed?.members.slice(first) })
  }
})

test('members that are already kept elsewhere are not reported again', () => {
  const track = trackZip(10)
  const member = (path: string) => ({
    path,
    size: 5,
    packedSize: 5,
    crc: 1,
    isStored: true,
    isStreamed: false,
    source: null,
  })
  for (const [index, path] of ['a', 'b', 'c'].entries()) {
    track.begin(8 * index)
    track.wrote(Buffer.alloc(8))
    track.ended(member(path))
  }
  expect(track.upTo(5)).toBeUndefined()
  expect(track.upTo(30)).toBeUndefined()
  expect(track.upTo(10)?.members).toEqual([member('a')])
  track.keep(10)
  expect(track.upTo(10)).toBeUndefined()
  expect(track.upTo(20)).toMatchObject({ size: 20, members: [member('b')] })
})

test.each([
  ['an edited document', { 'first.json': 'two' }],
  ['a longer document', { 'between.txt': 'x'.repeat(1_600_000) }],
])('%s is detected in every stored beginning that contains it', async (_, edited) => {
  const [path = ''] = Object.keys(edited)
  const change = new ArchiveChanged(path).message
  const among = cuts.filter(({ members }) => members.some((member) => member.path === path))
  expect(among.length).toBeGreaterThan(3)
  for (const stored of among) {
    const again = gathered(writeZip(files(edited), modified, { stored }))
    await expect(again).rejects.toThrow(change)
  }
})

test('an image with a different source id is read again, and a difference is reported', async () => {
  const stored = cuts.findLast(({ members }) => members.length === 2)
  const other = (content: Buffer) =>
    files().map((file) => (file.path === 'a.jpg' ? { ...file, content, source: 'new' } : file))
  const rest = await gathered(writeZip(other(picture), modified, { stored }))
  expect(rest.length).toBe(bytes.length - (stored?.size ?? 0))
  const changed = gathered(writeZip(other(randomBytes(130_000)), modified, { stored }))
  await expect(changed).rejects.toThrow(new ArchiveChanged('a.jpg').message)
})

test('a file that is stored in part is compared up to the stored part', async () => {
  const inText = cuts.filter(({ members }) => members.at(-1)?.path === 'b.jpg')
  expect(inText.length).toBeGreaterThan(3)
  const edited = { 'between.txt': `_${randomText(1_500_000).slice(1)}` }
  for (const stored of inText.slice(1)) {
    const again = gathered(writeZip(files(edited), modified, { stored }))
    await expect(again).rejects.toThrow('in the middle of a file')
  }
})

test('fewer files, or a shorter last file, count as a change', async () => {
  const stored = cuts.at(-1)
  const fewer = gathered(writeZip(files().slice(0, 2), modified, { stored }))
  await expect(fewer).rejects.toThrow('it has fewer files')
  const begun = cuts.find(({ members }) => members.length === 2)
  const shorter = gathered(writeZip(files().slice(0, 2), modified, { stored: begun }))
  await expect(shorter).rejects.toThrow(ArchiveChanged)
})
