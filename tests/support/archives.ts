import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'

/** Members of a zip archive as another tool reads them, by name. */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const open = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)
  const zip = await open(archive, { lazyEntries: true })
  const members = new Map<string, Buffer>()
  return new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', () => resolve(members))
    zip.on('entry', (entry: yauzl.Entry) => {
      zip.openReadStream(entry, async (error, stream) => {
        if (error || !stream) return reject(error)
        const pieces: Buffer[] = []
        for await (const piece of stream) pieces.push(piece)
        members.set(entry.fileName, Buffer.concat(pieces))
        zip.readEntry()
      })
    })
    zip.readEntry()
  })
}

/** A zip archive whose members are as they are, in that order. */
export function storedZip(members: readonly { name: string; bytes: Uint8Array }[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of members) {
    const entry = entryOf(name, bytes)
    parts.push(Buffer.concat([numbers([0x04034b50, 4]), entry]), Buffer.from(bytes))
    const place = numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])
    const [fixed, text] = [entry.subarray(0, 26), entry.subarray(26)]
    directory.push(Buffer.concat([numbers([0x02014b50, 4], [20, 2]), fixed, place, text]))
    offset += 4 + entry.length + bytes.length
  }
  const central = Buffer.concat(directory)
  const count = members.length
  const end = [
    [0x06054b50, 4],
    [0, 4],
    [count, 2],
    [count, 2],
    [central.length, 4],
  ] as const
  return Buffer.concat([...parts, central, numbers(...end, [offset, 4], [0, 2])])
}

/** What local header and directory say alike, with the name. */
function entryOf(name: string, bytes: Uint8Array): Buffer {
  const text = Buffer.from(name)
  const size = bytes.length
  const said = numbers(
    ...([
      [20, 2],
      [0x800, 2],
      [0, 2],
      [0, 4],
    ] as const), // version, UTF-8, stored, no date
    ...([
      [crc32(bytes), 4],
      [size, 4],
      [size, 4],
      [text.length, 2],
      [0, 2],
    ] as const),
  )
  return Buffer.concat([said, text])
}

/** Numbers of two or four bytes, as zip writes them. */
function numbers(...given: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  const written = given.map(([value, size]) => {
    const field = Buffer.alloc(size)
    field.writeUIntLE(value, 0, size)
    return field
  })
  return Buffer.concat(written)
}
