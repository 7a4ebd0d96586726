/** The framing of TFRecord files: consecutive records, each with its length and two checksums. */
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { crc32c, maskChecksum } from './crc32c.ts'

/** Maximum size of a record: an image of 64 MiB plus room for other features. */
export const mostRecordBytes = 96 * 1024 ** 2

/** Bytes of the length and its checksum. */
export const headBytes = 12
const footBytes = 4

export interface TfRecord {
  data: Uint8Array
  /** Records are counted from 1; the offset is the start of the record. */
  location: ErrorLocation
}

/**
 * Yields the records of a file, one at a time.
 * @throws {FormatError} for a wrong checksum, or a record that is truncated or exceeds 96 MiB
 */
export async function* readRecords(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<TfRecord> {
  const bytes = byteReader(pieces)
  let offset = 0
  try {
    for (let number = 1; ; number += 1) {
      const location = { file, record: `record ${number}`, offset }
      const head = await bytes.take(headBytes)
      if (head.length === 0) return
      const length = lengthIn(head, location)
      const body = await bytes.take(length + footBytes)
      if (body.length < length + footBytes) throw cutOff(location)
      const data = body.subarray(0, length)
      if (maskChecksum(crc32c(data)) !== readUint32(body, length))
        throw new FormatError('the data has a wrong checksum', location)
      yield { data, location }
      offset += headBytes + body.length
    }
  } finally {
    await bytes.close()
  }
}

/**
 * Returns whether a file with these first bytes is uncompressed: its first length is followed by the matching
 * checksum.
 */
export const isRecordHead = (head: Uint8Array): boolean =>
  head.length >= headBytes && maskChecksum(crc32c(head.subarray(0, 8))) === readUint32(head, 8)

/** Frames a record whose data is given in parts. */
export function recordOf(data: readonly Uint8Array[]): Uint8Array[] {
  const [head, foot] = [Buffer.alloc(headBytes), Buffer.alloc(footBytes)]
  const length = data.reduce((sum, part) => sum + part.length, 0)
  head.writeBigUInt64LE(BigInt(length))
  head.writeUInt32LE(maskChecksum(crc32c(head.subarray(0, 8))), 8)
  const crc = data.reduce((before, part) => crc32c(part, before), 0)
  foot.writeUInt32LE(maskChecksum(crc))
  return [head, ...data, foot]
}

function lengthIn(head: Uint8Array, location: ErrorLocation): number {
  if (head.length < headBytes) throw cutOff(location)
  if (!isRecordHead(head)) throw new FormatError('the length has a wrong checksum', location)
  const length = readUint32(head, 0) + readUint32(head, 4) * 2 ** 32
  if (length <= mostRecordBytes) return length
  const reason = `the record has ${length} bytes, at most ${mostRecordBytes} are allowed`
  throw new FormatError(reason, location)
}

const cutOff = (location: ErrorLocation) => new FormatError('the record is cut off', location)

const readUint32 = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)

/** Creates a reader that takes a requested number of bytes from a stream. */
function byteReader(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  const more = async (): Promise<boolean> => {
    const { done, value } = await iterator.next()
    if (!done) rest = value
    return done !== true
  }
  return {
    /** Returns the requested number of bytes, or the remaining ones at the end. */
    async take(count: number): Promise<Uint8Array> {
      while (rest.length === 0) if (!(await more())) return rest
      if (rest.length < count) return gather(count)
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      return taken
    },
    close: async () => iterator.return?.(),
  }

  async function gather(count: number): Promise<Uint8Array> {
    const gathered = new Uint8Array(count)
    let size = 0
    do {
      const part = rest.subarray(0, count - size)
      gathered.set(part, size)
      size += part.length
      rest = rest.subarray(part.length)
    } while (size < count && (await more()))
    return gathered.subarray(0, size)
  }
}
