import { inflateRawSync } from 'node:zlib'

/**
 * Reads one text member of a small zip archive, found through its central directory (APPNOTE 4.3.12).
 * @param {Buffer} zip
 * @param {(name: string) => boolean} matches
 */
export function memberOf(zip, matches) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28)
    const extraLength = zip.readUInt16LE(at + 30)
    const noteLength = zip.readUInt16LE(at + 32)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    if (matches(name)) return { name, text: contents(zip, at).toString('utf8') }
    at += 46 + nameLength + extraLength + noteLength
  }
  throw new Error('the archive has no such member')
}

/**
 * @param {Buffer} zip
 * @param {number} at
 */
function contents(zip, at) {
  const method = zip.readUInt16LE(at + 10)
  const packed = zip.readUInt32LE(at + 20)
  const start = zip.readUInt32LE(at + 42)
  const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
  const bytes = zip.subarray(from, from + packed)
  return method === 0 ? bytes : inflateRawSync(bytes)
}
