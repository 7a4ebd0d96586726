import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { craftZip } from './crafted-zip.ts'

/** Reads the members of a zip archive with an independent implementation, by name. */
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

/** Builds a zip archive with uncompressed members in that order. */
export const storedZip = (members: readonly { name: string; bytes: Uint8Array }[]): Buffer =>
  craftZip(members)
